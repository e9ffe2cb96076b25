// The files of a publication (P47 to P50), and what stands in their place.
import assert from "node:assert/strict";
import test from "node:test";
import { Copy, diff, Item, Items, Replica } from "../listsync.js";
import { readPublicationHead } from "../publications.js";
import { history } from "./histories.mjs";

/** Versions 0 to 3 of the parks; version n has n items. */
const lists = ["", "a", "ab", "abc"].map((names) => Items.from([...names].map((name) => new Item(name, "1"))));
const states = [Copy.empty.state, ...history(...lists.slice(1))];
const plain = ({ cursor, version, count, root }) => ({ cursor, version, count, root });

function changes(from, to) {
  const inserted = diff(lists[from], lists[to]).inserted.map(({ to, item: { id, content } }) => ({ id, to, content }));
  return { format: "list-delta/1", kind: "changes", list: "parks", from: plain(states[from]), to: states[to], removed: [], moved: [], inserted,
    updated: [] };
}
const whole = (version) => ({ format: "list-delta/1", kind: "snapshot", list: "parks", from: Copy.empty.state, to: states[version], oldest: 1,
  reason: "first", items: Array.from(lists[version], ({ id, content }) => ({ id, content })) });

const delta = (to) => `delta/1/${states[to].cursor}.json`;

/** The files of a publication with the whole list of version 1, and the deltas from there to another one. */
function files(version) {
  const deltas = Array.from({ length: version - 1 }, (_, n) => [delta(n + 2), changes(n + 1, n + 2)]);
  const head = { format: "list-publication/1", list: "parks", head: states[version], oldest: 1, base: 2,
    levels: deltas.length ? [{ count: deltas.length, bytes: 100 * deltas.length }] : [], whole: { ...states[1], file: "whole.json", bytes: 5000 } };
  return { "head.json": head, "whole.json": whole(1), ...Object.fromEntries(deltas) };
}

const json = (body, headers) => new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json", ...headers } });
/** The login page of a network, which is not in UTF-8. */
const page = () => new Response(Buffer.from("<html><h1>Gr\xfcezi</h1></html>", "latin1"), { headers: { "Content-Type": "text/html" } });

/** Follows a publication. `others` has answers that come in place of a file, one for each request. */
async function follow(files, others, options) {
  const asked = [];
  const fetch = async (url, { cache }) => {
    const name = url.slice("http://lists.example/parks/".length);
    asked.push(cache === "reload" ? `${name} anew` : name);
    const other = others[name]?.shift();
    return other ?? (files[name] ? json(files[name], { "Cache-Control": "max-age=1" }) : new Response("", { status: 404 }));
  };
  const replica = new Replica("http://lists.example", "parks", { watch: false, firstSeconds: 0.001, highestRetryAfterSeconds: 0.001, tries: 6, fetch,
    ...options });
  const updates = [];
  try {
    for await (const { reason, after } of replica) updates.push([reason, after.state.version]);
    return { asked, updates, replica };
  } catch (error) {
    return { asked, updates, replica, error };
  }
}

const all = [["first", 1], ["changes", 2], ["changes", 3]];
const way = ["head.json", "whole.json", delta(3), delta(2)];

test("a head whose members are of another form is refused", () => {
  const { whole, levels, ...head } = files(3)["head.json"];
  const read = (members) => readPublicationHead(JSON.stringify({ ...head, whole, levels, ...members }));
  assert.equal(read({ more: [null] }).whole.state.version, 1);
  assert.equal(read({ whole: undefined }).whole, undefined);
  const wrong = { whole: [null, 0, "", false, [], {}, { ...whole, file: "../whole.json" }, { ...whole, bytes: -1 }, { ...whole, version: 2 }],
    levels: [undefined, null, 0, {}, [null], [{ count: 1 }], [{ count: "1", bytes: 1 }]], oldest: [undefined, null, -1, 4, "1"],
    base: [undefined, null, 1, 65_537, 2.5], list: [undefined, null, "", "a b"],
    head: [undefined, null, {}, plain(states[3])], format: [undefined, "list-publication/2"] };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) assert.throws(() => read({ [name]: value }), { kind: "malformed" }, `${name}: ${JSON.stringify(value)}`);
  }
});

test("a login page in place of the head is waited for", async () => {
  const { asked, updates, error } = await follow(files(3), { "head.json": [page(), page(), page()] });
  assert.deepEqual([error, updates], [undefined, all]);
  assert.deepEqual(asked.filter((name) => name.endsWith(".json")), ["head.json", "head.json", "head.json", ...way]);
});

test("a server is found beside an app that answers every other path with its page", async () => {
  const serving = (answer) => async (url) => (url.endsWith("/head.json") ? page() : answer());
  const options = { watch: false, firstSeconds: 0.001, tries: 2 };
  const replica = new Replica("http://lists.example", "parks", { ...options, fetch: serving(() => json(whole(1))) });
  for await (const { after } of replica) assert.equal(after.state.version, 1);
  const gone = () => new Response('{"type":"urn:listsync:problem:no-such-list"}', { status: 404, headers: { "Content-Type": "application/problem+json" } });
  for (const [answer, kind] of [[gone, "no-such-list"], [() => new Response("", { status: 404 }), "unavailable"], [page, "unavailable"]]) {
    const other = new Replica("http://lists.example", "parks", { ...options, fetch: serving(answer) });
    await assert.rejects(other[Symbol.asyncIterator]().next(), { kind });
  }
});

