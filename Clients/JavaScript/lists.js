// The first part of the client for ListSync: strict JSON with exact numbers, lists, and changes to them.
//
// Nothing here reads, waits or knows of a server. It is meant to be read as a reference, from top to bottom.
// `roots.js` continues with the root of a list and the chain of its versions, and `listsync.js` with documents, HTTP, the
// replica, bundles and storage.

/** Thrown for everything that is refused. `kind` is for programs, the message for people. */
export class ListSyncError extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    Object.assign(this, { name: "ListSyncError", kind }, more);
  }
}

export const malformed = (what) => new ListSyncError("malformed", what);
export const mismatch = (what) => new ListSyncError("mismatch", what);
export const isText = (value) => typeof value === "string";
export const isIndex = (value) => Number.isSafeInteger(value) && value >= 0;
export const isListName = (value) => isText(value) && /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(value);

// --- JSON ------------------------------------------------------------------------------------------------------------
// `JSON.parse` rounds numbers, takes the last of two equal members, and keeps halves of surrogate pairs. So texts are
// read here, by the rules of the protocol (P1), and values are written here.

const depthLimit = 512;
export const Code = { quote: 0x22, comma: 0x2c, colon: 0x3a, open: 0x5b, backslash: 0x5c, close: 0x5d, begin: 0x7b, end: 0x7d };
const literals = { 0x74: "true", 0x66: "false", 0x6e: "null" };
const isDigit = (code) => code >= 0x30 && code <= 0x39;
const isHigh = (code) => code >= 0xd800 && code < 0xdc00;
const isLow = (code) => code >= 0xdc00 && code < 0xe000;

/** A number that JavaScript's own would round: it holds the digits, and is never changed. */
export class ExactNumber {
  /** @param text a JSON number, such as `12345678901234567890.1` or `1e400`. */
  constructor(text) {
    const match = numberForm.exec((numberForm.lastIndex = 0, String(text)));
    if (match?.[0].length !== String(text).length) throw malformed(`'${String(text).slice(0, 40)}' is not a JSON number`);
    /** The canonical text. */
    this.digits = canonicalNumber(match[0]);
    Object.freeze(this);
  }

  toString() {
    return this.digits;
  }

  /** The nearest number of JavaScript, for calculations. */
  valueOf() {
    return Number(this.digits);
  }

  /** For `JSON.stringify`: all digits, where the platform can write them. Elsewhere it throws rather than rounding. */
  toJSON() {
    if (JSON.rawJSON) return JSON.rawJSON(this.digits);
    throw malformed(`JSON.stringify would round ${this.digits.slice(0, 40)}: use writeJSON of this module`);
  }
}

/** Reads JSON text strictly, and finds where values begin and end. */
export class Scanner {
  /** Whether the string that was read last has an escape. */
  #hasEscape = false;

  constructor(text) {
    this.text = text;
    this.index = 0;
  }

  /** The code of the next character behind white space; NaN at the end. */
  peek() {
    let code = this.text.charCodeAt(this.index);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = this.text.charCodeAt(++this.index);
    return code;
  }

  expect(code) {
    if (this.peek() !== code) throw malformed(`'${String.fromCharCode(code)}' is missing at character ${this.index}`);
    this.index++;
  }

  skips(code) {
    if (this.peek() !== code) return false;
    this.index++;
    return true;
  }

  expectEnd() {
    if (this.peek() === this.peek()) throw malformed(`text follows the value at character ${this.index}`);
  }

  /** Calls `visit` before each element of an array or, with its name, before each value of an object. */
  each(open, visit) {
    this.expect(open);
    const [close, named] = [open + 2, open === Code.begin];
    if (this.skips(close)) return;
    do {
      let name;
      if (named) {
        name = this.string();
        this.expect(Code.colon);
      }
      visit(name);
    } while (this.skips(Code.comma));
    this.expect(close);
  }

