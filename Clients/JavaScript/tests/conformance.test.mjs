// The vectors that judge every implementation: Tests/Conformance.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { apply, canonical, chainAfter, Copy, diff, Item, Items, readBundle, Replica, root, Server } from "../listsync.js";
import { checkProof, follows } from "../proofs.js";
import { readProvenState, Tree } from "../roots.js";
import { checkNote, readKey } from "../signatures.js";

const folder = new URL("../../../Tests/Conformance/", import.meta.url);
const skip = existsSync(folder) ? false : "Tests/Conformance is not there";
const list = (pairs) => Items.from(pairs.map(([id, text]) => new Item(id, text)));
const pairs = (items) => Array.from(items, ({ id, text }) => [id, text]);
const copyOf = (items, more = {}) => Copy.of({ count: items.length, root: root(items), ...more }, items);
const withItems = ({ removed, moved, inserted, updated }) => {
  const entry = ({ id, content, ...places }) => ({ ...places, item: new Item(id, content) });
  return { removed, moved, inserted: inserted.map(entry), updated: updated.map(entry) };
};
const bare = ({ removed, moved, inserted, updated }) => ({
  removed: removed.map(({ from, item }) => ({ id: item.id, from })),
  moved: moved.map(({ id, from, to }) => ({ id, from, to })),
  inserted: inserted.map(({ to, item: { id, text } }) => ({ id, to, content: text })),
  updated: updated.map(({ from, to, item: { id, text } }) => ({ id, from, to, content: text })),
});

/** Calls `judge` with each vector of a file; the first failure names its vector. */
function vectors(file, judge) {
  test(`vectors of ${file}`, { skip }, async () => {
    const { vectors } = JSON.parse(readFileSync(new URL(`${file}.json`, folder), "utf8"));
    assert.ok(vectors.length > 0);
    for (const vector of vectors) {
      try {
        await judge(vector);
      } catch (error) {
        error.message = `${vector.name} (${vector.rules}): ${error.message}`;
        throw error;
      }
    }
  });
}

vectors("contents", ({ json, hex, canonical: form, refused }) => {
  const read = () => canonical(json ?? new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(hex, "hex")));
  if (refused) assert.throws(read);
  else assert.equal(read(), form);
});

vectors("proofs", ({ proof, cursor, headers, follows: wanted, refused, id, index, count }) => {
  if (headers) return assert.equal(follows(cursor, headers.map((text) => readProvenState(JSON.parse(text), "header"))), wanted);
  if (refused) return assert.throws(() => checkProof(proof, cursor), { name: "ListSyncError" });
  const found = checkProof(proof, cursor);
  assert.deepEqual([found.item.id, found.index, found.count], [id, index, count]);
});

vectors("notes", async ({ note, key, list, version, root, chain, successor = null, refused }) => {
  if (refused === "malformed") return assert.equal(readKey(key), null);
  const check = async () => checkNote(note, readKey(key), list);
  if (refused) return assert.rejects(check, { name: "ListSyncError", kind: refused });
  const found = await check();
  assert.deepEqual([found.version, found.root, found.chain, found.successor?.text ?? null], [version, root, chain, successor]);
});

/** The groups of level 1 of a tree. */
const leaves = (group) => (group.level > 1 ? group.children.flatMap(leaves) : [group]);
const cursorOf = (version, chain) => `${version}-${chain.slice(0, 32)}`;
const zeros = "0".repeat(64);

/** The document of an empty list, as read, with other members, and other members of the state that it starts from. */
const emptied = (members, state) => Copy.empty.reading(JSON.stringify({ format: "list-delta/1", kind: "snapshot", list: "parks",
  from: { ...Copy.empty.state, ...state }, to: Copy.empty.state, oldest: 1, reason: "first", items: [], ...members })).delta;

const spelled = {
  cursor: (cursor) => emptied({}, { cursor }).from.cursor,
  "list-name": (list) => emptied({ list }).list,
  root: (root) => emptied({}, { root }).from.root,
};

vectors("spellings", ({ kind, text, written, refused }) => {
  const read = spelled[kind];
  if (!read) return;
  if (refused) assert.throws(() => read(text), { kind: "malformed" });
  else assert.equal(read(text), written);
});

