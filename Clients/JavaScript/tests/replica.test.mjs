import assert from "node:assert/strict";
import test from "node:test";
import { canonical, Copy, diff, Item, Items, Replica, Server } from "../listsync.js";
import { history, provenState, zeros } from "./histories.mjs";

const list = (...contents) => Items.from(contents.map((content) => new Item(content.id, canonical(JSON.stringify(content)))));

/** The state of a list at a version of the history of `one` and, from version 2 on, of others. */
function stateOf(version, items, before = one) {
  if (version === 0) return Copy.empty.state;
  const previous = version === 1 ? zeros : version === 2 ? stateOf(1, before).chain : "5".repeat(64);
  return provenState(version, items, { previous });
}
const plain = ({ cursor, version, count, root }) => ({ cursor, version, count, root });

function whole(version, items, reason, more = {}) {
  const entries = Array.from(items, ({ id, content }) => ({ id, content }));
  const to = stateOf(version, items);
  return { format: "list-delta/1", kind: "snapshot", list: "parks", to, oldest: 1, more: false, reason, items: entries, ...more };
}

function changes(from, before, to, after, more = false) {
  const step = diff(before, after);
  const entry = ({ item: { id, content }, from, to }) => ({ id, from, to, content });
  return { format: "list-delta/1", kind: "changes", list: "parks", from: plain(stateOf(from, before)), to: stateOf(to, after, before), more,
    removed: step.removed.map(({ from, item }) => ({ id: item.id, from })),
    moved: step.moved.map(({ id, from, to }) => ({ id, from, to })),
    inserted: step.inserted.map(entry), updated: step.updated.map(entry) };
}

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

const noAddresses = ["", "lists.example", "localhost:8080", "ftp://h", "https://", "file:///etc/passwd", "http://a b/", "http://h:0",
  "http://h:65536", "http://[::1]:70000/a", "http://[::1", "http://h:80:80", "http://u:secret@h", "http://h?token=secret", "http://h/#x"];
const noNames = ["", ".parks", "-parks", "a/b", "../parks", "parks?wait=9", "pärks", "a".repeat(101), "parks\n", null, undefined, 7];
const isRefused = { name: "ListSyncError", kind: "malformed" };

test("an address and a name that cannot be are refused before any request", async () => {
  const fetch = () => assert.fail("it asks");
  for (const address of noAddresses) {
    for (const make of [() => new Server(address, { fetch }), () => new Replica(address, "parks", { fetch })])
      assert.throws(make, (error) => error.kind === "malformed" && !error.message.includes("secret"), `"${address}"`);
  }
  const server = new Server("http://lists.example", { fetch });
  for (const name of noNames) {
    for (const place of [server, "http://lists.example"]) assert.throws(() => new Replica(place, name, { fetch }), isRefused, `"${name}"`);
    await assert.rejects(server.commit(name, []), isRefused);
    // Without a name, the events are those of all lists.
    if (name) await assert.rejects(server.heads(name).next(), isRefused);
  }
});

test("an address has no last slash, and may be relative in a page", () => {
  const urlOf = (address) => new Server(address).url;
  assert.equal(urlOf("https://lists.example//"), "https://lists.example");
  assert.equal(urlOf(new URL("http://[::1]:8080/a/b")), "http://[::1]:8080/a/b");
  globalThis.location = { href: "https://lists.example/page?list=parks" };
  try {
    assert.deepEqual(["", "/a/", "b"].map(urlOf), ["", "/a", "b"]);
    assert.throws(() => urlOf("localhost:8080"), isRefused);
  } finally {
    delete globalThis.location;
  }
});

test("the first list and pages of changes are verified and handed out", async () => {
  const { asked, replica, updates } = await run([whole(1, one, "first", { from: Copy.empty.state }),], {});
  assert.deepEqual(replica.state, plain(stateOf(1, one)));
  assert.deepEqual(updates.map(({ reason, inserted }) => [reason, inserted.length]), [["first", 2]]);
  assert.equal(asked[0].url, `http://lists.example/v1/lists/parks/delta?since=0-${"0".repeat(32)}&fallback=snapshot`);
  assert.equal(asked[0].headers.Authorization, "Bearer secret");
  const middle = list({ id: "b" });
  const pages = await run([changes(0, new Items(), 1, one, true), changes(1, one, 2, middle, true), changes(2, middle, 4, two)]);
  assert.deepEqual([...pages.replica.items].map(({ text }) => text), [...two].map(({ text }) => text));
  assert.deepEqual(pages.updates.map(({ after }) => after.state.version), [1, 2, 4]);
  assert.equal(pages.asked[1].headers["If-None-Match"], `"${stateOf(1, one).cursor}"`);
  assert.match(pages.asked[1].url, new RegExp(`since=${stateOf(1, one).cursor}&`));
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
  const { error, replica } = await run([{ ...first, more: true }, spoiled, { ...again, to: stateOf(5, one) }]);
  assert.equal(error.kind, "mismatch");
  assert.equal(replica.state.version, 1);
});

