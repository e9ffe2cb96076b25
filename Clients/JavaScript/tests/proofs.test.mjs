// Proofs of one item, made by a second implementation that is as plain as the definition; and histories.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { Item, ListSyncError, root } from "../listsync.js";
import { checkProof, follows } from "../proofs.js";
import { history, provenState, zeros } from "./histories.mjs";

// --- The definition, step by step ---

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");
const numberBytes = (number, width) =>
  Buffer.from(Array.from({ length: width }, (_, i) => Math.floor(number / 256 ** i) % 256));
const itemHash = ({ id, text }) => sha256(Buffer.of(0), numberBytes(Buffer.byteLength(id), 4), id, text);
const endsGroup = (hash) => (Number.parseInt(hash.slice(0, 2), 16) & 31) === 0;
const groupHash = (level, count, hashes) =>
  sha256(Buffer.of(level), numberBytes(count, 8), Buffer.from(hashes.join(""), "hex"));

/** The groups of each level from 1 on; the elements of a group of a higher level are groups. */
function levelsOf(items) {
  const levels = [];
  let elements = items.map((item) => ({ hash: itemHash(item), count: 1 }));
  do {
    const parts = [[]];
    for (const element of elements) {
      const last = parts.at(-1);
      if (last.length === 256 || (last.length > 1 && endsGroup(last.at(-1).hash))) parts.push([]);
      parts.at(-1).push(element);
    }
    const level = levels.length + 1;
    elements = parts.map((elements) => {
      const hashes = elements.map(({ hash }) => hash);
      const count = elements.reduce((sum, element) => sum + element.count, 0);
      return { elements, hashes, count, hash: groupHash(level, count, hashes) };
    });
    levels.push(elements);
  } while (elements.length > 1);
  return levels;
}

const bare = ({ count, hashes }) => ({ count, hashes });

/** The proof of an item, as an object. `side` is before, after, or the shorter one. */
function proofOf(items, index, headers, side) {
  const item = items[index];
  const path = [];
  let [element, place] = [null, index];
  for (const groups of levelsOf(items)) {
    const isOnPath = ({ elements }) => (element ? elements.includes(element) : (place -= elements.length) < 0);
    const group = groups.find(isOnPath);
    const position = element ? group.elements.indexOf(element) : place + group.hashes.length;
    const behind = group.hashes.length - 1 - position;
    const isBefore = side ? side === "before" : position <= behind;
    const beside = isBefore ? group.elements.slice(0, position) : group.elements.slice(position + 1);
    const groupsBeside = element && { [isBefore ? "before" : "after"]: beside.map(bare) };
    path.push({ count: group.count, position, hashes: group.hashes, ...groupsBeside });
    element = group;
  }
  const proven = { id: item.id, index, content: JSON.parse(item.text) };
  return { format: "list-proof/1", list: "parks", item: proven, path, headers };
}

// --- Lists ---

/** Items whose hashes all end a group, so that groups are of two, and trees are deep; or as they come. */
const listOf = (length, isDeep = false) => Array.from({ length }, (_, n) => {
  for (let counter = 0; ; counter++) {
    const item = new Item(`park-${n}`, `{"n":${counter},"name":"№ ${n}"}`);
    if (!isDeep || endsGroup(itemHash(item))) return item;
  }
});

/** A proof of an item of version 1, and its last cursor. */
function proven(items, index, { later = [], side } = {}) {
  const headers = history(items, ...later);
  return { proof: proofOf(items, index, headers, side), headers, cursor: headers.at(-1).cursor };
}

const check = (proof, cursor) => checkProof(JSON.stringify(proof), cursor);
const refused = (proof, cursor, kind, message, words) =>
  assert.throws(() => check(proof, cursor), { name: "ListSyncError", kind, message }, words);
const spoiled = (digit) => (digit === "0" ? "1" : "0");
const withDigit = (text, at) => text.slice(0, at) + spoiled(text[at]) + text.slice(at + 1);