test("a login page in place of a server's first answers is waited for", async () => {
  const answers = [page(), page(), page(), page(), new Response("{}", { status: 404 }), json(whole(1))];
  const replica = new Replica("http://lists.example", "parks", { watch: false, firstSeconds: 0.001, fetch: async () => answers.shift() });
  for await (const { after } of replica) assert.equal(after.state.version, 1);
  assert.deepEqual([replica.state.version, answers.length], [1, 0]);
});

test("a page in place of another file is waited for, and the head names the file anew", async () => {
  for (const name of way.slice(1)) {
    const { asked, updates, error } = await follow(files(3), { [name]: [page(), page(), page(), page()] });
    assert.deepEqual([error, updates], [undefined, all], name);
    const again = Array(4).fill(["head.json", `${name} anew`]).flat();
    const rest = name === delta(3) ? [`${delta(2)} anew`] : way.slice(way.indexOf(name) + 1);
    assert.deepEqual(asked, [...way.slice(0, way.indexOf(name) + 1), ...again, ...rest]);
  }
});

test("a host that answers with a page for a file that was removed does not hold up a replica", async () => {
  // The delta to version 3 goes while the replica is on its way, and the next head begins at version 3.
  const before = files(3);
  const { [delta(3)]: _, ...rest } = before;
  const after = { ...before["head.json"], oldest: 3, levels: [], whole: { ...states[3], file: "whole-3.json", bytes: 9 } };
  const heads = [json(before["head.json"])];
  const { updates, error } = await follow({ ...rest, "head.json": after, "whole-3.json": whole(3) },
    { "head.json": heads, [delta(3)]: [page()] });
  assert.deepEqual([error, updates], [undefined, [["first", 1], ["too-old", 3]]]);
});

test("a file that is not the one of its name is asked for once past caches, and then the whole list is", async () => {
  const [other, cut] = [() => json(changes(1, 3)), () => new Response("{", { headers: { "Content-Type": "application/json" } })];
  for (const wrong of [other, cut]) {
    const cached = await follow(files(3), { [delta(3)]: [wrong()] });
    assert.deepEqual([cached.error, cached.updates, cached.asked], [undefined, all, [...way.slice(0, 3), `${delta(3)} anew`, `${delta(2)} anew`]]);
    const { asked, updates } = await follow(files(3), { [delta(3)]: [wrong(), wrong()] });
    assert.deepEqual([updates[1], asked.slice(2, 6)], [["mismatch", 1], [delta(3), `${delta(3)} anew`, "head.json", "whole.json anew"]]);
  }
});

test("the deltas of a way may have as many bytes together as an answer", async () => {
  const made = files(3);
  // Longer than the head.
  for (const name of [delta(2), delta(3)]) made[name].more_members = " ".repeat(1000);
  const size = [delta(2), delta(3)].reduce((sum, name) => sum + JSON.stringify(made[name]).length, 0);
  const whole = await follow(made, {}, { byteLimit: size });
  assert.deepEqual([whole.error, whole.updates], [undefined, all]);
  const { error, updates } = await follow(made, {}, { byteLimit: size - 1 });
  assert.deepEqual([error?.kind, updates], ["too-long", [["first", 1]]]);
});

test("a replica that watches a publication goes on behind a login page", async () => {
  const found = files(2);
  const heads = [json(found["head.json"], { "Cache-Control": "max-age=1" }), page(), page(), json(files(3)["head.json"])];
  const errors = [];
  const fetch = async (url) => {
    const name = url.slice("http://lists.example/parks/".length);
    return name === "head.json" ? heads.shift() : json(files(3)[name]);
  };
  const replica = new Replica("http://lists.example", "parks", { firstSeconds: 0.001, fetch, onStatus: ({ error }) => error && errors.push(error.kind) });
  for await (const { after } of replica) if (after.state.version === 3) break;
  assert.deepEqual([replica.state.version, errors], [3, ["unavailable", "unavailable"]]);
});

test("a 304 to a request without a tag is asked again", async () => {
  const none = () => new Response(null, { status: 304 });
  for (const name of way) {
    const { updates, error } = await follow(files(3), { [name]: [none(), none()] });
    assert.deepEqual([error, updates], [undefined, all], name);
  }
});

test("where the head is a text of another form, the server is asked", async () => {
  const bodies = [Buffer.from([0xff, 0xfe]), Buffer.from("{}"), Buffer.from("")];
  for (const body of bodies) {
    const answers = [new Response(body), json(whole(1))];
    const replica = new Replica("http://lists.example", "parks", { watch: false, tries: 1, fetch: async () => answers.shift() });
    for await (const { after } of replica) assert.equal(after.state.version, 1);
    assert.deepEqual([replica.state.version, answers.length], [1, 0]);
  }
});