vectors("roots", ({ items, root: expected, groups, hashes = [], steps = [] }) => {
  assert.equal(root(list(items)), expected);
  const found = leaves(Tree.of(list(items)).top);
  if (groups !== undefined) assert.equal(found.length, groups);
  if (hashes.length) assert.equal(Buffer.concat(found.map((group) => group.hashes)).toString("hex"), hashes.join(""));
  let copy = copyOf(list(items));
  for (const step of steps) {
    const changes = withItems(step.changes);
    const count = copy.items.length - changes.removed.length + changes.inserted.length;
    copy = copy.applying(changes, { count, root: step.root }).after;
  }
});

vectors("chains", ({ previous, version, time, author, message, root, chain, cursor }) => {
  const found = chainAfter(previous, { version, committed_at: time, author, message, root });
  assert.equal(found, chain);
  assert.equal(cursorOf(version, found), cursor);
});

vectors("diffs", ({ old, new: after, changes }) => {
  assert.deepEqual(bare(diff(list(old), list(after))), changes);
  assert.deepEqual(pairs(apply(list(old), withItems(changes)).after), after);
});

vectors("compositions", ({ a, b, c, ab, bc, ac }) => {
  assert.deepEqual(pairs(apply(apply(list(a), withItems(ab)).after, withItems(bc)).after), c);
  assert.deepEqual(bare(diff(list(a), list(c))), ac);
  assert.deepEqual(bare(diff(list(a), list(b))), ab);
});

vectors("deltas", ({ items, document, kind, reason, to, result }) => {
  if (kind === "merge") return;
  const step = copyOf(list(items)).reading(document);
  assert.deepEqual(pairs(step.after.items), result);
  assert.equal(step.delta.reason ?? null, reason ?? null);
  assert.equal(step.after.state.root, root(step.after.items));
  if (to?.cursor) assert.equal(step.after.state.cursor, to.cursor);
});

vectors("refusals", ({ items, document }) => {
  assert.throws(() => copyOf(list(items)).reading(document), { name: "ListSyncError" });
});

vectors("bundles", ({ items = [], bundle, versions, target, result, refused }) => {
  const header = JSON.parse(bundle.startsWith("{") ? safe(bundle.split("\n")[0]) : "{}");
  const prerequisite = header.kind === "incremental" ? header.from : undefined;
  const start = prerequisite ? copyOf(list(items), { cursor: prerequisite.cursor, version: prerequisite.version }) : Copy.empty;
  if (refused) return assert.throws(() => [...readBundle(bundle, start)], { name: "ListSyncError" });
  const read = [...readBundle(bundle, start)];
  if (result) assert.deepEqual(pairs((read.at(-1)?.after ?? start).items), result);
  assert.equal(read.length ? read.at(-1).after.state.cursor : prerequisite?.cursor ?? Copy.empty.state.cursor, target.cursor ?? target);
  if (versions) assert.deepEqual(read.slice(-versions.length || read.length).map(({ record }) => record.version), versions.map((one) => one.version ?? one));
});

function safe(text) {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return "{}";
  }
}

const parks = [["yosemite", '{"name":"Yosemite"}'], ["zion", '{"name":"Zion"}'], ["acadia", '{"name":"Acadia"}'],
  ["arches", '{"name":"Arches"}'], ["denali", '{"name":"Denali"}']];
/** The record of version 1 of the list in answers.json and chains.json. */
const spring = { version: 1, committed_at: "2026-09-21T14:13:20Z", author: null, message: "Spring", root: root(list(parks)) };

vectors("answers", async ({ status, headers, body, meaning }) => {
  const answers = [new Response([204, 304].includes(status) ? null : Buffer.from(body), { status, headers })];
  const asked = [];
  const fetch = async (url) => {
    asked.push(url);
    if (answers.length) return answers.shift();
    throw new Error("over");
  };
  const replica = new Replica(new Server("http://lists.example", { fetch }), "parks", { watch: false, firstSeconds: 0.001, tries: 2,
    highestRetryAfterSeconds: 0.001 });
  const state = { cursor: cursorOf(1, chainAfter(zeros, spring)), version: 1, count: parks.length, root: spring.root };
  // A whole list for an empty copy is none for another one.
  if (!body.includes('"from":{"cursor":"0-')) replica.copy = Copy.of(state, list(parks));
  let [updates, failure] = [[], null];
  try {
    for await (const update of replica) updates.push(update);
  } catch (error) {
    failure = error;
  }
  const isAskedAgain = asked.length > 1;
  const found = updates.length ? (updates[0].reason === "changes" ? "changes" : "snapshot") : !failure ? "nothing-new"
    : isAskedAgain ? (asked[1].includes("since=0-") ? "start-over" : "retry") : "stop";
  assert.equal(found, meaning);
});
