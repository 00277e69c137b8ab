// A heading that fits its width: Plotly neither breaks its lines nor makes room for them.

const SPACING = 1.3; // from line to line in Plotly, in sizes of the letters

// The lines of a text, none wider than the width as long as words can be parted; measure: (text) => pixels.
export function broken(text, width, measure) {
  const lines = [];
  for (const whole of text.split("<br>")) {
    lines.push("");
    for (const word of whole.split(" ")) {
      const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
      if (lines.at(-1) && measure(longer.replace(/<[^>]*>/g, "")) > width) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
  }
  return lines;
}

// The layout with the lines of its title and subtitle broken, and the room above the plot that they need.
// measure: (text, size of the letters) => pixels.
export function headed(layout, width, measure) {
  const { title, margin } = layout;
  if (!title?.text) return layout;
  const size = layout.template?.layout?.title?.font?.size ?? 17;
  const below = title.subtitle;
  const first = broken(title.text, width, (text) => measure(text, size));
  const second = below ? broken(below.text, width, (text) => measure(text, below.font.size)) : [""];
  const more = SPACING * (size * (first.length - 1) + (below ? below.font.size * (second.length - 1) : 0));
  return {
    ...layout,
    title: { ...title, text: first.join("<br>"), ...(below && { subtitle: { ...below, text: second.join("<br>") } }) },
    margin: { ...margin, t: margin.t + Math.ceil(more) },
  };
}