test("changes that remove and move the last item are not shown, although they have the root", async () => {
  const after = list({ id: "n" }, { id: "a" }, { id: "b" });
  const spoiled = { ...changes(1, one, 2, after), removed: [{ id: "b", from: 1 }], moved: [{ id: "b", from: 1, to: 2 }] };
  const { updates, replica } = await run([{ ...whole(1, one, "first", { from: Copy.empty.state }), more: true }, spoiled,
    whole(5, two, "first", { from: Copy.empty.state })]);
  assert.deepEqual(updates.map(({ reason, after }) => [reason, after.state.version]), [["first", 1], ["mismatch", 5]]);
  assert.deepEqual(Array.from(replica.items, ({ id }) => id), ["b", "c", "a"]);
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
  const back = await run([{ ...first, more: true }, { ...changes(1, one, 2, two), to: provenState(1, two) }, first]);
  assert.equal(back.updates[1].reason, "mismatch");
});

test("a copy is saved before it is handed out, and a damaged one counts as none", async () => {
  const saved = [];
  const storage = { load: async () => null, save: async (copy) => void saved.push(copy.state.version) };
  const first = whole(1, one, "first", { from: Copy.empty.state });
  await run([first], { storage });
  assert.deepEqual(saved, [1]);
  const entries = Array.from(one, ({ id, text }) => [id, text]);
  const state = { ...stateOf(1, one), list: "parks" };
  const load = async () => ({ state, items: entries });
  const none = new Response(null, { status: 304, headers: { ETag: `"${stateOf(1, one).cursor}+gzip"` } });
  assert.equal((await run([none], { storage: { ...storage, load } })).replica.items.length, 2);
  const { root, ...withoutRoot } = state;
  const others = {
    damaged: { state, items: entries.slice(1) }, "of no list": { state: stateOf(1, one), items: entries },
    "without a root": { state: withoutRoot, items: entries },
    "with a short cursor": { state: { ...withoutRoot, root, cursor: "1-0123456789ab" }, items: entries },
    "without a cursor": { state: { root, count: 2, list: "parks" }, items: entries }, "without a state": { items: entries },
    "without items": { state }, "with an item that is none": { state, items: [entries[0], undefined] },
    "with a content that is none": { state, items: [entries[0], ["b"]] }, "of another form": 7,
  };
  for (const [name, copy] of Object.entries(others)) {
    saved.length = 0;
    const { asked, updates } = await run([first], { storage: { ...storage, load: async () => copy } });
    assert.match(asked[0].url, /since=0-/, name);
    assert.deepEqual([updates.map(({ reason }) => reason), saved], [["first"], [1]], name);
  }
});

test("a loop waits for the saved copy that is loaded, which is loaded once", async () => {
  let loadCount = 0;
  const load = async () => {
    loadCount++;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { state: { ...stateOf(1, one), list: "parks" }, items: Array.from(one, ({ id, text }) => [id, text]) };
  };
  const { asked, server } = scripted(changes(1, one, 2, two));
  const replica = new Replica(server, "parks", { watch: false, tries: 1, storage: { load, save: async () => {} } });
  const started = replica.start();
  for await (const { before, after } of replica) assert.deepEqual([before.state.version, after.state.version], [1, 2]);
  assert.equal(await started, replica);
  assert.deepEqual([asked.length, loadCount], [1, 1]);
});

test("a saved copy that cannot be loaded now is loaded by the next loop", async () => {
  const loads = [async () => Promise.reject(new Error("busy")), async () => null];
  const { server } = scripted(whole(1, one, "first", { from: Copy.empty.state }));
  const replica = new Replica(server, "parks", { watch: false, tries: 1, storage: { load: () => loads.shift()(), save: async () => {} } });
  const loop = async () => {
    for await (const update of replica) return update.after.state.version;
  };
  await assert.rejects(loop(), { message: "busy" });
  assert.equal(await loop(), 1);
});

test("a second loop over a replica is refused while one runs", async () => {
  const saved = [];
  const storage = { load: async () => null, save: async ({ state }) => void saved.push(state.version) };
  const pages = [whole(1, one, "first", { from: Copy.empty.state, more: true }), changes(1, one, 2, two, true), changes(2, two, 4, one)];
  const { server } = scripted(...pages);
  const replica = new Replica(server, "parks", { watch: false, tries: 1, storage });
  const loop = async (limit) => {
    for await (const { after } of replica) if (after.state.version >= limit) break;
  };
  const first = loop(1);
  await assert.rejects(loop(4), { name: "ListSyncError", kind: "running" });
  await first;
  await loop(4);
  assert.deepEqual(saved, [1, 2, 4]);
});

