// Elements, and texts for people. Texts become text nodes only: contents are hostile, so nothing here takes markup.

import { contentOf } from "./exact.js";

/** A drawing is stretched to its place, so it has neither text nor circles: words stand beside it, and dots are strokes. */
const svgNames = new Set(["svg", "g", "path", "rect", "line", "title", "polyline"]);

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

/**
 * Puts newer content in place of the children of an element, and keeps what a person did to them: the focus, typed texts, and what
 * was opened. The focus on an element that has no successor goes to the nearest element around it that can have it.
 */
export function renew(root, children) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const typed = [...root.querySelectorAll("input[id]")].filter((input) => input.value !== input.defaultValue);
  const places = [focused, ...root.querySelectorAll("details[open]")].map((element) => element && placeIn(root, element));
  root.replaceChildren(...children);
  for (const { id, value } of typed) {
    const input = root.querySelector(`#${id}`);
    if (input) input.value = value;
  }
  const [renewed, ...opened] = places.map((place) => place && elementAt(root, place));
  for (const element of opened) if (element) element.open = true;
  if (focused && focused !== document.activeElement) (renewed ?? root.closest("[tabindex]")).focus({ preventScroll: true });
}

/** Puts elements in place of one with the button that asked for them; the focus of the button goes to the first. */
export function unfold(place, elements) {
  const hasFocus = place.contains(document.activeElement);
  place.replaceWith(...elements);
  if (!hasFocus) return;
  elements[0].tabIndex = -1;
  elements[0].focus();
}

/** What an element is known by: its id, its address or label, else the way to it. */
const nameOf = (element) => element.id || element.getAttribute("href") || element.getAttribute("aria-label");

function placeIn(root, element) {
  const way = [];
  for (let node = element; node !== root; node = node.parentNode) way.unshift([...node.parentNode.children].indexOf(node));
  return { tag: element.tagName, name: nameOf(element), way };
}

function elementAt(root, { tag, name, way }) {
  if (name) return [...root.querySelectorAll(tag)].find((element) => nameOf(element) === name);
  const found = way.reduce((element, index) => element?.children[index], root);
  return found?.tagName === tag ? found : null;
}

const longestText = 2000;

/** A text of unknown origin: its direction is its own, and only its beginning is shown if it is very long. */
export function foreign(text, limit = longestText) {
  return h("bdi", { class: "foreign" }, visible(beginning(text, limit)));
}

/** The beginning of a text; an ellipsis says that it goes on. */
export const beginning = (text, limit) => (text.length > limit ? `${text.slice(0, wholeUpTo(text, limit))}…` : text);

/** The letters of these scripts join, so their words cannot be cut into two boxes. */
const joiningScripts = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}]/u;
let characters;

/** A text in one line. If it has no room, its middle is left out: long names often differ at their ends. */
export function short(text) {
  const ends = text.length > 160 ? beginning(text, 90) + text.slice(-60).replace(/^[\udc00-\udfff]/, "") : text;
  const line = visible(ends).replace(/\s+/g, " ");
  let start = line.length;
  if (start > 15 && Intl.Segmenter && !joiningScripts.test(line)) {
    // Part of a character may begin the text that is looked at.
    for (const { segment } of [...(characters ??= new Intl.Segmenter()).segment(line.slice(-60))].slice(1).reverse()) {
      start -= segment.length;
      if (line.length - start >= (/[^\u0000-\u2e7f]/.test(segment) ? 5 : 8)) break;
    }
  }
  return h("bdi", { class: "short" }, [line.slice(0, start), line.slice(start)].map((part) => h("span", {}, part)));
}

/** An index, or the one before it if a character of two units goes over it. */
const wholeUpTo = (text, index) => (text.codePointAt(index - 1) > 0xffff ? index - 1 : index);

/** Control characters, which have symbols of their own. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Characters that show nothing, or change the direction of what follows. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u0080-\u009f\u2800]/gu;
/**
 * Unseen characters that change how their neighbours look: joiners and variants of emoji, the tags of flags, and the
 * joiners of scripts in which letters join.
 */
const joining = new RegExp([
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
  "(?<=\\p{Emoji})(?<![0-9#*])[\\ufe0e\\ufe0f]", "(?<=[0-9#*])\\ufe0f(?=\\u20e3)", "(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]*)[\\u{e0020}-\\u{e007f}]",
  "(?<=[\\p{L}\\p{M}])(?<![\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}\\p{Script=Hangul}])[\\u200c\\u200d](?=[\\p{L}\\p{M}])",
].join("|"), "gu");