  string() {
    if (this.peek() !== Code.quote) throw malformed(`a string is missing at character ${this.index}`);
    const start = this.index;
    this.#hasEscape = false;
    if (this.#skipsCanonicalString()) {
      return this.#hasEscape ? JSON.parse(this.text.slice(start, this.index)) : this.text.slice(start + 1, this.index - 1);
    }
    // Perhaps it has needless escapes.
    let end = start + 1;
    for (let code; (code = this.text.charCodeAt(end)) !== Code.quote; end += code === Code.backslash ? 2 : 1) {
      if (code !== code) throw malformed(`the string at character ${start} is cut off`);
    }
    const value = parsedString(this.text.slice(start, (this.index = end + 1)));
    if (/\p{Surrogate}/u.test(value)) throw malformed(`the string at character ${start} has half of a surrogate pair`);
    return value;
  }

  /** A number or a literal, as it is written. */
  scalar() {
    const literal = literals[this.peek()];
    if (literal && this.text.startsWith(literal, this.index)) {
      this.index += literal.length;
      return literal;
    }
    numberForm.lastIndex = this.index;
    const match = numberForm.exec(this.text);
    if (!match) throw malformed(`a value is missing at character ${this.index}`);
    this.index = numberForm.lastIndex;
    return match[0];
  }

  /**
   * The next value in canonical form: a part of the text if it has this form there, as everything that ListSync writes.
   *
   * @param depth how many arrays and objects of this value's surroundings count as its own.
   */
  canonical(depth = 0) {
    this.peek();
    const start = this.index;
    if (this.#skipsCanonical(depth)) return this.text.slice(start, this.index);
    this.index = start;
    return this.#rewritten(depth);
  }

  #rewritten(depth) {
    const first = this.peek();
    if (first === Code.quote) return JSON.stringify(this.string());
    if (first !== Code.begin && first !== Code.open) {
      const text = this.scalar();
      return literals[first] ? text : canonicalNumber(text);
    }
    if (depth === depthLimit) throw malformed(`nested deeper than ${depthLimit}`);
    const parts = [];
    const isArray = first === Code.open;
    this.each(first, (name) => {
      const text = this.#rewritten(depth + 1);
      parts.push(isArray ? text : [name, text]);
    });
    return isArray ? `[${parts}]` : canonicalObject(parts);
  }

  // These leave the index behind a value that is sound and in canonical form, and return true; else they return false.

