// The root of a list and the tree that it comes from, against a second implementation that is as plain as the definition.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { apply, chainAfter, Copy, diff, Item, Items, root } from "../listsync.js";
import { Hash, Tree } from "../roots.js";

// --- The definition, step by step ---

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const numberBytes = (number, width) => Buffer.from(Array.from({ length: width }, (_, i) => Math.floor(number / 256 ** i) % 256));

function itemHash({ id, text }) {
  return sha256(Buffer.of(0), numberBytes(Buffer.byteLength(id), 4), id, text);
}

/** The levels of the tree: each element is a hash and the number of items below it. */
function plainLevels(items) {
  const levels = [Array.from(items, (item) => ({ hash: itemHash(item), count: 1 }))];
  while (levels.length === 1 || levels.at(-1).length > 1) {
    const groups = [[]];
    for (const element of levels.at(-1)) {
      const last = groups.at(-1);
      last.push(element);
      if (last.length === 256 || (last.length > 1 && (element.hash[0] & 31) === 0)) groups.push([]);
    }
    if (groups.length > 1 && !groups.at(-1).length) groups.pop();
    levels.push(groups.map((elements) => {
      const count = elements.reduce((sum, element) => sum + element.count, 0);
      return { hash: sha256(Buffer.of(levels.length), numberBytes(count, 8), ...elements.map(({ hash }) => hash)), count };
    }));
  }
  return levels;
}

const plainRoot = (items) => plainLevels(items).at(-1)[0].hash.toString("hex");

// --- Lists ---

const endsGroup = (item) => (itemHash(item)[0] & 31) === 0;

/** A new content for an id. Its hash does or does not end a group, if `ends` says so. */
function itemOf(id, ends = null, random = () => 0) {
  for (let counter = random(1e9); ; counter++) {
    const item = new Item(id, String(counter));
    if (ends === null || endsGroup(item) === ends) return item;
  }
}

/** The step of `apply` from one list to another. */
const stepTo = (before, after) => apply(before, withIDs(diff(before, after)));
/** A copy of a list with some items in place of others. */
const spliced = (list, at, count, ...items) => [...list.slice(0, at), ...items, ...list.slice(at + count)];
const none = { removed: [], moved: [], inserted: [], updated: [] };
const withIDs = (changes) => ({ ...changes, removed: changes.removed.map(({ from, item }) => ({ from, id: item.id })) });

const seed = Number(process.env.LISTSYNC_SEED ?? Date.now() % 1e9);
/** Random whole numbers below an end; the same ones for the same seed. */
function randomNumbers(state = (seed % 2147483646) + 1) {
  return (end) => (state = (state * 48271) % 2147483647) % end;
}

// --- Roots ---

test("the root of the empty list is that of a group without elements", () => {
  assert.equal(root([]), "a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb");
  assert.equal(Copy.empty.state.root, root([]));
  assert.equal(plainRoot([]), root([]));
});

test("a root is that of the definition at each length at which a group may end", () => {
  for (const ends of [null, false, true]) {
    const items = Array.from({ length: 1030 }, (_, n) => itemOf(`${n}`, ends));
    for (const length of [1, 2, 3, 4, 5, 31, 32, 33, 64, 255, 256, 257, 258, 511, 512, 513, 514, 1024, 1030]) {
      assert.equal(root(items.slice(0, length)), plainRoot(items.slice(0, length)), `${length} items, ends: ${ends}`);
    }
  }
});

test("a root covers each id, each content, the border between both, and the order", () => {
  const pairs = [["a", "1"], ["a", "2"], ["b", "1"], ["a1", ""], ["", "a1"], ["é", "1"], ["e\u0301", "1"]];
  const [a, , b, ...others] = pairs.map(([id, text]) => new Item(id, text));
  const lists = [[], [a], [b], [a, b], [b, a], ...others.map((item) => [item]), [new Item("a", "2")]];
  assert.equal(new Set(lists.map(root)).size, lists.length);
});

