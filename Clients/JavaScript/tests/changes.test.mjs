// One waiting request for the replicas of a server (P54).
import assert from "node:assert/strict";
import test from "node:test";
import { Changes } from "../changes.js";
import { ListSyncError } from "../listsync.js";

const cursor = (version) => `${version}-${"a".repeat(32)}`;
const head = (version) => ({ cursor: cursor(version), count: 0, root: "0".repeat(64) });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A server whose answers the test gives; `asked` has the paths. */
function scripted() {
  const asked = [], pending = [];
  const file = (path, { signal }) =>
    new Promise((resolve, reject) => {
      asked.push(path);
      pending.push({ resolve, reject });
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const answer = (members) => {
    const record = { mark: "m-1", all: false, more: false, lists: [], gone: [], ...members };
    pending.shift().resolve({ text: typeof members === "string" ? members : JSON.stringify(record) });
  };
  return { changes: new Changes({ file }), asked, answer, fail: (error) => pending.shift().reject(error) };
}

/** A changes object with a mark, and replicas that have asked. */
async function begun(...lists) {
  const server = scripted();
  const stop = new AbortController();
  const first = lists.map((list) => server.changes.news(list, cursor(1), 0, stop.signal));
  await turn();
  server.answer({});
  assert.deepEqual(await Promise.all(first), lists.map(() => 1));
  const settled = {};
  // `settled` has the number of the answer after which a replica asks.
  const wait = (list, version = 1, asked = 1, name = list) =>
    server.changes.news(list, cursor(version), asked, stop.signal).then((count) => (settled[name] = count), (error) => (settled[name] = error));
  for (const list of lists) wait(list);
  await turn();
  return { ...server, stop, settled, wait };
}

test("the first mark is asked for alone, and then each replica asks once", async () => {
  const { asked, settled } = await begun("a", "b", "c");
  assert.deepEqual(asked, ["/v1/changes?limit=0", "/v1/changes?since=m-1&wait=30"]);
  assert.deepEqual(settled, {});
});

test("a replica is told of its own list alone", async () => {
  const { asked, answer, settled } = await begun("a", "b");
  answer({ mark: "m-2", lists: [{ list: "b", head: head(2) }, { list: "x", head: head(9) }] });
  await turn();
  assert.deepEqual(settled, { b: 2 });
  assert.equal(asked.at(-1), "/v1/changes?since=m-2&wait=30");
});

test("a replica that has the change already waits on", async () => {
  const { answer, settled, wait } = await begun("a");
  answer({ mark: "m-2", lists: [{ list: "a", head: head(2) }] });
  await turn();
  assert.deepEqual(settled, { a: 2 });
  delete settled.a;
  wait("a", 2);
  await turn();
  assert.deepEqual(settled, {});
});

test("a change that came while a replica asked is told at once", async () => {
  const { answer, settled, wait } = await begun("a", "b");
  answer({ mark: "m-2", lists: [{ list: "a", head: head(2) }] });
  await turn();
  answer({ mark: "m-3", lists: [{ list: "a", head: head(3) }] });
  await turn();
  delete settled.a;
  wait("a", 2);
  await turn();
  assert.deepEqual(settled, { a: 3 });
});

test("a head that a replica has overtaken leads to no further requests", async () => {
  const { answer, asked, settled, wait } = await begun("a");
  answer({ mark: "m-2", lists: [{ list: "a", head: head(2) }] });
  await turn();
  delete settled.a;
  // The commit of version 3 came before the request for the changes.
  wait("a", 3, 2);
  await turn();
  assert.deepEqual([settled, asked.at(-1)], [{}, "/v1/changes?since=m-2&wait=30"]);
  answer({ mark: "m-3", lists: [{ list: "a", head: head(3) }] });
  await turn();
  assert.deepEqual(settled, {});
  answer({ mark: "m-4", lists: [{ list: "a", head: head(4) }] });
  await turn();
  assert.deepEqual(settled, { a: 4 });
});

test("a head above the copy is news until the copy has it", async () => {
  const { answer, settled, wait } = await begun("a");
  answer({ mark: "m-2", lists: [{ list: "a", head: head(2) }] });
  for (const count of [2, 2]) {
    await turn();
    assert.deepEqual(settled, { a: count });
    delete settled.a;
    // A cache has answered that nothing is new.
    wait("a", 1, 2);
  }
});

test("a head of a lower version is told once to each replica of its list", async () => {
  const { answer, settled, wait, stop, changes } = await begun("a", "b");
  wait("a", 7, 1, "other");
  await turn();
  // The list was dropped, and made again.
  answer({ mark: "m-2", lists: [{ list: "b", head: { ...head(1), cursor: `1-${"b".repeat(32)}` } }] });
  await turn();
  assert.deepEqual(settled, { b: 2 });
  wait("b", 7, 1, "late");
  await turn();
  assert.deepEqual(settled, { b: 2, late: 2 });
  delete settled.b;
  wait("b", 7, 2);
  await turn();
  assert.deepEqual(settled, { late: 2 });
  stop.abort();
  assert.equal(await changes.news("b", cursor(7), 1, new AbortController().signal), 2);
});

test("a list that is gone is news", async () => {
  const { answer, settled } = await begun("a", "b");
  answer({ mark: "m-2", gone: ["a"] });
  await turn();
  assert.deepEqual(settled, { a: 2 });
});

test("after a restart of the server each replica asks once more", async () => {
  const { answer, asked, settled } = await begun("a", "b");
  answer({ all: true, mark: "n-1", lists: [{ list: "a", head: head(1) }] });
  await turn();
  assert.equal(asked.at(-1), "/v1/changes?limit=0");
  answer({ mark: "n-1" });
  await turn();
  assert.deepEqual(settled, { a: 3, b: 3 });
});

/** The milliseconds for which a client waits that asks a server so often; the server answers at once. Here, nothing takes time. */
async function pauses(t, requestCount, answer) {
  const found = [];
  t.mock.method(Date, "now", () => 0);
  t.mock.method(globalThis, "setTimeout", (end, milliseconds) => {
    found.push(milliseconds);
    return setImmediate(end);
  });
  const stop = new AbortController();
  let count = 0;
  const file = async () => {
    await turn();
    if (++count === requestCount) stop.abort();
    return { text: JSON.stringify({ mark: "m-1", all: false, more: false, lists: [], gone: [], ...answer(count) }) };
  };
  const changes = new Changes({ file });
  const news = (asked) => changes.news("a", cursor(1), asked, stop.signal);
  await assert.rejects(news(0).then(news));
  t.mock.restoreAll();
  assert.equal(count, requestCount);
  return found;
}

test("a server that answers at once without news is asked after a pause of one to two seconds", async (t) => {
  const news = { lists: [{ list: "b", head: head(2) }] };
  const answers = {
    "the same mark": () => ({}), "another mark": (count) => ({ mark: `m-${count}` }), "the same news": () => news,
    "another first mark": () => ({ all: true }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const found = await pauses(t, 50, answer);
    assert.ok(found.length >= 48, `${name}: ${found.length} pauses`);
    assert.ok(found.every((pause) => pause >= 1000 && pause <= 2000), `${name}: ${found}`);
  }
});

test("news are followed by the next request without a pause", async (t) => {
  assert.deepEqual(await pauses(t, 50, (count) => ({ mark: `m-${count}`, lists: [{ list: "b", head: head(count) }] })), []);
});

test("a server without the resource holds the requests", async () => {
  for (const status of [404, 405, 501]) {
    const { fail, settled, wait, asked } = await begun("a");
    fail(new ListSyncError("refused", "no", { status }));
    await turn();
    assert.deepEqual(settled, { a: null });
    const count = asked.length;
    wait("a");
    await turn();
    assert.deepEqual([settled.a, asked.length], [null, count]);
  }
});

test("a failure goes to all replicas, and the next request to the server", async () => {
  const { fail, settled, wait, asked } = await begun("a", "b");
  fail(new ListSyncError("unavailable", "lost"));
  await turn();
  assert.deepEqual([settled.a.kind, settled.b.kind], ["unavailable", "unavailable"]);
  const count = asked.length;
  wait("a");
  await turn();
  assert.equal(asked.length, count + 1);
});

test("an odd answer is a failure that may pass", async () => {
  const odd = ["{", "[]", "{}", { mark: "a b" }, { mark: "a&b" }, { mark: 1 }, { all: 1 }, { more: null }, { lists: {} },
    { lists: [{ list: "a" }] }, { lists: [{ list: "/", head: head(1) }] }, { gone: [1] }, { lists: [1] }];
  for (const members of odd) {
    const { answer, settled } = await begun("a");
    answer(members);
    await turn();
    assert.equal(settled.a?.kind, "unavailable", JSON.stringify(members));
  }
});

test("a replica that stops ends its wait, and the last one the request", async () => {
  const { changes, asked, settled } = await begun("a");
  const stop = new AbortController();
  const news = changes.news("b", cursor(1), 1, stop.signal);
  stop.abort();
  await assert.rejects(news, { name: "AbortError" });
  assert.deepEqual(settled, {});
  assert.equal(asked.length, 2);
});

test("nothing is asked for when nobody waits", async () => {
  const { stop, settled, asked, changes } = await begun("a");
  stop.abort();
  await turn();
  assert.equal(settled.a.name, "AbortError");
  const count = asked.length;
  await turn();
  assert.equal(asked.length, count);
  changes.news("a", cursor(1), 1, new AbortController().signal);
  await turn();
  assert.equal(asked.length, count + 1);
});
