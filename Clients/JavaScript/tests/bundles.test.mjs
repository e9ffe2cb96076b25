// Bundles: what proves each version, now that a chain covers roots and no steps.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { chainAfter, Copy, diff, Item, Items, readBundle, root } from "../listsync.js";

const list = (text) => Items.from(text.split(" ").filter(Boolean).map((word) => new Item(word[0], JSON.stringify(word))));
const zeros = "0".repeat(64);

const entry = ({ id, item, from, to }, hasContent) =>
  ({ id: id ?? item.id, from, to, ...(hasContent && { content: JSON.parse(item.text) }) });
const bare = ({ removed, moved, inserted, updated }) => ({
  removed: removed.map((change) => entry(change)), moved: moved.map((change) => entry(change)),
  inserted: inserted.map((change) => entry(change, true)), updated: updated.map((change) => entry(change, true)),
});

/** Records of versions with true roots and chains. */
function history(...texts) {
  let [before, chain] = [new Items(), zeros];
  const states = [Copy.empty.state];
  return texts.map((text, index) => {
    const after = list(text);
    const note = index ? { author: "Ann", message: null } : { author: null, message: "é" };
    const from = states.at(-1);
    const record = { version: index + 1, committed_at: `2026-11-2${index}T11:37:00.250Z`, ...note, count: after.length,
      root: root(after), ...bare(diff(before, after)) };
    const previous = chain;
    chain = chainAfter(chain, record);
    before = after;
    states.push({ cursor: `${index + 1}-${chain.slice(0, 32)}`, version: index + 1, count: record.count, root: record.root });
    return { ...record, ...states.at(-1), previous, from };
  });
}

/** The proven state of a record. */
const state = ({ removed, moved, inserted, updated, from, ...header }) => header;
/** The line of a record, or of an item. */
const line = (record) => {
  const { removed, moved, inserted, updated, from } = record;
  return from === undefined ? record
    : { format: "list-delta/1", kind: "changes", from, to: state(record), removed, moved, inserted, updated };
};

/** The text of a bundle; its last line is always true. */
function written(header, ...lines) {
  const body = [header, ...lines.map(line)].map((one) => `${JSON.stringify(one)}\n`).join("");
  const sha256 = createHash("sha256").update(body).digest("hex");
  return `${body}${JSON.stringify({ lines: lines.length + 1, sha256 })}\n`;
}

const header = (to, more = {}) => ({ format: "list-bundle/1", list: "parks", kind: "full", id_rule: null,
  from: Copy.empty.state, to: state(to), ...more });
const full = (records) => written(header(records.at(-1)), ...records);

test("a bundle is read in full, from a base, and from a copy", () => {
  const records = history("a b c", "c a2 b d", "", "d e");
  const read = [...readBundle(full(records))];
  assert.deepEqual(read.map(({ after }) => after.state.cursor), records.map(({ cursor }) => cursor));
  assert.deepEqual(read.map(({ after }) => after.state.root), records.map(({ root }) => root));
  const [, base, ...rest] = records;
  const items = list("c a2 b d").slice().map(({ id, text }) => ({ id, content: JSON.parse(text) }));
  const fromBase = [...readBundle(written(header(rest.at(-1), { from: state(base) }), ...items, ...rest))];
  assert.deepEqual(fromBase.map(({ record }) => record.version), [2, 3, 4]);
  const increment = written(header(rest.at(-1), { kind: "incremental", from: state(base) }), ...rest);
  assert.equal([...readBundle(increment, read[1].after)].at(-1).after.state.cursor, records[3].cursor);
  assert.throws(() => [...readBundle(increment, read[0].after)], { kind: "mismatch", message: /starts elsewhere/ });
  assert.deepEqual(read.map(({ record: { previous } }) => previous), records.map(({ previous }) => previous));
  assert.deepEqual(fromBase[0].record.chain, rest[0].previous);
  assert.deepEqual([...readBundle(written(header(Copy.empty.state)))], []);
});