const oracle = new URL("../../../../shared/oracle/roots.jsonl", import.meta.url);
test("roots, chains and cursors are those of the oracle, also by the way of changes",
  { skip: existsSync(oracle) ? false : "shared/oracle/roots.jsonl is not there" }, () => {
    for (const line of readFileSync(oracle, "utf8").trim().split("\n")) {
      let [copy, chain] = [Copy.empty, "0".repeat(64)];
      for (const { version, time, author, message, items: pairs, ...expected } of JSON.parse(line).versions) {
        const items = Items.from(pairs.map(([id, text]) => new Item(id, text)));
        assert.equal(root(items), expected.root);
        const state = { cursor: expected.cursor, version, count: items.length, root: expected.root };
        copy = copy.applying(withIDs(diff(copy.items, items)), state).after;
        chain = chainAfter(chain, { version, committed_at: new Date(time).toISOString(), author, message, root: expected.root });
        assert.deepEqual([chain, `${version}-${chain.slice(0, 32)}`], [expected.chain, expected.cursor]);
      }
    }
  });

// --- Trees ---

/** Checks a tree against the definition: the root, and the number of groups of each level. */
function checkTree(tree, items, words) {
  const levels = plainLevels(items);
  assert.equal(tree.root, levels.at(-1)[0].hash.toString("hex"), words);
  for (let groups = [tree.top]; groups.length; groups = groups.flatMap(({ children }) => children)) {
    const { level } = groups[0];
    assert.deepEqual(groups.map(({ itemCount }) => itemCount), levels[level].map(({ count }) => count), words);
  }
}

test("every step between small lists leads to the root of the list after it", () => {
  /** All lists of different ids, with a content each that ends a group and one that does not. */
  function* lists(ids) {
    yield [];
    for (const id of ids) {
      for (const rest of lists(ids.filter((other) => other !== id))) yield* [[items[id].yes, ...rest], [items[id].no, ...rest]];
    }
  }
  const items = Object.fromEntries(["a", "b", "c", "d"].map((id) => [id, { yes: itemOf(id, true), no: itemOf(id, false) }]));
  const befores = Array.from(lists(["a", "b", "c"]), (list) => Items.from(list));
  const afters = Array.from(lists(["b", "c", "d"]), (list) => ({ list: Items.from(list), root: plainRoot(list) }));
  assert.deepEqual([befores.length, afters.length], [79, 79]);
  for (const before of befores) {
    const tree = Tree.of(before);
    for (const after of afters) assert.equal(tree.after(stepTo(before, after.list)).root, after.root);
  }
});

test("every single change of six items leads to the root of the list after it, wherever groups end", () => {
  for (let pattern = 0; pattern < 64; pattern++) {
    const items = Array.from({ length: 6 }, (_, n) => itemOf(`${n}`, Boolean(pattern & (1 << n))));
    const [before, tree] = [Items.from(items), Tree.of(items)];
    const check = (list, words) => {
      const step = stepTo(before, Items.from(list));
      checkTree(tree.after(step), step.after, `pattern ${pattern}: ${words}`);
    };
    for (let i = 0; i <= 6; i++) {
      for (const ends of [true, false]) {
        check(spliced(items, i, 0, itemOf("new", ends)), `insert at ${i}`);
        if (i < 6) check(spliced(items, i, 1, itemOf(`${i}`, ends, () => 1000)), `update ${i}`);
      }
      if (i === 6) continue;
      check(spliced(items, i, 1), `remove ${i}`);
      for (let to = 0; to < 6; to++) check(spliced(spliced(items, i, 1), to, 0, items[i]), `move ${i} to ${to}`);
    }
  }
});

/** Kinds of lists: by whether the hashes of their items end a group. */
const kinds = {
  "as they come": () => null, "that never end a group": () => false, "that all end a group": () => true,
  "of which half end a group": (random) => random(2) === 0, "of which few end a group": (random) => random(500) === 0,
};

