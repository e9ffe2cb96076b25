// The second part of the client for ListSync: SHA-256, the root of a list, the chain of its versions, and states.
//
// A root proves the items of a list and their order, a chain proves the history of a list. `lists.js` is to be read
// before, `listsync.js` after this file.

import { isIndex, isText, malformed } from "./lists.js";

// --- SHA-256 ---------------------------------------------------------------------------------------------------------
// A list needs a hash for each item. WebCrypto's are asynchronous, and a promise costs more than such a hash.

const rounds = new Int32Array(64);
const initial = new Int32Array(8);
for (let prime = 2, found = 0; found < 64; prime++) {
  let divisor = 2;
  while (divisor * divisor <= prime && prime % divisor) divisor++;
  if (divisor * divisor <= prime) continue;
  const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  if (found < 8) initial[found] = fraction(Math.sqrt(prime));
  rounds[found++] = fraction(Math.cbrt(prime));
}
const hashLength = 32;
const encoder = new TextEncoder();

/** SHA-256 of bytes, texts (as UTF-8) and numbers that are written one after the other. */
export class Hash {
  #bytes = new Uint8Array(1 << 16);
  #schedule = new Int32Array(64);
  #state = Int32Array.from(initial);
  #count = 0;
  #total = 0;

  reset() {
    for (let i = 0; i < 8; i++) this.#state[i] = initial[i];
    this.#count = this.#total = 0;
    return this;
  }

  #reserve(count) {
    if (this.#count + count + 72 <= this.#bytes.length) return;
    this.#compress();
    if (this.#count + count + 72 <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#count + count + 72));
    larger.set(this.#bytes.subarray(0, this.#count));
    this.#bytes = larger;
  }

  bytes(bytes) {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#count);
    this.#count += bytes.length;
    return this;
  }

  /** A text as UTF-8. */
  text(text) {
    const length = text.length;
    this.#reserve(3 * length);
    const bytes = this.#bytes;
    let count = this.#count;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) {
        count += encoder.encodeInto(i ? text.slice(i) : text, bytes.subarray(count)).written;
        break;
      }
      bytes[count++] = code;
    }
    this.#count = count;
    return this;
  }

  /** The byte count of a text in `width` bytes, little-endian, and its bytes. */
  sized(text, width) {
    this.#reserve(width + 3 * text.length);
    const start = this.#count;
    this.#count += width;
    this.text(text);
    this.#put(this.#count - start - width, start, width);
    return this;
  }

