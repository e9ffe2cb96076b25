import assert from "node:assert/strict";
import test from "node:test";
import { canonical, Copy, diff, Item, Items, Replica, root, Server } from "../listsync.js";

const list = (...contents) => Items.from(contents.map((content) => new Item(content.id, canonical(JSON.stringify(content)))));
const chain = "0123456789abcdef".repeat(2);
const stateOf = (version, items) => ({ cursor: `${version}-${chain}`, version, count: items.length, root: root(items) });
const a = stateOf.bind(null);

function whole(version, items, reason, more = {}) {
  const entries = Array.from(items, ({ id, content }) => ({ id, content }));
  const to = a(version, items);
  return { format: "list-delta/1", kind: "snapshot", list: "parks", to, oldest: 1, more: false, reason, items: entries, ...more };
}

function changes(from, before, to, after, more = false) {
  const step = diff(before, after);
  const entry = ({ item: { id, content }, from, to }) => ({ id, from, to, content });
  return { format: "list-delta/1", kind: "changes", list: "parks", from: version(from, before), to: version(to, after), more,
    removed: step.removed.map(({ from, item }) => ({ id: item.id, from })),
    moved: step.moved.map(({ id, from, to }) => ({ id, from, to })),
    inserted: step.inserted.map(entry), updated: step.updated.map(entry) };
}

const version = (number, items) => (number ? stateOf(number, items) : Copy.empty.state);

/** A server that gives one answer after the other; `asked` has the requests. */
function scripted(...answers) {
  const asked = [];
  const fetch = async (url, options) => {
    asked.push({ url, ...options });
    const answer = answers.shift();
    if (answer === undefined) throw new Error("the script is over");
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    const body = typeof answer === "string" ? answer : JSON.stringify(answer);
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  };
  return { asked, server: new Server("http://lists.example", { token: "secret", fetch }) };
}

const problem = (status, kind, headers = {}) =>
  new Response(JSON.stringify({ type: `urn:listsync:problem:${kind}`, title: kind, detail: kind }),
    { status, headers: { "Content-Type": "application/problem+json", ...headers } });

async function run(answers, options) {
  const { asked, server } = scripted(...answers);
  const replica = new Replica(server, "parks", { watch: false, firstSeconds: 0.001, ...options });
  const updates = [];
  try {
    for await (const update of replica) updates.push(update);
    return { asked, replica, updates };
  } catch (error) {
    return { asked, replica, updates, error };
  }
}

const one = list({ id: "a" }, { id: "b" });
const two = list({ id: "b", n: 1 }, { id: "c" }, { id: "a" });

test("the first list and pages of changes are verified and handed out", async () => {
  const { asked, replica, updates } = await run([whole(1, one, "first", { from: Copy.empty.state }),], {});
  assert.equal(replica.state.cursor, `1-${chain}`);
  assert.deepEqual(updates.map(({ reason, inserted }) => [reason, inserted.length]), [["first", 2]]);
  assert.equal(asked[0].url, `http://lists.example/v1/lists/parks/delta?since=0-${"0".repeat(32)}&fallback=snapshot`);
  assert.equal(asked[0].headers.Authorization, "Bearer secret");
  const middle = list({ id: "b" });
  const pages = await run([changes(0, new Items(), 1, one, true), changes(1, one, 2, middle, true), changes(2, middle, 3, two)]);
  assert.deepEqual([...pages.replica.items].map(({ text }) => text), [...two].map(({ text }) => text));
  assert.deepEqual(pages.updates.map(({ after }) => after.state.version), [1, 2, 3]);
  assert.equal(pages.asked[1].headers["If-None-Match"], `"1-${chain}"`);
  assert.match(pages.asked[1].url, new RegExp(`since=1-${chain}&`));
});

test("an update has every change with the items before and after", async () => {
  const { updates } = await run([changes(0, new Items(), 1, one, true), changes(1, one, 2, two)]);
  const { removed, moved, inserted, updated, before, after } = updates[1];
  assert.deepEqual([removed.length, moved.length, inserted.length, updated.length], [0, 1, 1, 1]);
  assert.deepEqual([updated[0].before.content, updated[0].item.content], [{ id: "b" }, { id: "b", n: 1 }]);
  assert.deepEqual([before.state.version, after.state.version], [1, 2]);
});

test("contents that are not canonical are made so", async () => {
  const text = JSON.stringify(whole(1, list({ id: "a", b: 1 }), "first", { from: Copy.empty.state }))
    .replace('{"b":1,"id":"a"}', '{ "id":"\\u0061", "b":1.0 }');
  assert.match(text, /1\.0/);
  const { replica } = await run([text]);
  assert.equal(replica.items.at(0).text, '{"b":1,"id":"a"}');
});

