// What differs between runs at one moment, in a sentence:
//   "ASKL 97.9 %, SK 81.2 % after the same 10 epochs; ν 0.44 against 0; rank of W 9 against 10".
//
// sides: of each run { compared: [[label, text], …], epoch, seconds, unit }, or null before it has begun. The first
// of what is compared is the result and has no label.

export function difference(sides, names, equal = "epochs") {
  const there = sides.map((side, i) => side && { ...side, name: names[i] }).filter((side) => side?.compared?.length);
  if (there.length < 2) return "";
  const result = (side) => `${side.name}${/[ =\d]/.test(side.name) ? ":" : ""} ${side.compared[0][1]}`;
  const [first] = there;
  const short = (value) => String(+value.toFixed(2));
  const many = (count, unit) => `${count} ${unit}${count === "1" ? "" : "s"}`;
  const time = (side) => (equal === "seconds" ? `${short(side.seconds)} s` : many(short(side.epoch), side.unit));
  const same = equal === "seconds" || there.every((side) => time(side) === time(first));
  const words = [same ? `${there.map(result).join(", ")} after the same ${time(first)}`
    : there.map((side) => `${result(side)} after ${time(side)}`).join(", ")];
  for (const [label] of first.compared.slice(1)) {
    const texts = there.map((side) => side.compared.find(([name]) => name === label)?.[1]);
    if (texts.every((text) => text !== undefined) && new Set(texts).size > 1) words.push(`${label} ${texts.join(" against ")}`);
  }
  return words.join("; ");
}