test("the item, its index and its version are proven in lists of every form, from both sides", () => {
  const forms = [[1], [2], [3], [40], [257], [600], [5000], [2, true], [3, true], [33, true], [300, true]];
  for (const [length, isDeep] of forms) {
    const items = listOf(length, isDeep);
    const headers = history(items);
    assert.equal(levelsOf(items).at(-1)[0].hash, root(items));
    const indexes = new Set([0, 1, length >> 1, length - 2, length - 1]);
    for (const index of [...indexes].filter((index) => index >= 0 && index < length)) {
      for (const side of ["before", "after", undefined]) {
        const found = check(proofOf(items, index, headers, side), headers[0].cursor);
        assert.deepEqual([found.list, found.item.id, found.item.text, found.index, found.count],
          ["parks", items[index].id, items[index].text, index, length]);
        assert.deepEqual(found.header, { ...headers[0], chain: headers[0].chain });
      }
    }
  }
});

/** Made by a program of another language. */
const golden = '{"format":"list-proof/1","list":"parks",' +
  '"item":{"id":"é","index":1,"content":{"n":12345678901234567890.0}},' +
  '"path":[{"count":3,"position":1,"hashes":[' +
  '"fa67ee9032a5fdac4b76801bf8f7cccf4d82937b72a2ed64b0d2626f26cd6cae",' +
  '"05f73ac1af1cec204c4bb71455f2270f4df121ab42de716d338548d1becca3ce",' +
  '"1f6c87ab105cf4318bfc9d42400b77613fa437056b8b205c96adc361bf4a73b6"]}],' +
  '"headers":[{"cursor":"1-5f28de94868928365dad8d3378ee43ea","version":1,' +
  '"committed_at":"2026-11-21T11:37:00Z","author":"Ann","message":null,"count":3,' +
  '"root":"d6e8837d2a8d07638e9ec4cac9c3d77f92dc175b8949adc350677cafba30eda7",' +
  '"previous":"0000000000000000000000000000000000000000000000000000000000000000"},' +
  '{"cursor":"2-32e4df30362cb0d36c2ee2a06c960dbf","version":2,"committed_at":"2026-11-21T11:38:00.250Z",' +
  '"message":"é","count":0,' +
  '"root":"a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb",' +
  '"previous":"5f28de94868928365dad8d3378ee43ea9448c5b15aa87e4fa50941b99a9ca600"}]}';

test("a golden proof is read", () => {
  const { item, header, ...rest } = checkProof(`\ufeff ${golden}\n`, "2-32e4df30362c");
  assert.deepEqual(rest, { list: "parks", index: 1, count: 3 });
  assert.deepEqual([item.id, item.text], ["é", '{"n":12345678901234567890}']);
  assert.deepEqual([header.version, header.author, header.message], [1, "Ann", null]);
  const upper = golden.replace(/[0-9a-f]{32,64}/g, (digits) => digits.toUpperCase());
  assert.deepEqual(checkProof(upper, "2-32E4DF30362C").header, header);
});

test("a content may be as deep as in a list", () => {
  const items = [512, 513].map((depth) => [new Item("a", "[".repeat(depth) + "]".repeat(depth))]);
  const proofs = items.map((items) => proven(items, 0));
  assert.equal(check(proofs[0].proof, proofs[0].cursor).item.text, items[0][0].text);
  refused(proofs[1].proof, proofs[1].cursor, "malformed", /nested/);
});

test("later headers lead to the cursor of a later version", () => {
  const [items, second, third] = [listOf(40), listOf(3), listOf(50)];
  const { proof, headers, cursor } = proven(items, 7, { later: [second, third] });
  assert.equal(cursor, headers[2].cursor);
  assert.equal(check(proof, cursor).header.cursor, headers[0].cursor);
  for (const { cursor } of headers.slice(0, 2)) refused(proof, cursor, "mismatch", /lead to/);
  const others = {
    "one is missing": [headers[0], headers[2]], "one is doubled": [headers[0], headers[0], headers[1], headers[2]],
    "in another order": [headers[0], headers[2], headers[1]],
    "of another history": [headers[0], provenState(2, second, { previous: "5".repeat(64) })],
    // The cursor of the first one has 32 digits: the others count, too.
    "with the digits of the cursor alone":
      [headers[0], provenState(2, second, { previous: headers[0].chain.slice(0, 32) + "5".repeat(32) })],
  };
  for (const [words, headers] of Object.entries(others)) {
    refused({ ...proof, headers }, headers.at(-1).cursor, "mismatch", /later header does not follow/, words);
  }
  refused({ ...proof, headers: headers.slice(1) }, cursor, "mismatch", /root of version 2/);
  const changed = [headers[0], { ...headers[1], message: "x" }];
  refused({ ...proof, headers: changed }, headers[1].cursor, "malformed", /cursor is not that/);
});

