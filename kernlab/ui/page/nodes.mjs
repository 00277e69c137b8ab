// Nodes of the page: one of its own, and words that are written only where they are others.

export function make(name, fields = {}, ...children) {
  const node = Object.assign(document.createElement(name), fields);
  node.append(...children);
  return node;
}

// The same words once more would cost the browser a layout.
export function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}
