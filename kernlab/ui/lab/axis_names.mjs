// The names of a canvas's axes as text of the page, which can be read aloud, and explained where it stands.

const STYLE = "position:absolute;pointer-events:none;white-space:nowrap;line-height:1;translate:-50% -50%";

export class AxisNames {
  constructor(canvas) {
    const make = (name, style) => Object.assign(canvas.ownerDocument.createElement(name), { style });
    this.x = make("span", STYLE);
    this.y = make("span", `${STYLE};writing-mode:vertical-rl;rotate:180deg`);
    const frame = make("div", "position:relative");
    canvas.replaceWith(frame);
    frame.append(canvas, this.x, this.y);
  }

  // Both names, each with the middle of its line, in pixels of the canvas, and the height of their letters.
  put([xName, ...xAt], [yName, ...yAt], letters) {
    for (const [node, name, at] of [[this.x, xName, xAt], [this.y, yName, yAt]]) {
      if (node.textContent !== name) node.textContent = name;
      Object.assign(node.style, { left: `${at[0]}px`, top: `${at[1]}px`, fontSize: `${letters}px` });
    }
  }
}