test("nothing is proven without a cursor of the right version with 8 to 32 digits", () => {
  const { proof, headers: [{ chain, cursor }] } = proven(listOf(40), 7);
  for (const count of [8, 12, 31, 32]) assert.equal(check(proof, `1-${chain.slice(0, count)}`).index, 7);
  assert.equal(check(proof, `001-${chain.slice(0, 12).toUpperCase()}`).index, 7);
  const none = [undefined, null, "", "1", "1-", {}, 7, `1-${chain.slice(0, 7)}`, `-${chain.slice(0, 8)}`, `${cursor}x`,
    `1-${chain}0`];
  for (const wrong of none) {
    refused(proof, wrong, "malformed", /trusted cursor/, String(wrong));
  }
  for (const wrong of [`1-${chain.slice(0, 33)}`, `1-${chain}`, `11-${chain.slice(0, 8)}`, `2-${chain.slice(0, 32)}`]) {
    refused(proof, wrong, "mismatch", /lead to/);
  }
  for (let at = 2; at < cursor.length; at++) refused(proof, withDigit(cursor, at), "mismatch", /lead to/);
});

/** Whether a changed proof is admitted; then it must prove the same. */
function provesTheSame(text, cursor, expected) {
  try {
    const { list, ...found } = checkProof(text, cursor);
    assert.deepEqual(found, expected);
    return true;
  } catch (error) {
    assert.ok(error instanceof ListSyncError, error.stack);
    return false;
  }
}

const digitsIn = (text) =>
  [...text.matchAll(/[0-9a-f]{32,64}/g)].flatMap(({ index, 0: run }) => Array.from(run, (_, i) => index + i));