// --- Proofs of the history ---

const first = { ...whole(1, one, "first", { from: Copy.empty.state }), more: true };

test("an answer without a header, or with one that leads to another cursor, is refused", async () => {
  const next = changes(1, one, 2, two);
  const missing = ["version", "committed_at", "message", "previous"].map((name) => ({ [name]: undefined }));
  const others = [{ author: "Ben" }, { committed_at: "2026-11-21T11:37:01Z" }, { version: 3 }, { version: "2" }, { previous: zeros },
    { cursor: stateOf(2, one).cursor }];
  const empty = [{ count: 1 }, { cursor: `0-${"1".repeat(32)}` }, { root: next.to.root }];
  const wrong = [plain(next.to), ...[...missing, ...others].map((more) => ({ ...next.to, ...more })),
    ...empty.map((more) => ({ ...Copy.empty.state, ...more }))];
  for (const to of wrong) {
    const { updates, asked } = await run([first, { ...next, to }, whole(3, two, "first", { from: Copy.empty.state })]);
    assert.deepEqual(updates.map(({ reason }) => reason), ["first", "mismatch"], JSON.stringify(to));
    assert.equal(asked.length, 3);
    assert.throws(() => Copy.of(stateOf(1, one), one).reading(JSON.stringify({ ...next, to })), { kind: "malformed" });
  }
  const { cursor, version, ...compared } = plain(next.to);
  const step = Copy.of(stateOf(1, one), one).reading(JSON.stringify({ ...next, to: compared }));
  assert.deepEqual(step.after.state, { cursor: undefined, version: undefined, ...compared });
});

test("a next version that does not follow from the copy's is refused, and the copy stays", async () => {
  const saved = [];
  const storage = { load: async () => null, save: async (copy) => void saved.push(copy.state.version) };
  for (const prove of [false, true]) {
    saved.length = 0;
    const previous = stateOf(1, one).chain.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    const rewritten = { ...changes(1, one, 2, two), to: provenState(2, two, { previous }) };
    const { error, asked, replica } = await run([first, rewritten], { storage, prove });
    assert.deepEqual([error.kind, asked.length, replica.state.version, saved], ["rewritten", 2, 1, [1]]);
  }
});

test("a whole list that is smaller than the changes to the next version must follow from the copy's, too", async () => {
  const saved = [];
  const storage = { load: async () => null, save: async (copy) => void saved.push(copy.state.version) };
  const smaller = whole(2, two, "smaller", { from: plain(stateOf(1, one)), to: stateOf(2, two, one) });
  const sound = await run([first, smaller]);
  assert.deepEqual([sound.error, sound.updates.at(-1).reason], [undefined, "smaller"]);
  const rewritten = { ...smaller, to: provenState(2, two, { previous: "7".repeat(64) }) };
  const { error, asked, replica } = await run([first, rewritten], { storage });
  assert.deepEqual([error?.kind, asked.length, replica.state.version, saved], ["rewritten", 2, 1, [1]]);
});

test("without `prove`, a whole list may be of another history", async () => {
  for (const reason of ["diverged", "too-old"]) {
    const other = { ...whole(2, two, reason), to: provenState(2, two, { previous: "7".repeat(64) }) };
    const { updates, error } = await run([first, other]);
    assert.deepEqual([error, updates.at(-1).reason], [undefined, reason]);
  }
});

const lists = [one, two, list({ id: "c" }), list({ id: "c" }, { id: "d" }), list()];
const states = history(...lists);
const later = { ...changes(1, one, 5, lists[4]), to: states[4] };
/** The answer to a request for headers, newest first, as a server has them. */
const versions = (from, to, all = states) => {
  const changes = { removed: 0, moved: 0, inserted: 1, updated: 0 };
  return JSON.stringify(all.slice(from - 1, to).reverse().map((state) => ({ ...state, changes })));
};

test("with `prove`, a replica asks for the headers since its version, and they must lead to it", async () => {
  const { updates, asked, error } = await run([first, later, versions(2, 5)], { prove: true });
  assert.equal(error, undefined);
  assert.deepEqual(updates.map(({ after }) => after.state.cursor), [states[0].cursor, states[4].cursor]);
  assert.equal(asked[2].url, "http://lists.example/v1/lists/parks/versions?before=6&limit=4");
  assert.equal(asked[2].headers.Authorization, "Bearer secret");
  const pages = await run([first, later, versions(4, 5), versions(3, 3), versions(2, 2)], { prove: true });
  const queries = pages.asked.slice(2).map(({ url }) => url.split("?")[1]);
  assert.deepEqual(queries, ["before=6&limit=4", "before=4&limit=2", "before=3&limit=1"]);
  assert.equal(pages.replica.state.version, 5);
  const unasked = await run([first, later]);
  assert.deepEqual([unasked.asked.length, unasked.replica.state.version], [2, 5]);
  const next = await run([first, { ...changes(1, one, 2, two), to: states[1] }], { prove: true });
  assert.deepEqual([next.asked.length, next.replica.state.version], [2, 2]);
});