test("a bundle with a wrong root, cursor, note, target or base is refused", () => {
  const records = history("a b c", "c a2 b d", "d e");
  const other = "5".repeat(64);
  const wrong = { root: other, count: 5, version: 3, committed_at: "2026-11-21T11:37:00.251Z", author: "Ben",
    message: "", cursor: `2-${other.slice(0, 32)}` };
  for (const [name, value] of Object.entries(wrong)) {
    const spoiled = records.map((record, i) => (i === 1 ? { ...record, [name]: value } : record));
    assert.throws(() => [...readBundle(full(spoiled))], { name: "ListSyncError" }, name);
  }
  const target = records.at(-1);
  for (const [name, value] of Object.entries({ ...wrong, version: 4, previous: other, cursor: records[1].cursor })) {
    const spoiled = written(header({ ...target, [name]: value }), ...records);
    assert.throws(() => [...readBundle(spoiled)], { name: "ListSyncError" }, `target ${name}`);
  }
  const items = [["c", "c"], ["a", "a2"], ["b", "b"], ["d", "d"]].map(([id, content]) => ({ id, content }));
  const fromBase = (from) => [...readBundle(written(header(target, { from }), ...items, ...records.slice(2)))];
  assert.equal(fromBase(state(records[1])).length, 2);
  const { cursor, ...withoutCursor } = state(records[1]);
  const [otherRoot, otherChain] = [{ root: other }, { previous: other }].map((more) => ({ ...state(records[1]), ...more }));
  for (const base of [otherRoot, otherChain, withoutCursor, Copy.empty.state, state(records[0])]) {
    assert.throws(() => fromBase(base), { kind: "malformed" });
  }
  const empty = [...readBundle(full(records))].at(0).before;
  const increment = (from) => written(header(target, { kind: "incremental", from }), ...records);
  assert.equal([...readBundle(increment(Copy.empty.state), empty)].length, 3);
  assert.throws(() => [...readBundle(increment({ ...Copy.empty.state, count: 1 }), empty)], { kind: "malformed" });
});

test("a whole list is no step", () => {
  const [record] = history("a b");
  const items = list("a b").slice().map(({ id, text }) => ({ id, content: JSON.parse(text) }));
  const whole = { format: "list-delta/1", kind: "snapshot", list: "parks", to: state(record), oldest: 1, reason: "first", items };
  assert.throws(() => [...readBundle(written(header(record), whole))], { name: "ListSyncError" });
});

test("a cursor or a root of another length is refused", () => {
  const records = history("a b c");
  const [record] = records;
  for (const [name, value] of Object.entries({ cursor: record.cursor.slice(0, 14), root: record.root.slice(0, 32) })) {
    assert.throws(() => [...readBundle(full([{ ...record, [name]: value }]))], { kind: "malformed" }, name);
  }
  const upper = { ...record, root: record.root.toUpperCase() };
  assert.equal([...readBundle(full([upper]))][0].after.state.root, record.root);
});

test("a step that leads to the right root, but is not the canonical one, is refused", () => {
  const steps = {
    "more moves than needed": ["a b c", "b c a", { moved: [{ id: "b", from: 1, to: 0 }, { id: "c", from: 2, to: 1 }] }],
    "a move to the same place": ["a b", "a b", { moved: [{ id: "a", from: 0, to: 0 }] }],
    "an item removed and inserted": ["a b", "b a",
      { removed: [{ id: "a", from: 0 }], inserted: [{ id: "a", to: 1, content: "a" }] }],
    "an update to the same content": ["a b", "a b", { updated: [{ id: "a", from: 0, to: 0, content: "a" }] }],
  };
  for (const [name, [before, after, changes]] of Object.entries(steps)) {
    const records = history(before, after);
    if (before !== after) assert.equal([...readBundle(full(records))].length, 2, name);
    else assert.throws(() => [...readBundle(full(records))], { kind: "mismatch", message: /canonical/ }, "a step without changes");
    const step = { removed: [], moved: [], inserted: [], updated: [], ...changes };
    const text = full([records[0], { ...records[1], ...step }]);
    assert.throws(() => [...readBundle(text)], { kind: "mismatch", message: /canonical/ }, name);
  }
});