  #skipsCanonical(depth) {
    const code = this.text.charCodeAt(this.index);
    if (code === Code.quote) return this.#skipsCanonicalString();
    if (code === Code.begin) return depth < depthLimit && this.#skipsCanonicalObject(depth + 1);
    if (code === Code.open) return depth < depthLimit && this.#skipsCanonicalArray(depth + 1);
    const literal = literals[code];
    if (!literal) return this.#skipsCanonicalNumber();
    if (!this.text.startsWith(literal, this.index)) return false;
    this.index += literal.length;
    return true;
  }

  #skipsCanonicalArray(depth) {
    const { text } = this;
    if (text.charCodeAt(++this.index) === Code.close) return ++this.index > 0;
    for (;;) {
      if (!this.#skipsCanonical(depth)) return false;
      const code = text.charCodeAt(this.index++);
      if (code !== Code.comma) return code === Code.close;
    }
  }

  #skipsCanonicalObject(depth) {
    const { text } = this;
    if (text.charCodeAt(++this.index) === Code.end) return ++this.index > 0;
    for (let last = null; ; ) {
      if (text.charCodeAt(this.index) !== Code.quote) return false;
      const start = this.index + 1;
      if (!this.#skipsCanonicalString()) return false;
      let name = text.slice(start, this.index - 1);
      if (name.includes("\\")) name = JSON.parse(`"${name}"`);
      // Names ascend, so that none is there twice.
      if (last !== null && !(compareBytes(last, name) < 0)) return false;
      last = name;
      if (text.charCodeAt(this.index++) !== Code.colon || !this.#skipsCanonical(depth)) return false;
      const code = text.charCodeAt(this.index++);
      if (code !== Code.comma) return code === Code.end;
    }
  }

  #skipsCanonicalString() {
    const { text } = this;
    for (let index = this.index + 1; ; index++) {
      const code = text.charCodeAt(index);
      if (code === Code.quote) return (this.index = index + 1) > 0;
      if (!(code >= 0x20)) return false;
      if (code === Code.backslash) {
        shortestEscape.lastIndex = index;
        if (!shortestEscape.test(text)) return false;
        this.#hasEscape = true;
        index = shortestEscape.lastIndex - 1;
      } else if (code >= 0xd800 && code < 0xe000) {
        if (!isHigh(code) || !isLow(text.charCodeAt(++index))) return false;
      }
    }
  }

  #skipsCanonicalNumber() {
    const { text } = this;
    const start = this.index;
    let index = text.charCodeAt(start) === 0x2d ? start + 1 : start;
    const first = text.charCodeAt(index);
    const digits = index;
    while (isDigit(text.charCodeAt(index))) index++;
    const next = text.charCodeAt(index);
    // Most numbers are small and whole.
    if (first !== 0x30 && index > digits && index - digits <= 15 && next !== 0x2e && next !== 0x65 && next !== 0x45) {
      return (this.index = index) > 0;
    }
    numberForm.lastIndex = start;
    const [number] = numberForm.exec(text) ?? [];
    this.index = numberForm.lastIndex;
    return number !== undefined && canonicalNumber(number) === number;
  }

  /** The next value as one of JavaScript: numbers that JavaScript's would round are instances of `ExactNumber`. */
  value(depth = 0) {
    const first = this.peek();
    if (first === Code.quote) return this.string();
    if (first !== Code.begin && first !== Code.open) {
      const text = this.scalar();
      return literals[first] ? JSON.parse(text) : exactValue(text);
    }
    if (depth === depthLimit) throw malformed(`nested deeper than ${depthLimit}`);
    const isArray = first === Code.open;
    const result = isArray ? [] : {};
    this.each(first, (name) => {
      if (!isArray && Object.hasOwn(result, name)) throw malformed(`the member ${JSON.stringify(name)} occurs twice`);
      // An assignment to `__proto__` would set the prototype.
      const value = this.value(depth + 1);
      Object.defineProperty(result, isArray ? result.length : name, { value, writable: true, enumerable: true, configurable: true });
    });
    return result;
  }
}

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const shortestEscape = /\\(?:["\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))/y;

function parsedString(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`not JSON: ${error.message}`);
  }
}

/** A text without a byte order mark. */
export const withoutMark = (text) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/**
 * The canonical form of one JSON value: members sorted by the bytes of their names, no white space, the shortest
 * escapes, and numbers by their exact decimal value. Two contents are equal if and only if these texts are.
 */
export function canonical(source) {
  const scanner = new Scanner(withoutMark(source));
  const text = scanner.canonical();
  scanner.expectEnd();
  return text;
}

/** Every number with fewer digits and without an exponent is the same when it was a double. */
const mayRound = /[\d.]{16}|\d[eE]/;

/** The value of a JSON text, refused where the protocol refuses it. No number is rounded: see `ExactNumber`. */
export function readJSON(source) {
  const text = canonical(source);
  return mayRound.test(text) ? new Scanner(text).value() : JSON.parse(text);
}

/**
 * The canonical JSON text of a value, which may have numbers of each kind, also `BigInt` and `ExactNumber`. It is that
 * of `JSON.stringify` otherwise; what that would lose or change is refused: `NaN`, halves of surrogate pairs, holes.
 */
export function writeJSON(value) {
  return jsonText(value, "", 0);
}