/** Changes some places of a list: single items, stretches, and now and then most of it. */
function edited(items, random, kind, version) {
  let list = [...items];
  for (let n = random(4) + 1; n > 0; n--) {
    const at = random(list.length + 1);
    const count = Math.min(list.length - at, [1, 1, 2, 5, 40, 300][random(6)]);
    const newItem = (k) => itemOf(`${version}-${n}-${k}`, kind(random), random);
    const fresh = () => Array.from({ length: Math.max(1, count) }, (_, k) => newItem(k));
    const action = random(12);
    if (action < 3) list.splice(at, 0, ...fresh());
    else if (action < 5) list.splice(at, count);
    else if (action < 8) for (let i = at; i < at + count; i++) list[i] = itemOf(list[i].id, kind(random), random);
    else if (action < 10) {
      const stretch = list.splice(at, count);
      list.splice(random(list.length + 1), 0, ...stretch);
    } else if (action === 10) list = random(4) ? list.slice(0, list.length - random(3)) : list.slice(0, at);
    else if (random(4) === 0) list.reverse();
    else list.push(...fresh());
  }
  return list;
}

for (const [name, kind] of Object.entries(kinds)) {
  test(`any way of changes leads to the tree of the list, with hashes ${name} (LISTSYNC_SEED=${seed})`, () => {
    const random = randomNumbers();
    for (const length of [0, 1, 3, 40, 300, 1200, 4000]) {
      let list = Items.from(Array.from({ length }, (_, n) => itemOf(`${n}`, kind(random), random)));
      let tree = Tree.of(list);
      checkTree(tree, list, `${length} items`);
      for (let version = 1; version <= (length > 1000 ? 5 : 25); version++) {
        const step = stepTo(list, Items.from(edited(list, random, kind, version)));
        tree = tree.after(step);
        list = step.after;
        checkTree(tree, list, `step ${version} from ${length} items`);
      }
    }
  });
}

test(`changes that are not the canonical ones lead to the tree of the list, too (LISTSYNC_SEED=${seed})`, () => {
  const random = randomNumbers();
  const before = Items.from(Array.from({ length: 700 }, (_, n) => itemOf(`${n}`)));
  for (let round = 0; round < 20; round++) {
    // Each moved item stays where it is or goes to the place of another moved one.
    const places = Array.from(before, (_, index) => index).filter(() => random(round + 1) === 0);
    const targets = round % 2 ? places : [...places].reverse();
    const moved = places.map((from, i) => ({ from, to: targets[i], id: before.at(from).id }));
    const updated = moved.filter(() => random(3) === 0).map(({ from, to, id }) => ({ from, to, item: itemOf(id, null, random) }));
    const step = apply(before, { removed: [], inserted: [], moved, updated: updated.sort((a, b) => a.to - b.to) });
    checkTree(Tree.of(before).after(step), step.after, `round ${round}`);
  }
});

// --- Costs, as numbers of hashes ---

/** The number of hashes that some work computes. */
function hashCount(work) {
  const { digest } = Hash.prototype;
  let count = 0;
  Hash.prototype.digest = function (...where) {
    count++;
    return digest.apply(this, where);
  };
  try {
    work();
  } finally {
    Hash.prototype.digest = digest;
  }
  return count;
}

test("one update needs few hashes, and hardly more in a longer list", () => {
  for (const [name, kind] of Object.entries(kinds).slice(0, 3)) {
    const random = randomNumbers(17);
    for (const length of [1000, 10_000]) {
      const list = Items.from(Array.from({ length }, (_, n) => itemOf(`${n}`, kind(random))));
      const tree = Tree.of(list);
      const counts = Array.from({ length: 40 }, (_, n) => {
        const at = n < 2 ? [0, length - 1][n] : random(length);
        const updated = [{ from: at, to: at, item: itemOf(`${at}`, kind(random), random) }];
        const step = apply(list, { ...none, updated });
        return hashCount(() => tree.after(step));
      });
      const mean = counts.reduce((sum, count) => sum + count) / counts.length;
      assert.ok(Math.max(...counts) < 20, `${Math.max(...counts)} hashes for ${length} items ${name}`);
      assert.ok(mean < Math.log2(length) / 2, `${mean} hashes in the mean for ${length} items ${name}`);
    }
  }
});