test("every changed byte that means something is refused, in each hash, too", () => {
  const items = listOf(13, true);
  for (const side of ["before", "after"]) {
    const { proof, cursor } = proven(items, 6, { later: [listOf(2)], side });
    const text = JSON.stringify(proof);
    assert.ok(proof.path[1][side].length > 1);
    const { list, ...expected } = checkProof(text, cursor);
    assert.ok(digitsIn(text).length > 15 * 64);
    const same = [];
    for (let at = 0; at < text.length; at++) {
      for (const byte of [[" ", "0", "7", '"'][at % 4], "", String.fromCharCode(text.charCodeAt(at) ^ 1)]) {
        const other = text.slice(0, at) + byte + text.slice(at + 1);
        const isSame = byte !== text[at] && provesTheSame(other, cursor, expected);
        if (isSame) same.push(other.slice(Math.max(0, at - 40), at + 20));
      }
    }
    // Nothing proves the list's name and the count of a later header, and a time may have fewer zeros.
    const unproven = [/"list":"\w+"/, /№ 2","count":\d,/, /:00.(25|50)Z/];
    assert.deepEqual(same.filter((place) => !unproven.some((form) => form.test(place))), []);
  }
});

test("a changed digit is refused on each of three levels", () => {
  const { proof, cursor } = proven(listOf(150, true), 77);
  const text = JSON.stringify(proof);
  assert.ok(proof.path.length > 2);
  for (const at of digitsIn(text).filter((_, i) => i % 7 === 0)) {
    assert.ok(!provesTheSame(withDigit(text, at), cursor, {}), `digit ${at}`);
  }
});

test("lies about the index are refused", () => {
  for (const side of ["before", "after"]) {
    const { proof, cursor } = proven(listOf(300, true), 100, { side });
    const lie = (change) => {
      const other = structuredClone(proof);
      change(other);
      return other;
    };
    const level = proof.path.findIndex((group) => group[side]?.length > 0);
    refused(lie(({ item }) => item.index++), cursor, "mismatch", /index 100 of 300, not at 101/);
    refused(lie(({ item }) => (item.index = 300)), cursor, "mismatch", /not at 300/);
    // A group beside the path with another count, in place of another one, without its last hash, or left out.
    refused(lie(({ path }) => path[level][side][0].count++), cursor, "mismatch", /beside the path|group of level 1/);
    refused(lie(({ path }) => (path[level][side][0] = bare(path[level - 1]))), cursor, "mismatch", /beside the path/);
    const fewer = lie(({ path }) => path[level][side][0].hashes.pop());
    refused(fewer, cursor, "mismatch", /beside the path|group of level 1/);
    refused(lie(({ path }) => path[level][side].pop()), cursor, "malformed", /all groups/);
    refused(lie(({ path }) => path[level][side].push(bare(path[0]))), cursor, "malformed", /all groups/);
    refused(lie(({ path }) => delete path[level][side]), cursor, "malformed", /all groups/);
    const both = lie(({ path }) => (path[level][side === "before" ? "after" : "before"] = []));
    refused(both, cursor, "malformed", /all groups/);
    // Another position, or another count.
    refused(lie(({ path }) => path[level].position++), cursor, "mismatch", /does not have the hash/);
    refused(lie(({ path }) => path.at(-1).count++), cursor, "mismatch", /root of version 1/);
    refused(lie(({ path }) => path[0].count++), cursor, "mismatch", /group of level 1/);
    refused(lie(({ headers }) => headers[0].count++), cursor, "mismatch", /items, not of the 301/);
  }
});

test("a tree whose groups lie about their counts gives no index below zero", () => {
  const item = new Item("a", "1");
  const below = { count: 1, hashes: [itemHash(item)] };
  const beside = { count: 2, hashes: [itemHash(new Item("b", "1")), itemHash(new Item("c", "1"))] };
  const hashes = [below, beside].map(({ count, hashes }) => groupHash(1, count, hashes));
  const header = provenState(1, [], { count: 2, root: groupHash(2, 2, hashes) });
  const path = [{ ...below, position: 0 }, { count: 2, position: 0, hashes, after: [beside] }];
  const first = { id: "a", index: 0, content: 1 };
  const proof = { format: "list-proof/1", list: "parks", item: first, path, headers: [header] };
  refused(proof, header.cursor, "mismatch", /more than 2 items/);
});

test("a group of a forged tree has no more items before the path than in all", () => {
  const item = new Item("a", "1");
  const beside = { count: 2, hashes: [itemHash(new Item("b", "1")), itemHash(new Item("c", "1"))] };
  const [proof, cursor] = forged(item, [{ count: 1, position: 0, hashes: [""] },
    { count: 1, position: 1, hashes: [groupHash(1, 2, beside.hashes), ""], before: [beside] }, { count: 9, position: 0, hashes: [""], before: [] }]);
  proof.item.index = 2;
  refused(proof, cursor, "mismatch", /level 2 have more than 1 items/);
});

test("a path that lacks a level, and another item, are refused", () => {
  const items = listOf(300, true);
  const { proof, cursor } = proven(items, 100);
  refused({ ...proof, path: proof.path.slice(0, -1) }, cursor, "mismatch", /root of version 1/);
  refused({ ...proof, path: proof.path.slice(1) }, cursor, "mismatch", /item does not have the hash|group of level 1/);
  refused({ ...proof, item: { ...proof.item, content: 1 } }, cursor, "mismatch", /the item does not have the hash/);
  refused({ ...proof, item: { ...proof.item, id: "park-101" } }, cursor, "mismatch", /the item does not have the hash/);
});

/** A proof of an item by a path that is right in itself, of a root that no list has. */
function forged(item, path) {
  let hash = itemHash(item);
  path.forEach((group, i) => {
    group.hashes[group.position] = hash;
    hash = groupHash(i + 1, group.count, group.hashes);
  });
  const { count } = path.at(-1);
  const header = provenState(1, [], { count, root: hash });
  const content = { id: item.id, index: Number(path[0].position), content: JSON.parse(item.text) };
  return [{ format: "list-proof/1", list: "parks", item: content, path, headers: [header] }, header.cursor];
}

test("a path has at most 64 levels, a group at most 256 hashes, and a group of level 1 the count of its hashes", () => {
  const item = new Item("a", "1");
  const levels = (length) => Array.from({ length }, () => ({ count: 1, position: 0, hashes: [zeros], before: [] }));
  const group = (length, more) => [{ count: length, position: 0, hashes: Array(length).fill(zeros), ...more }];
  for (const path of [levels(64), group(256)]) assert.equal(check(...forged(item, path)).index, 0);
  refused(...forged(item, levels(65)), "malformed", /path is wrong/);
  refused(...forged(item, group(257)), "malformed", /group of level 1 is wrong/);
  refused(...forged(item, group(2, { count: 3 })), "mismatch", /2 hashes, and the count 3/);
  refused(...forged(item, group(2, { position: "1" })), "mismatch", /does not have the hash/);
  // The index must be below the count, also in a tree whose counts are wrong.
  const [beside] = group(2);
  const top = { count: 2, position: 1, hashes: [groupHash(1, 2, beside.hashes), zeros], before: [beside] };
  const [proof, cursor] = forged(item, [...group(1), top]);
  refused({ ...proof, item: { ...proof.item, index: 2 } }, cursor, "mismatch", /at the index 2 of 2/);
});

test("a document that is not a proof is refused", () => {
  const { proof, cursor } = proven(listOf(300, true), 100);
  const hash = zeros;
  const group = proof.path[1];
  const wrong = {
    format: ["list-proof/2", undefined, null], list: ["", ".x", null, undefined, 7],
    item: [null, [], {}, { id: "a", index: 0 },
      ...[{ id: "" }, { index: -1 }, { index: 1.5 }, { index: "1" }].map((more) => ({ ...proof.item, ...more }))],
    path: [[], null, {}, [null], [7], [{}], Array(65).fill(group),
      ...[[], "x", Array(257).fill(hash), [hash.slice(1)], [7]].map((hashes) => [{ count: hashes.length, position: 0, hashes }]),
      ...["length", -1, 256, 1.5, undefined].map((position) => [{ ...proof.path[0], position }]),
      [{ ...proof.path[0], count: "2" }],
      ...["x", [null], [{}]].map((before) => [proof.path[0], { ...group, before, after: undefined }])],
    headers: [[], null, {}, [null], [7], [{}], [{ cursor: `0-${zeros.slice(32)}`, version: 0, count: 0, root: root([]) }],
      ...[{ previous: undefined }, { version: 2 }, { committed_at: undefined }, { author: 7 }]
        .map((more) => [{ ...proof.headers[0], ...more }])],
  };
  for (const [member, values] of Object.entries(wrong)) {
    for (const value of values) {
      const words = `${member}: ${JSON.stringify(value)}`;
      assert.throws(() => check({ ...proof, [member]: value }, cursor), { name: "ListSyncError" }, words);
    }
  }
  for (const text of ["", "null", "7", "[]", "{}", '"x"', "{", `${JSON.stringify(proof)}x`, "[".repeat(1000)]) {
    assert.throws(() => checkProof(text, cursor), { name: "ListSyncError", kind: "malformed" }, text);
  }
});

// --- Histories ---

test("headers follow from a cursor if each has the chain of the one before", () => {
  const headers = history(listOf(1), listOf(2), listOf(3), listOf(4));
  const [first, ...rest] = headers;
  assert.equal(follows(`0-${zeros}`, headers), true);
  for (const count of [8, 32, 64]) assert.equal(follows(`1-${first.chain.slice(0, count)}`, rest), true);
  assert.equal(follows(first.cursor, []), true);
  const forked = [rest[0], provenState(3, listOf(3), { previous: withDigit(rest[0].chain, 63) })];
  for (const others of [headers, rest.slice(1), [...rest].reverse(), [rest[0], rest[2]], forked]) {
    assert.equal(follows(first.cursor, others), false);
  }
  for (const cursor of [withDigit(first.cursor, 9), `2-${first.chain.slice(0, 32)}`, `1-${withDigit(first.chain, 63)}`]) {
    assert.equal(follows(cursor, rest), false);
  }
});

test("chains are computed, and a header that has another cursor is refused", () => {
  const [first, second] = history(listOf(1), listOf(2));
  const forged = { ...provenState(2, listOf(2), { previous: zeros }), chain: second.chain };
  assert.equal(follows(first.cursor, [second, provenState(3, listOf(1), { previous: second.chain })]), true);
  assert.equal(follows(`1-${zeros}`, [forged, provenState(3, listOf(1), { previous: second.chain })]), false);
  const wrong = { version: 3, committed_at: "2026-11-21T11:37:00Z", author: "x", message: null, root: zeros, previous: zeros,
    cursor: first.cursor };
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(() => follows(first.cursor, [{ ...second, [name]: value }]), { kind: "malformed" }, name);
  }
  for (const cursor of ["1", "1-", "1-0000000", undefined]) {
    assert.throws(() => follows(cursor, []), { kind: "malformed" });
  }
});