function jsonText(source, key, depth) {
  let value = source;
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value?.toJSON === "function") value = value.toJSON(key);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) value = value.valueOf();
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return canonicalNumber(String(value));
  if (typeof value === "bigint") return canonicalNumber(String(value));
  if (isText(value)) {
    if (/\p{Surrogate}/u.test(value)) throw malformed("a string has half of a surrogate pair");
    return JSON.stringify(value);
  }
  if (JSON.isRawJSON?.(value)) return canonical(value.rawJSON);
  if (typeof value !== "object") throw malformed(`${String(value)}${key === "" ? "" : ` (member ${key})`} is no JSON`);
  if (depth === depthLimit) throw malformed(`nested deeper than ${depthLimit}`);
  if (Array.isArray(value)) return `[${Array.from(value, (element, index) => jsonText(element, String(index), depth + 1))}]`;
  const isPresent = (name) => !["undefined", "function", "symbol"].includes(typeof value[name]);
  return canonicalObject(Object.keys(value).filter(isPresent).map((name) => [name, jsonText(value[name], name, depth + 1)]));
}

/** An object of pairs of a name and a text. */
function canonicalObject(members) {
  members.sort((a, b) => compareBytes(a[0], b[0]));
  members.forEach(([name], i) => {
    if (i > 0 && members[i - 1][0] === name) throw malformed(`the member ${JSON.stringify(name)} occurs twice`);
  });
  return `{${members.map(([name, text]) => `${writeJSON(name)}:${text}`)}}`;
}

/** Numbers as in RFC 8785, but with all digits. */
function canonicalNumber(text) {
  const [, sign, whole, fraction = "", exponentSign = "", exponent = ""] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)0*(\d*))?$/.exec(text);
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = withoutEndingZeros(digits);
  if (exponent.length > 15) throw malformed(`the exponent of ${text.slice(0, 40)} is too large`);
  if (!significant) return "0";
  // The value is 0.significant × 10^point.
  const point = digits.length - fraction.length + Number(`${exponentSign}${exponent || 0}`);
  if (Math.abs(point - 1) > 999_999_999_999_999) throw malformed(`the exponent of ${text.slice(0, 40)} is too large`);
  const count = significant.length;
  if (count <= point && point <= 21) return sign + significant + "0".repeat(point - count);
  if (0 < point && point <= 21) return `${sign}${significant.slice(0, point)}.${significant.slice(point)}`;
  if (-5 <= point && point <= 0) return `${sign}0.${"0".repeat(-point)}${significant}`;
  const rest = count > 1 ? `.${significant.slice(1)}` : "";
  return `${sign}${significant[0]}${rest}e${point > 0 ? "+" : ""}${point - 1}`;
}

/** A regular expression for zeros at the end would try again at each zero: quadratic in a number of zeros and a one. */
function withoutEndingZeros(digits) {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

/** A number of JavaScript if it has the same canonical form. */
function exactValue(text) {
  const number = Number(text);
  const form = canonicalNumber(text);
  return Number.isFinite(number) && canonicalNumber(String(number)) === form ? number : new ExactNumber(form);
}

/** Orders texts as their UTF-8 bytes: like UTF-16 units, except that surrogates come last. */
function compareBytes(a, b) {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isPair = x >= 0xd800 && x < 0xe000;
    if (isPair === (y >= 0xd800 && y < 0xe000)) return x - y;
    return isPair ? 1 : -1;
  }
  return a.length - b.length;
}

// --- Lists -----------------------------------------------------------------------------------------------------------

/** An item: its id, and its content as canonical JSON (`text`) or as a value (`content`). */
export class Item {
  constructor(id, text) {
    this.id = id;
    this.text = text;
    this.value = undefined;
  }

  /** The content as a value, with every digit: `writeJSON` gives `text` again. */
  get content() {
    if (this.value === undefined) this.value = readJSON(this.text);
    return this.value;
  }
}

const chunkLength = 512;

/**
 * An immutable list of items in chunks. Two lists share the chunks in which they are equal, so that a list that
 * differs in d places is made in O(d + chunks).
 */
export class Items {
  #starts;