/** Shows characters that cannot be seen as symbols, or by their numbers: `‹U+200B›`. */
export function visible(text) {
  if (!/[^\u0020-\u007e]/.test(text)) return text;
  const kept = new Set(Array.from(text.matchAll(joining), ({ index }) => index));
  return text.replace(controls, (mark) => String.fromCharCode(0x2400 + Math.min(mark.charCodeAt(0), 0x21)))
    .replace(unseen, (mark, index) => kept.has(index) ? mark : `‹U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
}

const numbers = new Intl.NumberFormat("en");
export const number = (value) => numbers.format(value);
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

// In UTC, as dates in addresses and in `listsync`: a version that is shown with a date is found by it.
const dayParts = { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" };
const moments = new Intl.DateTimeFormat("en", { ...dayParts, hour: "numeric", minute: "2-digit", timeZoneName: "short" });
const days = new Intl.DateTimeFormat("en", dayParts);
export const day = (text) => days.format(new Date(text));
export const time = (text) => h("time", { datetime: text, title: text }, moments.format(new Date(text)));

/** The counts of a change as words: `1 removed, 2 moved`. */
export const kinds = ["removed", "moved", "inserted", "updated"];
export const summary = (counts) =>
  kinds.filter((kind) => counts[kind]).map((kind) => `${number(counts[kind])} ${kind}`).join(", ") || "no change";

/** The counts of a step's changes. */
export const countsOf = (step) => Object.fromEntries(kinds.map((kind) => [kind, step[kind].length]));

/** The counts as coloured chips. */
export const chips = (counts) =>
  h("span", { class: "chips" }, kinds.filter((kind) => counts[kind]).map((kind) =>
    h("span", { class: `chip ${kind}`, title: `${number(counts[kind])} ${kind}` }, `${signs[kind]} ${number(counts[kind])}`,
      h("span", { class: "unseen" }, ` ${kind}`))));

export const signs = { removed: "−", moved: "↕", inserted: "+", updated: "~" };

const titleNames = ["title", "name", "Title", "Name", "label", "fullName", "FullName"];

/** What an item is called: its title member if the list has one, else what looks like one, else its id. */
export function titleOf(item, pointer) {
  const content = contentOf(item);
  const values = pointer ? [content.at(pointer)].filter((value) => value?.isNumber || value?.string)
    : titleNames.map((name) => content.members?.get(name)).filter((value) => value?.string);
  return values.map((value) => written(value)).find((text) => text.trim()) ?? readableID(item.id);
}

/** The parts of a compound id are joined by U+001F. */
export const readableID = (id) => id.replaceAll("\u001f", " · ");

/**
 * A value as text in one line: of strings what they say, of arrays their elements, of objects their members, of others
 * their canonical text. Ends soon after `limit` characters.
 */
export function written(value, limit = longestText) {
  const parts = value.elements ?? value.members;
  if (!parts) return value.string ?? value.text;
  let text = "";
  for (const part of parts) {
    const [name, inner] = Array.isArray(part) ? part : [null, part];
    const piece = inner.hasParts ? `(${written(inner, limit)})` : written(inner);
    text += (text && ", ") + (name === null ? piece : `${name} ${piece}`);
    if (text.length > limit) break;
  }
  return text || value.text;
}

const commons = new WeakMap();

/** The members that have one text in all items, as a map. Of a long list, 200 items are looked at. */
export function commonOf(items) {
  if (commons.has(items)) return commons.get(items);
  const step = Math.max(1, Math.floor(items.length / 200));
  let common = null;
  for (let index = 0; index < items.length && common?.size !== 0; index += step) {
    const members = contentOf(items.at(index)).members ?? new Map();
    common = new Map([...common ?? members].filter(([name, value]) => members.get(name)?.text === value.text));
  }
  // One item has nothing in common with others.
  if (items.length < 2) common = null;
  commons.set(items, common ??= new Map());
  return common;
}

/** An item's other members in a line, without those that all items of its list have alike. */
export function details(item, title, common) {
  const parts = [];
  for (const [name, value] of contentOf(item).members ?? []) {
    if (value.isEmpty || common.get(name)?.text === value.text) continue;
    const text = written(value, 80);
    if (text === title || text === item.id) continue;
    parts.push(`${name} ${beginning(text, 80)}`);
    if (parts.length === 4) break;
  }
  return beginning(parts.join("  ·  "), 240);
}

const mostListed = 20;
const deepestList = 6;
/** How many parts of one value may be elements. */
const room = () => ({ left: 1000 });

/** A value as elements: arrays as lists, objects as their members, others as text; what is too deep or too much as text, too. */
export function shown(value, space = room(), depth = 0) {
  const parts = depth < deepestList && space.left > 0 ? [...value.elements ?? value.members ?? []] : [];
  if (!parts.length) return foreign(written(value));
  space.left -= Math.min(parts.length, mostListed);
  const entry = (part, space) => value.isObject ? h("li", {}, foreign(part[0], 120), ": ", shown(part[1], space, depth + 1)) : h("li", {}, shown(part, space, depth + 1));
  return listed(parts.map((part) => (space) => entry(part, space)), space);
}

/** A list of the elements that functions make; behind the first ones, the others when they are asked for. */
function listed(makers, space = room()) {
  const makeMore = () => {
    const space = room();
    unfold(more.parentNode, makers.slice(mostListed).map((make) => make(space)));
  };
  const more = makers.length > mostListed && h("button", { type: "button", class: "quiet", onclick: makeMore }, `${number(makers.length - mostListed)} more`);
  return h("ul", { class: "listed" }, makers.slice(0, mostListed).map((make) => make(space)), more && h("li", {}, more));
}

/** The members that differ between two contents: objects member by member, arrays as a whole. */
export function memberChanges(before, after, path = "") {
  if (!before.isObject || !after.isObject) return before.text === after.text ? [] : [{ path, old: before, new: after }];
  const names = [...new Set([...before.members.keys(), ...after.members.keys()])].sort();
  return names.flatMap((name) => {
    const place = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const [old, value] = [before.members.get(name), after.members.get(name)];
    return old && value ? memberChanges(old, value, place) : [{ path: place, old, new: value }];
  });
}

const longestPart = 400;

/** The elements of two arrays, as lists in which those that differ are marked, and equal ones are counted where they are many. */
function arrayCells(arrays) {
  const texts = arrays.map((array) => array.map(({ text }) => text));
  const counted = texts.map((all) => all.reduce((counts, text) => counts.set(text, (counts.get(text) ?? 0) + 1), new Map()));
  const hasSame = texts.flat().every((text) => counted[0].get(text) === counted[1].get(text));
  return arrays.map((array, side) => {
    const left = new Map(counted[1 - side]);
    const isSame = array.map(({ text }, index) => {
      // Where only the order differs, it is what is shown.
      if (hasSame) return texts[1 - side][index] === text;
      left.set(text, (left.get(text) ?? 0) - 1);
      return left.get(text) >= 0;
    });
    const same = isSame.filter(Boolean).length;
    const isCounted = same > 5;
    const kept = array.flatMap((value, index) => isSame[index] ? (isCounted ? [] : [(space) => h("li", {}, shown(value, space, 1))])
      : [(space) => h("li", {}, h(["del", "ins"][side], {}, shown(value, space, 1)))]);
    return h("td", {}, array.length ? listed(kept) : foreign("[]"), isCounted && h("p", { class: "hint" }, `${number(same)} the same`));
  });
}

/** A member before and after; long texts are cut around their first difference, which is marked. */
export function memberRow({ path, old, new: value }) {
  const name = h("th", { scope: "row" }, foreign(path || "(all)", 120));
  if (old?.elements && value?.elements) return h("tr", {}, name, arrayCells([old.elements, value.elements]));
  if (old?.hasParts || value?.hasParts) {
    return h("tr", {}, name, [old, value].map((one) => (one ? h("td", {}, shown(one)) : h("td", { class: "absent" }, "none"))));
  }
  // A string may say what another value is: "5" and 5.
  const isAlike = old && value && written(old) === written(value);
  const texts = [old, value].map((value) => (value === undefined ? null : isAlike ? value.text : written(value)));
  const [before, after] = texts.map((text) => text ?? "");
  // Strings have parts that differ. Other values are shown as a whole, unless they are too long for it.
  const isText = [old, value].every((one) => one?.string !== undefined) || Math.min(before.length, after.length) > longestPart;
  let start = 0;
  while (isText && start < before.length && before[start] === after[start]) start++;
  let end = 0;
  const most = isText ? Math.min(before.length, after.length) - start : 0;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  // Half a character cannot be shown.
  start = wholeUpTo(before, start) < start || wholeUpTo(after, start) < start ? start - 1 : start;
  while ([before, after].some((text) => end && wholeUpTo(text, text.length - end) < text.length - end)) end--;
  const cell = (text, kind) => {
    if (text === null) return h("td", { class: "absent" }, "none");
    const [from, to] = [Math.max(0, start - 40), Math.min(text.length, text.length - end + 40)].map((index) => wholeUpTo(text, index));
    const middle = text.slice(start, text.length - end);
    const mark = (part) => h(kind, {}, visible(beginning(part, longestPart)));
    return h("td", {}, h("bdi", { class: "foreign" }, from > 0 && "…", visible(text.slice(from, start)),
      middle && mark(middle),
      visible(text.slice(text.length - end, to)), to < text.length && "…"));
  };
  return h("tr", {}, name, cell(texts[0], "del"), cell(texts[1], "ins"));
}

const mostRows = 60;

/** The changed members as a table; behind the first ones, the others when they are asked for. */
export function memberTable(changes) {
  const more = changes.length > mostRows && h("button", { type: "button", class: "quiet", onclick: () =>
    unfold(more.closest("tr"), changes.slice(mostRows).map(memberRow)) }, `${number(changes.length - mostRows)} more`);
  return h("table", { class: "members" },
    h("thead", { class: "unseen" }, h("tr", {}, ["Member", "Before", "After"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, changes.slice(0, mostRows).map(memberRow), more && h("tr", {}, h("td", { colspan: 3 }, more))));
}

/** The message of a version, and the version that one side of a merge began with: the last lines of its message say so, and which items got other ids. */
export function messageOf({ message }) {
  const merge = /^(.*?)\n\nMerge-Base: ([0-9]+)-[0-9a-f]{32}\nMerge-Changes: [0-9a-f]{32}$/s.exec(message ?? "");
  const text = merge ? merge[1] : message;
  return { text: text?.replace(/\n(\nSame-Item: \[".*"\])+$/, ""), base: merge ? Number(merge[2]) : null };
}
