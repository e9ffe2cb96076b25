// Elements, and texts for people. Texts become text nodes only: contents are hostile, so nothing here takes markup.

const svgNames = new Set(["svg", "g", "path", "rect", "line", "text", "circle", "title", "polyline"]);

/**
 * An element with properties and children. Properties that begin with `on` are listeners; others are attributes, and
 * absent if they are null or false. Children are elements, texts, or arrays of them.
 */
export function h(name, properties = {}, ...children) {
  const isDrawing = svgNames.has(name);
  const element = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const longestText = 2000;

/** A text of unknown origin: its direction is its own, and only its beginning is shown if it is very long. */
export function foreign(text, limit = longestText) {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return h("bdi", { class: "foreign" }, visible(shown));
}

/** Shows control characters and marks that change the direction of what follows as symbols. */
export function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (mark) => String.fromCharCode(0x2400 + Math.min(mark.charCodeAt(0), 0x21)))
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, "\u2423");
}

const numbers = new Intl.NumberFormat("en");
export const number = (value) => numbers.format(value);
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
export const day = (text) => days.format(new Date(text));
export const time = (text) => h("time", { datetime: text, title: text }, moments.format(new Date(text)));

/** The counts of a change as words: `1 removed, 2 moved`. */
export const kinds = ["removed", "moved", "inserted", "updated"];
export const summary = (counts) =>
  kinds.filter((kind) => counts[kind]).map((kind) => `${number(counts[kind])} ${kind}`).join(", ") || "no change";

/** The counts as coloured chips. */
export const chips = (counts) =>
  h("span", { class: "chips" }, kinds.filter((kind) => counts[kind]).map((kind) =>
    h("span", { class: `chip ${kind}`, title: `${number(counts[kind])} ${kind}` }, `${signs[kind]} ${number(counts[kind])}`,
      h("span", { class: "unseen" }, ` ${kind}`))));

export const signs = { removed: "−", moved: "↕", inserted: "+", updated: "~" };

/** The value at a JSON Pointer, or undefined. */
export function valueAt(content, pointer) {
  return pointer.split("/").slice(1).reduce((value, token) => {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    return value !== null && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : undefined;
  }, content);
}

const titleNames = ["title", "name", "Title", "Name", "label", "fullName", "FullName"];

/** What an item is called: its title member if the list has one, else what looks like one, else its id. */
export function titleOf(item, pointer) {
  const { content } = item;
  if (pointer) {
    const value = valueAt(content, pointer);
    if (typeof value === "string" || typeof value === "number") return String(value);
  } else if (content !== null && typeof content === "object") {
    const name = titleNames.find((name) => typeof content[name] === "string" && content[name]);
    if (name) return content[name];
  }
  return readableID(item.id);
}

/** The parts of a compound id are joined by U+001F. */
export const readableID = (id) => id.replaceAll("\u001f", " · ");

/** A value as text in one line. */
export const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** An item's other members in a line. */
export function details(item, title) {
  const { content } = item;
  if (content === null || typeof content !== "object" || Array.isArray(content)) return "";
  const parts = [];
  for (const [name, value] of Object.entries(content)) {
    if (value === title || value === item.id || value === null || value === "") continue;
    parts.push(`${name} ${written(value).slice(0, 80)}`);
    if (parts.length === 4) break;
  }
  return parts.join("  ·  ").slice(0, 240);
}

/** The members that differ between two contents: objects member by member, arrays as a whole. */
export function memberChanges(before, after, path = "") {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, old: before, new: after }];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const place = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const value = Object.hasOwn(after, name) ? after[name] : undefined;
    if (old === undefined || value === undefined) return old === value ? [] : [{ path: place, old, new: value }];
    return memberChanges(old, value, place);
  });
}

/** A member before and after; long texts are cut around their first difference, which is marked. */
export function memberRow({ path, old, new: value }) {
  const texts = [old, value].map((value) => (value === undefined ? null : written(value)));
  const [before, after] = texts.map((text) => text ?? "");
  // Only texts have parts that differ.
  const isText = [old, value].every((one) => typeof one === "string");
  let start = 0;
  while (isText && start < before.length && before[start] === after[start]) start++;
  let end = 0;
  const most = isText ? Math.min(before.length, after.length) - start : 0;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  const cell = (text, kind) => {
    if (text === null) return h("td", { class: "absent" }, "none");
    const [from, to] = [Math.max(0, start - 40), Math.min(text.length, text.length - end + 40)];
    const middle = text.slice(start, text.length - end);
    const mark = (part) => h(kind, {}, visible(part.length > 400 ? `${part.slice(0, 400)}…` : part));
    return h("td", {}, h("bdi", { class: "foreign" }, from > 0 && "…", visible(text.slice(from, start)),
      middle && mark(middle),
      visible(text.slice(text.length - end, to)), to < text.length && "…"));
  };
  return h("tr", {}, h("th", { scope: "row" }, foreign(path || "(all)", 120)), cell(texts[0], "del"), cell(texts[1], "ins"));
}

export function memberTable(changes) {
  return h("table", { class: "members" },
    h("thead", {}, h("tr", {}, ["Member", "Before", "After"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, changes.slice(0, 60).map(memberRow)));
}
