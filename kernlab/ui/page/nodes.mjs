// Nodes of the page: one of its own, words that are written only where they are others, and letters on a canvas.

export function make(name, fields = {}, ...children) {
  const node = Object.assign(document.createElement(name), fields);
  node.append(...children);
  return node;
}

// The same words once more would cost the browser a layout.
export function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

// A canvas keeps the letters that it was drawn with: draw it again when a font has come.
export function lettered(canvas, draw) {
  const again = () => (canvas.isConnected ? draw() : document.fonts.removeEventListener("loadingdone", again));
  document.fonts.addEventListener("loadingdone", again);
}