test("with `prove`, headers of another history are refused, and none are unproven", async () => {
  const other = history(two, ...lists.slice(1));
  const fork = provenState(4, lists[3], { previous: states[2].chain, author: "Ben" });
  const forked = [...states.slice(0, 3), fork, states[4]];
  const cases = {
    "another history": [{ ...later, to: other[4] }, versions(2, 5, other), "rewritten"],
    "one of another history": [later, versions(2, 5, forked), "rewritten"],
    "to another version": [later, versions(2, 4), "rewritten"],
    "more than asked for": [later, versions(1, 5), "rewritten"],
    "a gap": [later, JSON.stringify([states[4], states[2], states[1]]), "rewritten"],
    "oldest first": [later, JSON.stringify(states.slice(1)), "rewritten"],
    "version 0": [later, JSON.stringify([states[4], Copy.empty.state]), "rewritten"],
    "none": [later, "[]", "unproven"],
  };
  for (const [name, [delta, headers, kind]] of Object.entries(cases)) {
    const { error, asked, replica } = await run([first, delta, headers], { prove: true });
    assert.deepEqual([error?.kind, asked.length, replica.state.version], [kind, 3, 1], name);
  }
  const cut = await run([first, later, versions(4, 5), "[]"], { prove: true });
  assert.deepEqual([cut.error.kind, cut.asked.length], ["unproven", 4]);
});

test("with `prove`, headers that are damaged, or lost on the way, are asked for again", async () => {
  const html = new Response("<p>wait</p>", { headers: { "Content-Type": "text/html" } });
  const network = await run([first, later, html, later, problem(503, "busy"), later, versions(2, 5)], { prove: true });
  assert.deepEqual([network.error, network.replica.state.version], [undefined, 5]);
  const last = { ...whole(5, lists[4], "first", { from: Copy.empty.state }), to: states[4] };
  for (const damaged of ["{}", "[null]", "{", versions(2, 5).replace('"Ann"', '"Ben"')]) {
    const { updates } = await run([first, later, damaged, last, versions(2, 5)], { prove: true });
    assert.deepEqual(updates.map(({ reason }) => reason), ["first", "mismatch"], damaged);
    const twice = await run([first, later, damaged, last, damaged], { prove: true });
    assert.deepEqual([twice.error.kind, twice.replica.state.version], ["malformed", 1], damaged);
  }
});

test("with `prove`, a whole list must follow from the copy, too", async () => {
  const wholeLater = (reason, from) => ({ ...whole(5, lists[4], reason), to: states[4], from });
  const smaller = await run([first, wholeLater("smaller", plain(states[0])), versions(2, 5)], { prove: true });
  assert.deepEqual(smaller.updates.map(({ reason }) => reason), ["first", "smaller"]);
  const again = wholeLater("first", Copy.empty.state);
  const cases = {
    "smaller, and of another history": [[wholeLater("smaller", plain(states[0])), versions(2, 4)], "rewritten"],
    diverged: [[wholeLater("diverged")], "rewritten"], "too old": [[wholeLater("too-old")], "unproven"],
    "409 diverged": [[problem(409, "diverged"), again], "rewritten"],
    "404 no-such-version": [[problem(404, "no-such-version"), again], "rewritten"],
    "410 too-old": [[problem(410, "too-old"), again], "unproven"],
    "an older list after a wrong answer": [["{", whole(1, two, "first", { from: Copy.empty.state })], "rewritten"],
    "an empty list after a wrong answer": [["{", changes(0, new Items(), 0, new Items())], "rewritten"],
  };
  for (const [name, [answers, kind]] of Object.entries(cases)) {
    const { error, asked, replica } = await run([first, ...answers], { prove: true });
    assert.deepEqual([error?.kind, asked.length, replica.state.version], [kind, 1 + answers.length, 1], name);
  }
  const mended = await run([first, "{", again, versions(2, 5)], { prove: true });
  assert.deepEqual(mended.updates.map(({ reason }) => reason), ["first", "mismatch"]);
  const same = await run([first, "{", { ...first, more: false }], { prove: true });
  assert.deepEqual([same.error, same.asked.length], [undefined, 3]);
});