test("moved items are not hashed again, and a step without changes needs no hash", () => {
  const list = Items.from(Array.from({ length: 10_000 }, (_, n) => itemOf(`${n}`)));
  const tree = Tree.of(list);
  assert.equal(hashCount(() => assert.equal(tree.after(apply(list, none)).top, tree.top)), 0);
  const rotated = stepTo(list, Items.from([...list.slice(100), ...list.slice(0, 100)]));
  assert.equal(rotated.moved.length, 100);
  assert.ok(hashCount(() => tree.after(rotated)) < 30);
});

test("d changes need in the order of d log n hashes, and as many as a new tree at most", () => {
  const list = Items.from(Array.from({ length: 20_000 }, (_, n) => itemOf(`${n}`)));
  const tree = Tree.of(list);
  const anew = hashCount(() => Tree.of(list));
  for (const distance of [2000, 200, 20, 2, 1]) {
    const places = Array.from({ length: list.length / distance }, (_, n) => n * distance);
    const updated = places.map((at) => ({ from: at, to: at, item: itemOf(`${at}`, null, () => 1) }));
    const count = hashCount(() => tree.after(apply(list, { ...none, updated })));
    const words = `${count} hashes for ${updated.length} updates, ${anew} for a new tree`;
    assert.ok(count < Math.min(8 * updated.length, 1.05 * anew), words);
  }
});

test("a tree after a change shares all other groups with the tree before", () => {
  const groupsOf = (group) => [group, ...group.children.flatMap(groupsOf)];
  let list = Items.from(Array.from({ length: 10_000 }, (_, n) => itemOf(`${n}`)));
  let tree = Tree.of(list);
  for (let n = 0; n < 10; n++) {
    const step = stepTo(list, Items.from(spliced(list, n * 999, n % 2, itemOf(`new-${n}`))));
    const after = tree.after(step);
    const old = new Set(groupsOf(tree.top));
    assert.ok(groupsOf(after.top).filter((group) => !old.has(group)).length < 20);
    [list, tree] = [step.after, after];
  }
});

// --- Chains ---

test("a chain covers the chain before, and the version's number, time, author, message and root", () => {
  const before = "0".repeat(64);
  const record = { version: 7, committed_at: "2026-11-21T11:37:00.250Z", author: "Ann", message: "é", root: root([]) };
  const records = [record, { ...record, version: 8 }, { ...record, committed_at: "2026-11-21T11:37:00.251Z" },
    { ...record, committed_at: "1926-11-21T11:37:00.250Z" }, { ...record, author: null }, { ...record, author: "" },
    { ...record, message: "" }, { ...record, message: null }, { ...record, author: "Anné", message: "" },
    { ...record, root: root([itemOf("a")]) }];
  const chains = [chainAfter("1".repeat(64), record), ...records.map((one) => chainAfter(before, one))];
  assert.equal(new Set(chains).size, records.length + 1);
  for (const chain of chains) assert.match(chain, /^[0-9a-f]{64}$/);
  // Also a time before 1970, and an author who is absent.
  const expected = ({ committed_at: time }, ...author) => {
    const milliseconds = Buffer.alloc(8);
    milliseconds.writeBigInt64LE(BigInt(Date.parse(time)));
    const parts = [numberBytes(7, 8), milliseconds, ...author, numberBytes(2, 8), "é", Buffer.from(record.root, "hex")];
    return sha256("list-chain/2", Buffer.alloc(32), ...parts).toString("hex");
  };
  assert.equal(chainAfter(before, records[3]), expected(records[3], numberBytes(3, 8), "Ann"));
  assert.equal(chainAfter(before, records[4]), expected(record, Buffer.alloc(8, 255)));
});

test("a record without a time, or with an author that is no text, is refused", () => {
  const record = { version: 1, committed_at: "2026-11-21T11:37:00Z", author: null, message: null, root: root([]) };
  for (const wrong of [{ committed_at: undefined }, { committed_at: "x" }, { committed_at: "2026-11-21T11:37:00" },
    { committed_at: "2026-11-21 11:37:00Z" }, { committed_at: "Nov 21 2026 11:37 GMT" }, { author: 7 }, { message: {} }]) {
    assert.throws(() => chainAfter("0".repeat(64), { ...record, ...wrong }), { kind: "malformed" });
  }
});
