// A list of scenes: addresses of pages that one goes through one after the other, all of them in one address.
//
//   train?dataset=moons&scenes=train%3Fdataset%3Dmoons%7Cbounds%3Frun%3DR&place=2&present=1
//
// "scenes" has the addresses with a bar between them, "place" the place in the list from 1 on, and "present" the look
// for a lecture. These three are the browser's: no page's script needs them, and changing them runs none.

export const MOST = 40; // scenes in a list
export const LONGEST = 6000; // characters of a list
export const OURS = ["present", "scenes", "place"];

const BAR = "|"; // within the query of an address it is %7C

// The address of a page without what is ours: "train?dataset=moons".
export function plain(page, search) {
  const query = new URLSearchParams(search);
  for (const name of OURS) query.delete(name);
  const text = query.toString();
  return text ? `${page}?${text}` : page;
}

// What a text says: the scenes whose pages exist, and a sentence on what was left out or cut; pages: their names.
export function parse(text, pages) {
  const trouble = [];
  if (text.length > LONGEST) {
    text = text.slice(0, text.lastIndexOf(BAR, LONGEST) + 1);
    trouble.push(`A list of scenes must not be longer than ${LONGEST} characters: its end was left out.`);
  }
  const scenes = [], strange = [];
  for (const each of text.split(BAR).filter(Boolean)) {
    const [, page, search] = /^([^?]*)\??([^#]*)$/.exec(each) ?? [];
    if (pages.includes(page)) scenes.push(plain(page, search));
    else strange.push(each.slice(0, 40));
  }
  if (strange.length) trouble.push(`Every scene must be a page of kernlab such as train?dataset=moons. Left out: ${strange.slice(0, 3).join(", ")}${strange.length > 3 ? ", …" : ""}.`);
  if (scenes.length > MOST) trouble.push(`A list must not have more than ${MOST} scenes: the others were left out.`);
  return { scenes: scenes.slice(0, MOST), trouble: trouble.join(" ") };
}

export const write = (scenes) => scenes.join(BAR);

// What of an address is ours: { present, scenes, place, trouble }; place from 0 on.
export function read(search, pages) {
  const query = new URLSearchParams(search);
  const { scenes, trouble } = parse(query.get("scenes") ?? "", pages);
  const place = Math.min(Math.max(Math.trunc(Number(query.get("place"))) || 1, 1), Math.max(scenes.length, 1)) - 1;
  return { present: query.get("present") === "1", scenes, place, trouble };
}

// A query with ours put at its end: "?dataset=moons&present=1".
export function joined(search, { present, scenes, place }) {
  const query = new URLSearchParams(search);
  for (const name of OURS) query.delete(name);
  if (present) query.set("present", "1");
  if (scenes.length) {
    query.set("scenes", write(scenes));
    if (place) query.set("place", String(place + 1));
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}

// The address of a scene of a list, below that of the app.
export function link(state, first = "home") {
  const [page, search = ""] = (state.scenes[state.place] ?? "").split(/\?(.*)/s);
  return (page === first ? "" : page) + joined(search, state);
}
