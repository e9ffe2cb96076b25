// The last part of the client for ListSync: what proves a history, or one item, to somebody who keeps a cursor.
//
// A cursor has digits of its version's chain. The chain covers the header of the version, which has the root and the
// chain before. So a cursor proves one list, and one history. `listsync.js` loads this file for the option `prove`.

import { isIndex, isListName, isText, Item, ListSyncError, malformed, mismatch, Scanner, withoutMark,
  writeJSON } from "./lists.js";
import { bytesOf, cursorOf, cursorParts, hashOfGroup, hashOfItem, isHash, longestGroup,
  readProvenState } from "./roots.js";

// --- A history that was not rewritten --------------------------------------------------------------------------------

/**
 * Whether versions follow from a cursor: their headers ascend without a gap from the version after it, and each has the
 * chain of the one before as `previous`. Every chain is computed from its header, none is believed.
 *
 * Throws `malformed` for a cursor with fewer than 8 digits, and for a header that does not lead to its own cursor.
 */
export function follows(cursor, headers) {
  let [version, digits] = cursorParts(cursor);
  if (!digits) throw malformed(`'${cursor}' is not a cursor with 8 digits or more`);
  return Array.from(headers, (header) => readProvenState(header, "a header")).every((header) => {
    const isNext = header.version === version + 1 && header.previous.startsWith(digits);
    [version, digits] = [header.version, header.chain];
    return isNext;
  });
}

/** The highest number of versions that a server shows in one answer. A publication shows one. */
const highestHeaderCount = 1000;
const rewritten = (what) => new ListSyncError("rewritten", `the server rewrote history: ${what}`);
const unproven = (what) => new ListSyncError("unproven", `${what}; to begin again, remove the copy`);

/**
 * Throws unless a state follows from the copy of a replica: `rewritten` if the server has another history, `unproven`
 * if it no longer shows the versions between them.
 *
 * Asks for their headers, from the newest one back, so that it holds one page of them at a time.
 *
 * @param origin the server or the publication.
 * @param to the proven state that a delta document leads to.
 * @param reason why the server sent the whole list, or why the replica asked for it; undefined for changes.
 */
export async function prove(origin, { list, state: { cursor, version } }, to, reason, signal) {
  if (to.cursor === cursor) return;
  if (reason === "too-old") throw unproven(`versions since ${cursor} were pruned, so nothing proves what became of it`);
  if (reason === "diverged") throw rewritten(`it has another version than ${cursor}`);
  // A header names the chain before it: the next version needs no other header.
  let [end, last] = to.version === version + 1 ? [cursorBefore(to), version] : [to.cursor, to.version];
  while (last > version) {
    const limit = Math.min(highestHeaderCount, last - version);
    const headers = await origin.headers(list, { version: last, cursor: end }, limit, signal);
    if (!headers.length) throw unproven(`the server does not show version ${last}`);
    const first = readProvenState(headers[0], "a version");
    const isSound = first.version > version && follows(cursorBefore(first), headers) &&
      readProvenState(headers.at(-1), "a version").cursor === end;
    if (!isSound) throw rewritten(`the versions that it shows do not lead to ${end}`);
    [end, last] = [cursorBefore(first), first.version - 1];
  }
  if (end !== cursor) throw rewritten(`${to.cursor} does not follow from ${cursor}`);
}

const cursorBefore = ({ version, previous }) => cursorOf(version - 1, previous);

// --- The proof of one item (list-proof/1) ----------------------------------------------------------------------------

const highestLevel = 64;

/**
 * Proves that a list has an item at an index, from a proof document and a cursor that the caller has kept, or got from
 * somebody trusted: that of the item's version, or of the last of the later versions in the document. It has 8 to 32
 * digits.
 *
 * Returns the item, its index, the number of items, and the header of its version. Nothing proves the name of the list.
 *
 * Throws `malformed` for a text that is not a proof, and for a cursor that is not one, and `mismatch` if a step of the
 * proof fails.
 */
