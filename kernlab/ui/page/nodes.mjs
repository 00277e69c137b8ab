// Nodes of the page: one of its own, what is written or hidden only where that is a change, and letters on a canvas.

export function make(name, fields = {}, ...children) {
  const node = Object.assign(document.createElement(name), fields);
  node.append(...children);
  return node;
}

// The same words once more would cost the browser a layout.
export function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

// To hide what is hidden would cost it too.
export function hide(node, yes) {
  if (node.hidden !== yes) node.hidden = yes;
}

// A canvas keeps the letters that it was drawn with: draw it again when a font has come.
export function lettered(canvas, draw) {
  const again = () => (canvas.isConnected ? draw() : document.fonts.removeEventListener("loadingdone", again));
  document.fonts.addEventListener("loadingdone", again);
}