  constructor(chunks = [], starts = startsOf(chunks)) {
    this.chunks = chunks;
    this.#starts = starts;
    this.length = chunks.length ? starts.at(-1) + chunks.at(-1).length : 0;
  }

  static from(items) {
    return new ItemsBuilder().append(items).finish();
  }

  #chunkAt(index) {
    let [low, high] = [0, this.chunks.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low;
  }

  at(index) {
    if (!(index >= 0 && index < this.length)) return undefined;
    const chunk = this.#chunkAt(index);
    return this.chunks[chunk][index - this.#starts[chunk]];
  }

  /** The stretches of chunks from one index to another. */
  *pieces(from, to) {
    for (let chunk = this.#chunkAt(from); from < to; chunk++) {
      const [items, start] = [this.chunks[chunk], this.#starts[chunk]];
      const end = Math.min(to - start, items.length);
      yield from === start && end === items.length ? items : items.slice(from - start, end);
      from = start + end;
    }
  }

  slice(from = 0, to = this.length) {
    return [...this.pieces(Math.max(from, 0), Math.min(to, this.length))].flat();
  }

  /** The list with other items at some indexes. */
  with(changes) {
    const chunks = [...this.chunks];
    for (const [index, item] of changes) {
      const chunk = this.#chunkAt(index);
      if (chunks[chunk] === this.chunks[chunk]) chunks[chunk] = [...chunks[chunk]];
      chunks[chunk][index - this.#starts[chunk]] = item;
    }
    return new Items(chunks, this.#starts);
  }

  *[Symbol.iterator]() {
    for (const chunk of this.chunks) yield* chunk;
  }
}

/** The index of each chunk's first item. */
function startsOf(chunks) {
  const starts = [];
  let start = 0;
  for (const chunk of chunks) {
    starts.push(start);
    start += chunk.length;
  }
  return starts;
}

class ItemsBuilder {
  #chunks = [];
  #open = [];

  /** Appends items. A chunk of another list is shared; if a few items are before it, they become one chunk with it. */
  append(items) {
    const isChunk = items.length > chunkLength / 4 && items.length <= 2 * chunkLength;
    if (!isChunk) {
      for (const item of items) {
        if (this.#open.push(item) === chunkLength) this.#close();
      }
    } else if (this.#open.length > chunkLength / 4 || !this.#open.length) {
      this.#close();
      this.#chunks.push(items);
    } else {
      const joined = this.#open.concat(items);
      const cut = joined.length > 2 * chunkLength ? joined.length >> 1 : joined.length;
      this.#chunks.push(joined.slice(0, cut));
      this.#open = joined.slice(cut);
      this.#close();
    }
    return this;
  }

  #close() {
    if (this.#open.length) this.#chunks.push(this.#open);
    this.#open = [];
  }

  finish() {
    this.#close();
    return new Items(this.#chunks);
  }
}

// --- Changes ---------------------------------------------------------------------------------------------------------
// `from` is an index in the list before all changes, `to` one in the list after them. `removed` and `moved` ascend by
// `from`, `inserted` and `updated` by `to`. An item is in at most one of the first three.

const byTo = (a, b) => a.to - b.to;

/**
 * Applies changes to a list.
 *
 * Returns the list after, the four arrays with the items that they remove and replace, and the runs of kept items.
 */
export function apply(list, changes) {
  const found = (change, name) => {
    const [item, id] = [list.at(change.from), change.id ?? change.item.id];
    if (item?.id !== id) throw mismatch(`${name}: '${id}' is not at index ${change.from}`);
    return item;
  };
  const removed = changes.removed.map((change) => ({ from: change.from, item: found(change, "removed") }));
  const moved = changes.moved.map((change) => ({ ...change, item: found(change, "moved") }));
  const inserted = changes.inserted.map(({ to, item }) => ({ to, item }));
  const updated = changes.updated.map((change) => {
    return { from: change.from, to: change.to, before: found(change, "updated"), item: change.item };
  });
  checkAscending({ removed, moved }, "from");
  checkAscending({ inserted, updated }, "to");
  const departed = [...removed, ...moved].sort((a, b) => a.from - b.from);
  checkAscending({ "removed and moved": departed }, "from");
  const departures = departed.map((change) => change.from);
  const placed = [...moved, ...inserted].sort(byTo);
  checkAscending({ "moved and inserted": placed, "inserted and updated": [...inserted, ...updated].sort(byTo) }, "to");
  const newCount = list.length - removed.length + inserted.length;
  const runs = [];
  for (let [before, after, d, p] = [0, 0, 0, 0]; before < list.length || after < newCount; ) {
    if (departures[d] === before) [before, d] = [before + 1, d + 1];
    else if (placed[p]?.to === after) [after, p] = [after + 1, p + 1];
    else {
      const count = Math.min((departures[d] ?? list.length) - before, (placed[p]?.to ?? newCount) - after);
      if (!(count > 0)) throw mismatch("the indexes of the changes do not lead from one list to another");
      runs.push({ from: before, to: after, count });
      [before, after] = [before + count, after + count];
    }
  }
  let after = departures.length || placed.length ? joined(list, runs, placed) : list;
  for (const change of updated) {
    if (after.at(change.to)?.id !== change.item.id) throw mismatch(`updated: '${change.item.id}' is not at ${change.to}`);
  }
  if (updated.length) after = after.with(updated.map((change) => [change.to, change.item]));
  return { before: list, after, removed, moved, inserted, updated, runs };
}

/** Runs of a list, and the items that are placed between them. */
function joined(list, runs, placed) {
  const builder = new ItemsBuilder();
  let p = 0;
  for (const { from, to, count } of runs) {
    while (placed[p]?.to < to) builder.append([placed[p++].item]);
    for (const piece of list.pieces(from, from + count)) builder.append(piece);
  }
  return builder.append(placed.slice(p).map(({ item }) => item)).finish();
}

function checkAscending(arrays, member) {
  for (const [name, changes] of Object.entries(arrays)) {
    changes.forEach((change, i) => {
      const isAbove = Number.isSafeInteger(change[member]) && change[member] > (changes[i - 1]?.[member] ?? -1);
      if (!isAbove) throw mismatch(`${name}: ${member} is ${change[member]}, which does not ascend`);
    });
  }
}

/** The changes between two lists, with the fewest moves; the same ones as those of every implementation. */
export function diff(before, after) {
  const [olds, news] = [[...before], [...after]];
  if (!olds.length) {
    return { before, after, removed: [], moved: [], inserted: news.map((item, to) => ({ to, item })), updated: [] };
  }
  const indexes = new Map(news.map((item, index) => [item.id, index]));
  const [removed, moved, updated, matched] = [[], [], [], []];
  olds.forEach((item, from) => {
    const to = indexes.get(item.id);
    if (to === undefined) return removed.push({ from, item });
    indexes.delete(item.id);
    matched.push({ from, to });
    if (news[to].text !== item.text) updated.push({ from, to, before: item, item: news[to] });
  });
  const inserted = [...indexes.values()].map((to) => ({ to, item: news[to] })).sort(byTo);
  const kept = keptMatches(matched);
  for (const match of matched) {
    if (!kept.has(match)) moved.push({ ...match, id: olds[match.from].id, item: olds[match.from] });
  }
  return { before, after, removed, moved, inserted, updated: updated.sort(byTo) };
}

/** Patience sorting: each match on the leftmost pile whose top is not smaller, linked to the top of the pile before. */
export function keptMatches(matches) {
  const piles = [];
  const links = new Map();
  for (const match of matches) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (piles[middle].to < match.to) low = middle + 1;
      else high = middle;
    }
    links.set(match, piles[low - 1]);
    piles[low] = match;
  }
  const kept = new Set();
  for (let match = piles[piles.length - 1]; match; match = links.get(match)) kept.add(match);
  return kept;
}
