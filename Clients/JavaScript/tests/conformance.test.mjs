// The vectors that judge every implementation: Tests/Conformance.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { apply, canonical, chainAfter, checksum, Copy, diff, Item, Items, readBundle, Replica, Server } from "../listsync.js";

const folder = new URL("../../../Tests/Conformance/", import.meta.url);
const skip = existsSync(folder) ? false : "Tests/Conformance is not there";
const list = (pairs) => Items.from(pairs.map(([id, text]) => new Item(id, text)));
const pairs = (items) => Array.from(items, ({ id, text }) => [id, text]);
const copyOf = (items, more = {}) => Copy.of({ count: items.length, checksum: checksum(items), ...more }, items);
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

vectors("checksums", ({ items, checksum: sum, steps = [] }) => {
  assert.equal(checksum(list(items)), sum);
  let copy = copyOf(list(items));
  for (const step of steps) {
    const changes = withItems(step.changes);
    const count = copy.items.length - changes.removed.length + changes.inserted.length;
    copy = copy.applying(changes, { count, checksum: step.checksum }).after;
  }
});

vectors("chains", ({ previous, version, time, author, message, old_count, new_count, changes, checksum, chain, cursor }) => {
  const step = withItems(changes);
  const items = { removed: step.removed, moved: step.moved, inserted: step.inserted, updated: step.updated };
  for (const name of ["removed", "moved"]) items[name] = items[name].map((change) => ({ ...change, item: { id: change.id } }));
  const found = chainAfter(previous, { version, committed_at: time, author, message, count: new_count, checksum }, old_count, items);
  assert.equal(found, chain);
  assert.equal(`${version}-${found.slice(0, 12)}`, cursor);
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
  assert.equal(step.root.reason ?? null, reason ?? null);
  assert.equal(step.after.state.checksum, checksum(step.after.items));
  if (to?.cursor) assert.equal(step.after.state.cursor, to.cursor);
});

vectors("refusals", ({ items, document }) => {
  assert.throws(() => copyOf(list(items)).reading(document), { name: "ListSyncError" });
});

vectors("bundles", ({ items = [], bundle, versions, target, result, refused }) => {
  const prerequisite = JSON.parse(bundle.split("\n")[0].startsWith("{") ? safe(bundle.split("\n")[0]) : "{}").prerequisite;
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
  const state = { cursor: "1-937329b3f27b", version: 1, count: 5, checksum: "e4b1a0176e8df54f16b692b0a755edbd" };
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