test("a version that is gone, another history and a wrong answer lead to the whole list, once", async () => {
  const first = whole(1, one, "first", { from: Copy.empty.state });
  const again = whole(5, two, "first", { from: Copy.empty.state });
  const spoiled = changes(1, one, 5, two);
  spoiled.updated[0].content = { id: "b", n: 2 };
  const cases = { "too-old": problem(410, "too-old"), diverged: problem(409, "diverged"), mismatch: spoiled };
  for (const [reason, answer] of Object.entries(cases)) {
    const { updates, replica, asked } = await run([{ ...first, kind: "snapshot", more: true }, answer, again]);
    assert.deepEqual(updates.map((update) => update.reason), ["first", reason]);
    assert.deepEqual([replica.state.version, updates[1].moved.length], [5, 1]);
    assert.match(asked[2].url, /since=0-0{32}&/);
    assert.equal(asked[2].headers["If-None-Match"], undefined);
  }
  for (const reason of ["too-old", "diverged"]) {
    const { updates } = await run([{ ...first, more: true }, whole(5, two, reason)]);
    assert.equal(updates[1].reason, reason);
  }
  const { error, replica } = await run([{ ...first, more: true }, spoiled, { ...again, to: { ...again.to, root: "0".repeat(64) } }]);
  assert.equal(error.kind, "mismatch");
  assert.equal(replica.state.version, 1);
});

test("a list that a server has lost becomes empty", async () => {
  const notModified = changes(0, new Items(), 0, new Items());
  const first = { ...whole(1, one, "first", { from: Copy.empty.state }), more: true };
  const { updates, replica } = await run([first, problem(409, "diverged"), notModified]);
  assert.deepEqual([updates.length, updates[1].removed.length, replica.state.version], [2, 2, 0]);
});

test("failures that may pass are tried again, others are not", async () => {
  const first = whole(1, one, "first", { from: Copy.empty.state });
  const html = () => new Response("<p>wait</p>", { headers: { "Content-Type": "text/html" } });
  const statuses = [];
  const answers = [new Error("no network"), problem(503, "busy", { "Retry-After": "0" }), html(), problem(429, "busy"), first];
  const { replica, asked } = await run(answers, { onStatus: ({ state }) => statuses.push(state) });
  assert.deepEqual([replica.state.version, asked.length, statuses.filter((state) => state === "waiting").length], [1, 5, 4]);
  for (const [status, kind] of [[401, "unauthenticated"], [403, "forbidden"], [404, "not-found"], [410, "gone"], [400, "invalid-request"]]) {
    const { error, asked } = await run([problem(status, kind)]);
    assert.deepEqual([error.kind, error.status, asked.length], [kind, status, 1]);
  }
  const { error } = await run([problem(503, "busy"), problem(503, "busy")], { tries: 2 });
  assert.equal(error.kind, "unavailable");
});

test("an answer for another state, list or direction is not applied", async () => {
  const misdelivered = changes(3, one, 4, two);
  const first = whole(1, one, "first", { from: Copy.empty.state });
  const { asked } = await run([misdelivered, first]).catch((error) => ({ error }));
  assert.equal(asked.length, 2);
  const other = await run([{ ...first, list: "movies" }, { ...first, list: "movies" }]);
  assert.equal(other.error.kind, "mismatch");
  const back = await run([{ ...first, more: true }, { ...changes(1, one, 2, two), to: { ...stateOf(2, two), cursor: `0-${chain}` } }, first]);
  assert.equal(back.updates[1].reason, "mismatch");
});

test("a copy is saved before it is handed out, and a damaged one counts as none", async () => {
  const saved = [];
  const storage = { load: async () => null, save: async (copy) => void saved.push(copy.state.version) };
  const first = whole(1, one, "first", { from: Copy.empty.state });
  await run([first], { storage });
  assert.deepEqual(saved, [1]);
  const entries = Array.from(one, ({ id, text }) => [id, text]);
  const load = async () => ({ state: stateOf(1, one), items: entries });
  const none = new Response(null, { status: 304, headers: { ETag: `"1-${chain}+gzip"` } });
  assert.equal((await run([none], { storage: { ...storage, load } })).replica.items.length, 2);
  const { root, ...withoutRoot } = stateOf(1, one);
  const others = {
    damaged: { state: stateOf(1, one), items: entries.slice(1) },
    "without a root": { state: withoutRoot, items: entries },
    "with a short cursor": { state: { ...withoutRoot, root, cursor: "1-0123456789ab" }, items: entries },
    "without a cursor": { state: { root, count: 2 }, items: entries }, "without a state": { items: entries },
  };
  for (const [name, copy] of Object.entries(others)) {
    saved.length = 0;
    const { asked, updates } = await run([first], { storage: { ...storage, load: async () => copy } });
    assert.match(asked[0].url, /since=0-/, name);
    assert.deepEqual([updates.map(({ reason }) => reason), saved], [["first"], [1]], name);
  }
});