  #put(number, start, width) {
    const high = Math.floor(number / 2 ** 32);
    for (let i = 0; i < width; i++) this.#bytes[start + i] = i < 4 ? number >>> (8 * i) : high >>> (8 * i);
  }

  number(number, width) {
    this.#reserve(width);
    this.#put(number, this.#count, width);
    this.#count += width;
    return this;
  }

  /** Ends the message, and writes its digest into bytes from an index on. */
  digest(into = new Uint8Array(hashLength), index = 0) {
    this.#reserve(0);
    const [bytes, byteCount] = [this.#bytes, this.#total + this.#count];
    bytes[this.#count++] = 0x80;
    const end = this.#count + ((56 - this.#count) & 63);
    while (this.#count < end) bytes[this.#count++] = 0;
    const high = Math.floor(byteCount / 2 ** 29);
    for (let i = 0; i < 4; i++) bytes[end + i] = high >>> (24 - 8 * i);
    for (let i = 0; i < 4; i++) bytes[end + 4 + i] = (byteCount << 3) >>> (24 - 8 * i);
    this.#count = end + 8;
    this.#compress();
    for (let i = 0; i < hashLength; i++) into[index + i] = this.#state[i >> 2] >>> (24 - 8 * (i & 3));
    return into;
  }

  hex() {
    return hexOf(this.digest());
  }

  /** Takes in all whole blocks. */
  #compress() {
    const end = this.#count - (this.#count % 64);
    compress(this.#bytes, end, this.#schedule, this.#state);
    this.#total += end;
    this.#count -= end;
    if (this.#count) this.#bytes.copyWithin(0, end, end + this.#count);
  }
}

/** Takes whole blocks into the state of a SHA-256. */
function compress(bytes, end, w, state) {
  for (let offset = 0; offset < end; offset += 64) {
    for (let i = 0, p = offset; i < 16; i++, p += 4) {
      w[i] = (bytes[p] << 24) | (bytes[p + 1] << 16) | (bytes[p + 2] << 8) | bytes[p + 3];
    }
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15];
      const y = w[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let a = state[0], b = state[1], c = state[2], d = state[3];
    let e = state[4], f = state[5], g = state[6], h = state[7];
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + (g ^ (e & (f ^ g))) + rounds[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;
    state[4] += e; state[5] += f; state[6] += g; state[7] += h;
  }
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const bytesOf = (hex) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));

// --- Roots (list-root/1) ---------------------------------------------------------------------------------------------
// A list has a tree of hashes. Level 0 has the hashes of its items in their order. Each level is divided into groups, and
// the hashes of the groups are the next level. The root is the hash of the first level that has one group only.
//
// The hashes themselves say where a group ends. So the tree depends on the list alone, and not on its history, and a
// change of one item changes a few groups of each level. Groups are immutable, and similar trees share them.

export const longestGroup = 256;

/** Whether a group ends after an element: by the number of elements up to it, and the first byte of its hash. */
const endsGroup = (count, firstByte) => count === longestGroup || (count > 1 && firstByte % 32 === 0);

const itemHash = new Hash();
const groupHash = new Hash();
// Messages, whose digests are the hashes of an item, and of a group by the hashes of its elements.
export const hashOfItem = ({ id, text }) => itemHash.reset().number(0, 1).sized(id, 4).text(text);
export const hashOfGroup = (level, count, hashes) => groupHash.reset().number(level, 1).number(count, 8).bytes(hashes);

/** A group. Its elements are items on level 1, and groups of the level below (`children`) on higher levels. */
class Group {
  /** The number of items before each child. */
  #starts = [];

  constructor(level, hashes, children, itemCount) {
    this.level = level;
    this.hashes = hashes;
    this.children = children;
    this.itemCount = itemCount;
    let start = 0;
    for (const child of children) {
      this.#starts.push(start);
      start += child.itemCount;
    }
    this.hash = hashOfGroup(level, itemCount, hashes).digest();
  }

  /** The number of items before an element. The index behind the last element is allowed. */
  itemsBefore(i) {
    return this.level === 1 ? i : this.#starts[i] ?? this.itemCount;
  }

  /** The index of the element that has the item at an index. */
  elementWith(index) {
    if (this.level === 1) return index;
    let low = 0;
    for (let high = this.#starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The group of a level that has the item at an index, and the index of its first item. */
  groupAt(level, index) {
    let group = this;
    let start = 0;
    while (group.level > level) {
      const i = group.elementWith(index - start);
      start += group.itemsBefore(i);
      group = group.children[i];
    }
    return { group, start };
  }
}

// After a change, each level of the new tree has runs of old elements, and new elements between them. Groups are made anew
// only from the beginning of a difference to the next end of a group that both trees have.

/** Adjacent elements of one level of an old tree: those from one item up to another one. */
class Run {
  constructor(from, to) {
    this.from = from;
    this.to = to;
  }
}

/** Adds a run to the elements of a new level. Two runs become one if they are adjacent in the old tree, too. */
function addRun(elements, from, to) {
  const last = elements.at(-1);
  if (last instanceof Run && last.to === from) elements[elements.length - 1] = new Run(last.from, to);
  else elements.push(new Run(from, to));
}

/** The hashes of the open group. There is one at a time, because one level is divided after the other. */
const openHashes = new Uint8Array(hashLength * longestGroup);

/** Divides one level into groups. */
class LevelDivision {
  /** The elements of the next level: new groups, and runs of old ones. */
  groups = [];
  // The open group: what was appended since the end of the last one.
  #count = 0;
  #itemCount = 0;
  #children = [];

  /** @param old the group at the top of the old tree; null if there is none. */
  constructor(level, old) {
    this.level = level;
    this.old = old;
  }

  appendItem(item) {
    hashOfItem(item).digest(openHashes, hashLength * this.#count);
    this.#appended(1, 1);
  }

  appendGroup(group) {
    openHashes.set(group.hash, hashLength * this.#count);
    this.#children.push(group);
    this.#appended(1, group.itemCount);
  }

  /** Appends old elements. Takes over the old groups that begin where no group is open. */
  appendRun({ from, to }, isLast) {
    while (from < to) {
      const end = this.#count ? from : this.#endOfWholeGroups(from, to, isLast);
      if (end > from) addRun(this.groups, from, end);
      from = end > from ? end : this.#appendOld(from, to);
    }
  }

  /** Appends elements of one old group, at most to the end of the open group. Returns the index of the item behind them. */
  #appendOld(from, to) {
    const { group, start } = this.old.groupAt(this.level, from);
    if (group.level < this.level) {
      // The old tree ends below this level: all of it is one element.
      this.appendGroup(group);
      return to;
    }
    const first = group.elementWith(from - start);
    const last = group.elementWith(Math.min(to - start, group.itemCount) - 1);
    let end = first + 1;
    while (end <= last && !endsGroup(this.#count + end - first, group.hashes[hashLength * (end - 1)])) end++;
    openHashes.set(group.hashes.subarray(hashLength * first, hashLength * end), hashLength * this.#count);
    this.#children.push(...group.children.slice(first, end));
    const behind = start + group.itemsBefore(end);
    this.#appended(end - first, behind - from);
    return behind;
  }

  /** The end of the last old group that is wholly in a run; `from` if no old group begins there. */
  #endOfWholeGroups(from, to, isLast) {
    const { level, old } = this;
    if (level > old.level || old.groupAt(level, from).start !== from) return from;
    if (to < old.itemCount) return old.groupAt(level, to).start;
    // The last old group may have ended only because its level did. So it is taken over only where the new level ends, too.
    return isLast ? to : old.groupAt(level, to - 1).start;
  }

  /** Counts elements whose hashes were written last, and closes the group if it ends behind them. */
  #appended(count, itemCount) {
    this.#count += count;
    this.#itemCount += itemCount;
    if (endsGroup(this.#count, openHashes[hashLength * (this.#count - 1)])) this.#close();
  }

  #close() {
    const hashes = openHashes.slice(0, hashLength * this.#count);
    this.groups.push(new Group(this.level, hashes, this.#children, this.#itemCount));
    this.#count = 0;
    this.#itemCount = 0;
    this.#children = [];
  }

  /** Ends the level. Only an empty list has a group without elements. */
  finish() {
    if (this.#count || !this.groups.length) this.#close();
    return this.groups;
  }
}

/** The group at the top of a tree for items: runs of those of an old tree, and new ones. */
function topGroup(items, old) {
  for (let [level, elements] = [1, items]; ; level++) {
    const division = new LevelDivision(level, old);
    elements.forEach((element, i) => {
      if (element instanceof Run) division.appendRun(element, i === elements.length - 1);
      else if (element instanceof Group) division.appendGroup(element);
      else division.appendItem(element);
    });
    elements = division.finish();
    const group = onlyGroup(elements, level, old);
    if (group) return group;
  }
}

/** The group if there is only one; null otherwise. A run may have many old groups. */
function onlyGroup([first, ...others], level, old) {
  if (others.length) return null;
  if (first instanceof Group) return first;
  const { group } = old.groupAt(level, first.from);
  return group.itemCount === first.to - first.from ? group : null;
}

/** The tree of hashes of a list: what is kept to compute the roots of the lists that follow it. */
export class Tree {
  constructor(top) {
    this.top = top;
  }

  static of(items) {
    return new Tree(topGroup([...items], null));
  }

  /** The root, as 64 hex digits. */
  get root() {
    return hexOf(this.top.hash);
  }

  /** The tree after a step of `apply`. It needs O(d log n) hashes for d changes, because it shares groups with this one. */
  after(step) {
    return new Tree(topGroup(itemsAfter(step), this.top));
  }
}

/** The items after a step: runs of old ones, and those that need a new hash. An item that has only moved is a run of one. */
function itemsAfter({ after, moved, inserted, updated, runs }) {
  const placed = new Map();
  for (const { from, to } of moved) placed.set(to, new Run(from, from + 1));
  for (const { to, item } of [...inserted, ...updated]) placed.set(to, item);
  const places = [...placed.keys()].sort((a, b) => a - b);
  const elements = [];
  let [index, r] = [0, 0];
  for (const place of [...places, after.length]) {
    while (index < place) {
      // An update divides the run that it is in.
      const { from, to, count } = runs[r];
      const end = Math.min(to + count, place);
      if (index < end) {
        addRun(elements, from + index - to, from + end - to);
        index = end;
      }
      if (end === to + count) r++;
    }
    const element = placed.get(place);
    if (element instanceof Run) addRun(elements, element.from, element.to);
    else if (element) elements.push(element);
    index = place + 1;
  }
  return elements;
}

/** The root of items in their order, as 64 hex digits. */
export function root(items) {
  return Tree.of(items).root;
}

// --- Chains (list-chain/2) -------------------------------------------------------------------------------------------

const chainHash = new Hash();

/**
 * The chain of a version: SHA-256 over the chain before it, and the version's number, time, author, message and root.
 *
 * It need not cover the step: there is one canonical step only between two lists.
 */
export function chainAfter(chain, { version, committed_at: committedAt, author, message, root }) {
  const time = isText(committedAt) ? Date.parse(committedAt) : NaN;
  if (!Number.isFinite(time) || writtenTime(time) !== committedAt) throw malformed(`version ${version} has no time`);
  if (![author, message].every((text) => text == null || isText(text))) {
    throw malformed(`version ${version}: author and message are texts`);
  }
  const hash = chainHash.reset().text("list-chain/2").bytes(bytesOf(chain)).number(version, 8).number(time, 8);
  for (const text of [author, message]) {
    if (text == null) hash.bytes(new Uint8Array(8).fill(255));
    else hash.sized(text, 8);
  }
  return hash.bytes(bytesOf(root)).hex();
}

/** A time as documents have it (P12). */
const writtenTime = (milliseconds) => new Date(milliseconds).toISOString().replace(".000Z", "Z");

// --- Cursors and states ----------------------------------------------------------------------------------------------

export const cursorOf = (version, chain) => `${version}-${chain.slice(0, 32)}`;
const zeros = "0".repeat(64);
export const emptyState = { cursor: cursorOf(0, zeros), version: 0, count: 0, root: root([]), chain: zeros };
export const isHash = (value) => isText(value) && /^[0-9a-f]{64}$/i.test(value);
export const isSameState = (a, b) => ["cursor", "count", "root"].every((name) => a[name] === b[name]);

/** The version and the digits of a cursor, 8 to 64; nothing for another value. */
export function cursorParts(value) {
  const [, version, digits] = (isText(value) && /^0*(\d{1,16})-([0-9a-f]{8,64})$/i.exec(value)) || [];
  return isIndex(Number(version)) ? [Number(version), digits.toLowerCase()] : [];
}

/** A state of a document; the version is that of the cursor. */
export function readState(value, name) {
  const { cursor, count, root } = Object(value);
  const [version, digits] = cursorParts(cursor);
  const isCursor = cursor === undefined || digits?.length === 32;
  if (!isHash(root) || !isIndex(count) || !isCursor) throw malformed(`${name} is wrong or missing`);
  return { cursor: digits && cursorOf(version, digits), version, count, root: root.toLowerCase() };
}

/** A state with the header of its version, which proves that the root belongs to the cursor. Version 0 has none. */
export function readProvenState(value, name) {
  const state = readState(value, name);
  const { version, committed_at, author = null, message = null, previous } = value;
  if (version !== state.version) throw malformed(`${name} has no cursor of its version`);
  if (version === 0) {
    if (!isSameState(state, emptyState)) throw malformed(`${name} is of version 0, and not the empty list`);
    return emptyState;
  }
  if (!isHash(previous)) throw malformed(`${name}.previous is wrong or missing`);
  const header = { ...state, committed_at, author, message, previous: previous.toLowerCase() };
  header.chain = chainAfter(previous, header);
  if (state.cursor !== cursorOf(version, header.chain)) {
    throw malformed(`${name}.cursor is not that of the version, note, root and chain before beside it`);
  }
  return header;
}