export function checkProof(text, cursor) {
  const [version, digits] = cursorParts(cursor);
  if (!digits) throw malformed("a proof needs a trusted cursor, such as 7-3f9a1c2b, with 8 digits or more");
  const { list, item, index, path, headers: [header, ...later] } = readProof(text);
  const top = climb(item, path);
  const { count } = header;
  const last = later.at(-1) ?? header;
  const check = (holds, words) => {
    if (!holds) throw mismatch(words);
  };
  check(top.hash === header.root, `the path leads to ${top.hash}, not to the root of version ${header.version}`);
  check(top.count === count, `the path is of ${top.count} items, not of the ${count} of version ${header.version}`);
  check(top.index === index && index < count, `the item is at the index ${top.index} of ${count}, not at ${index}`);
  check(follows(`${header.version}-${header.chain}`, later), "a later header does not follow from the one before it");
  check(last.cursor.startsWith(`${version}-${digits}`), `the headers lead to ${last.cursor}, not to ${cursor}`);
  return { list, item, index, count, header };
}

/** The parts of a proof. The content of its item may be as deep as in a list. */
function readProof(text) {
  const scanner = new Scanner(withoutMark(text));
  // The document and its item are no part of the content.
  const { format, list, item, path, headers } = Object(scanner.value(-2));
  scanner.expectEnd();
  const { id, index, content } = Object(item);
  const faults = {
    format: format !== "list-proof/1", list: !isListName(list), id: !isText(id) || !id, index: !isIndex(index),
    content: content === undefined, path: !isFilled(path, highestLevel), headers: !isFilled(headers),
  };
  for (const [member, isWrong] of Object.entries(faults)) {
    if (isWrong) throw malformed(`the proof's ${member} is wrong or missing`);
  }
  const read = headers.map((header) => readProvenState(header, "a header of the proof"));
  return { list, item: new Item(id, writeJSON(content)), index, path, headers: read };
}

const isFilled = (array, highest = Infinity) => Array.isArray(array) && array.length > 0 && array.length <= highest;

/** Goes up the path: the hash and the count of its top group, and the index of the item there. */
function climb(item, path) {
  let [hash, count, index] = [hashOfItem(item).hex(), 1, 0];
  path.forEach((group, i) => {
    const level = i + 1;
    const { hash: own, hashes } = readGroup(group, level);
    const { position } = group;
    if (!isIndex(position) || hashes[position] !== hash) {
      const element = i ? `the group of level ${i}` : "the item";
      throw mismatch(`${element} does not have the hash at its position in level ${level}`);
    }
    index += i ? itemsBefore({ ...group, hashes }, level, count) : position;
    [hash, count] = [own, group.count];
  });
  return { hash, count, index };
}

/** The hashes of a group of the proof, and the hash of the group, which covers its count. */
function readGroup(group, level) {
  const { count, hashes } = Object(group);
  if (!isFilled(hashes, longestGroup) || !hashes.every(isHash) || !isIndex(count)) {
    throw malformed(`a group of level ${level} is wrong`);
  }
  if (level === 1 && count !== hashes.length) {
    throw mismatch(`a group of level 1 has ${hashes.length} hashes, and the count ${count}`);
  }
  const hash = hashOfGroup(level, count, bytesOf(hashes.join(""))).hex();
  return { hash, hashes: hashes.map((hash) => hash.toLowerCase()) };
}

/** The number of items of a group before its element on the path: by all elements before it, or by all behind it. */
function itemsBefore({ count, position, hashes, before, after }, level, countOnPath) {
  const isBefore = before !== undefined;
  const groups = isBefore ? before : after;
  const expected = isBefore ? hashes.slice(0, position) : hashes.slice(position + 1);
  if (isBefore === (after !== undefined) || !Array.isArray(groups) || groups.length !== expected.length) {
    throw malformed(`level ${level} must have all groups before the path, or all behind it`);
  }
  let beside = 0;
  groups.forEach((group, i) => {
    if (readGroup(group, level - 1).hash !== expected[i]) {
      throw mismatch(`a group beside the path does not have its hash in level ${level}`);
    }
    beside += group.count;
  });
  if (beside + (isBefore ? 0 : countOnPath) > count) throw mismatch(`the groups in level ${level} have more than ${count} items`);
  return isBefore ? beside : count - countOnPath - beside;
}
