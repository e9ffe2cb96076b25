// Against the built listsyncd: swift build --product listsync, --product listsyncd.
import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { Copy, readBundle, Replica, root, Server } from "../listsync.js";
import { follows } from "../proofs.js";
import { LiveServer, pause } from "./live-server.mjs";

const live = new LiveServer();
const park = (n, more = {}) => ({ id: `park-${n}`, name: `Pärk № ${n} 😀`, rating: n % 6, ...more });
const parks = (count) => Array.from({ length: count }, (_, n) => park(n));

before(() => live.start());
after(() => live.remove());

/** The next update, or an error after a minute. */
const next = (updates) =>
  Promise.race([updates.next().then(({ value }) => value),
    new Promise((_, reject) => setTimeout(() => reject(new Error("no update within a minute")), 60_000).unref())]);

for (const watch of ["poll", "events"]) {
  test(`a replica follows commits of another process and a restart (${watch})`, async () => {
    const name = `follow-${watch}`;
    live.commit(name, parks(40));
    await live.settled();
    const replica = new Replica(live.url, name, { watch, firstSeconds: 0.05, highestSeconds: 0.2 });
    const updates = replica[Symbol.asyncIterator]();
    assert.equal((await next(updates)).after.items.length, 40);
    for (let n = 1; n <= 5; n++) {
      const cursor = live.commit(name, [park(100 + n), ...parks(40).reverse().slice(n)]);
      const update = await next(updates);
      assert.equal(update.after.state.cursor, cursor);
      assert.equal(root(replica.items), replica.state.root);
    }
    await live.stop();
    const cursor = live.commit(name, parks(3));
    const coming = next(updates);
    await live.start();
    assert.equal((await coming).after.state.cursor, cursor);
    assert.equal(replica.items.at(1).content.name, "Pärk № 1 😀");
    replica.stop();
  });
}

test("one request waits for the news of many lists, also through a restart", async () => {
  const names = ["many-1", "many-2", "many-3"];
  for (const name of names) live.commit(name, parks(3));
  await live.settled();
  const asked = [], open = new Set();
  const fetch = async (url, options) => {
    const path = String(url).slice(live.url.length);
    asked.push(path);
    open.add(path);
    return globalThis.fetch(url, options).finally(() => open.delete(path));
  };
  const isQuiet = () => [...open].every((path) => path.startsWith("/v1/changes?since="));
  const server = new Server(live.url, { fetch });
  const replicas = names.map((name) => new Replica(server, name, { watch: "changes", firstSeconds: 0.05, highestSeconds: 0.2 }));
  const updates = replicas.map((replica) => replica[Symbol.asyncIterator]());
  for (const one of updates) assert.equal((await next(one)).after.items.length, 3);
  const coming = updates.map((one) => next(one));
  for (const round of [1, 2]) {
    // Until they have asked all that they ask before they wait.
    for (let count = -1; count !== asked.length || !isQuiet(); await pause(300)) count = asked.length;
    const before = asked.length;
    const cursor = live.commit(names[1], parks(3 + round));
    assert.equal((await coming[1]).after.state.cursor, cursor);
    coming[1] = next(updates[1]);
    const others = asked.slice(before).filter((path) => !path.includes("/many-2/") && !path.startsWith("/v1/changes?since="));
    assert.deepEqual(others, []);
  }
  await live.stop();
  const cursors = names.map((name) => live.commit(name, parks(9)));
  await live.start();
  for (const [index, cursor] of cursors.entries()) assert.equal((await coming[index]).after.state.cursor, cursor);
  for (const replica of replicas) replica.stop();
});

test("a commit names the version that its author has seen", async () => {
  const replica = new Replica(live.url, "mine", { watch: false });
  const outcome = await replica.commit(parks(3), { author: "Ann", message: "First & second" });
  assert.deepEqual([outcome.outcome, outcome.changes.inserted], ["committed", 3]);
  for (const [author, word] of [["Ann", "repeated"], ["Ben", "unchanged"]]) {
    const again = await replica.commit(parks(3), { author, message: "First & second" });
    assert.deepEqual([again.outcome, again.head], [word, outcome.head]);
  }
  await assert.rejects(replica.commit(parks(2)), { kind: "precondition-failed", status: 412 });
  for await (const update of replica) assert.equal(update.reason, "first");
  const edited = [...replica.items].filter((item) => item.id !== "park-1");
  await replica.commit(edited);
  const [newest, oldest] = await replica.server.json("/v1/lists/mine/versions");
  assert.deepEqual([newest.changes.removed, oldest.author, oldest.message], [1, "Ann", "First & second"]);
});

test("a commit on an older version is merged, or refused with all conflicts", async () => {
  const [ann, ben] = [1, 2].map(() => new Replica(live.url, "merged", { watch: false }));
  const { head } = await ann.commit(parks(3), { author: "Ann" });
  for await (const update of ben) assert.equal(update.reason, "first");
  await ben.commit([park(0, { rating: 7 }), park(1), park(2), park(3)]);
  const mine = [park(2), park(0), park(1, { name: "B" })];
  const merged = await ann.commit(mine, { base: head.cursor, author: "Ann" });
  assert.deepEqual([merged.outcome, merged.head.version, merged.merge.mine.ids, merged.merge.theirs.ids],
    ["merged", 3, ["park-2", "park-1"], ["park-0", "park-3"]]);
  const again = await ann.commit(mine, { base: head.cursor, author: "Ann" });
  assert.deepEqual([again.outcome, again.head], ["repeated", merged.head]);
  for await (const { after } of ann) assert.deepEqual([...after.items].map(({ id }) => id), ["park-2", "park-0", "park-1", "park-3"]);
  const other = [park(0, { rating: 8 }), park(1)];
  await assert.rejects(ben.commit(other, { base: head.cursor }), ({ kind, status, conflicts, problem }) => {
    assert.deepEqual([kind, status, problem.conflict_count, problem.head], ["conflicts", 409, 1, merged.head.cursor]);
    assert.deepEqual(conflicts, [{ id: "park-0", kind: "changed", path: "/rating", base: 0, mine: 8, theirs: 7 }]);
    return true;
  });
  const decided = await ben.commit(other, { base: head.cursor, prefer: "mine" });
  assert.deepEqual([decided.outcome, decided.merge.preferred, decided.merge.conflicts.length], ["merged", "mine", 1]);
});

test("numbers of any length survive", async () => {
  live.listsync(["commit", "numbers", "-"], '[{"id":"a","n":12345678901234567890.123,"m":1e999999}]');
  await live.settled();
  const replica = new Replica(live.url, "numbers", { watch: false });
  for await (const { after } of replica) assert.equal(after.items.at(0).text, '{"id":"a","m":1e+999999,"n":12345678901234567890.123}');
});

test("a commit changes no number of an item that nobody touched", async () => {
  const text = '[{"id":"a","n":1234567890123456789,"m":1e400},{"id":"b","n":9007199254740993,"name":"B"}]';
  live.listsync(["commit", "touched", "-"], text);
  await live.settled();
  const replica = new Replica(live.url, "touched", { watch: false });
  for await (const { reason } of replica) assert.equal(reason, "first");
  const outcome = await replica.commit([...replica.items].map(({ id, content }) => (id === "b" ? { ...content, name: "B2" } : content)));
  assert.deepEqual(outcome.changes, { removed: 0, moved: 0, inserted: 0, updated: 1 });
  for await (const { updated } of replica) assert.deepEqual(updated.map(({ item }) => item.id), ["b"]);
  assert.deepEqual(replica.items.slice().map((item) => item.text),
    ['{"id":"a","m":1e+400,"n":1234567890123456789}', '{"id":"b","n":9007199254740993,"name":"B2"}']);
});

test("a bundle is read and proved, in full, from a base, and in parts", async () => {
  for (let n = 1; n <= 8; n++) live.commit("bundled", parks(30).slice(n % 3).concat(park(50 + n)), "-m", `№ ${n}`);
  await live.settled();
  const server = new Server(live.url);
  const bundle = async (query) => (await server.request(`/v1/lists/bundled/bundle${query}`)).text();
  const full = await bundle("");
  const versions = [...readBundle(full)];
  assert.deepEqual(versions.map(({ record }) => record.version), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(versions[7].record.message, "№ 8");
  const middle = versions[3].after;
  const rest = [...readBundle(await bundle(`?since=${middle.state.cursor}`), middle)];
  assert.equal(rest.at(-1).after.state.cursor, versions[7].after.state.cursor);
  live.listsync(["prune", "bundled", "--keep-last", "3"]);
  await live.settled();
  const pruned = [...readBundle(await bundle(""))];
  assert.equal(pruned.at(-1).after.state.cursor, versions[7].after.state.cursor);
  assert.ok(pruned[0].record.version > 1 && pruned.length < 8);
  const spoiled = [full.replace("№ 3", "№ 4"), full.slice(0, -1), full.replace('"rating":3', '"rating":2'),
    full.split("\n").toSpliced(3, 1).join("\n"), full.replace('"sha256":"', '"sha256":"0')];
  for (const text of spoiled) assert.throws(() => [...readBundle(text)], /./);
  assert.throws(() => [...readBundle(spoiled[0])], { kind: "mismatch" });
  assert.throws(() => [...readBundle(full.replaceAll("Pärk", "Park"), Copy.empty)], { kind: "mismatch" });
});

/** Lets a replica catch up; the reasons of its updates. */
async function caughtUp(replica) {
  const reasons = [];
  for await (const { reason } of replica) reasons.push(reason);
  return reasons;
}

test("a replica that asks for proofs follows versions and a pruning, and refuses a restored backup", async () => {
  const backup = `${live.file}.backup`;
  const kept = [];
  const storage = { load: async () => kept.at(-1), save: async (copy) => void kept.push(saved(copy)) };
  const saved = ({ state, items }) => ({ state, items: Array.from(items, ({ id, text }) => [id, text]) });
  const replica = (more) => new Replica(live.url, "proven", { watch: false, storage, prove: true, ...more });
  live.commit("proven", parks(5), "-m", "One");
  await live.settled();
  assert.deepEqual(await caughtUp(replica()), ["first"]);
  const first = kept.at(-1);
  for (let n = 2; n <= 5; n++) live.commit("proven", parks(5 + n), "-m", `№ ${n}`, ...(n % 2 ? ["--author", "Ann"] : []));
  await live.settled();
  assert.deepEqual(await caughtUp(replica()), ["changes"]);
  const headers = (await replica().server.json("/v1/lists/proven/versions")).reverse();
  assert.deepEqual([follows(first.state.cursor, headers.slice(1)), follows(first.state.cursor, headers.slice(2))], [true, false]);
  live.listsync(["backup", backup]);
  live.commit("proven", parks(2));
  await live.settled();
  assert.deepEqual(await caughtUp(replica()), ["changes"]);
  await live.stop();
  for (const end of ["-wal", "-shm"]) rmSync(live.file + end, { force: true });
  copyFileSync(backup, live.file);
  for (let n = 0; n < 3; n++) live.commit("proven", parks(20 + n));
  await live.start();
  const { state } = kept.at(-1);
  await assert.rejects(caughtUp(replica()), { kind: "rewritten" });
  assert.equal(kept.at(-1).state, state);
  assert.deepEqual(await caughtUp(replica({ prove: false })), ["diverged"]);
  kept.push(first);
  live.listsync(["prune", "proven", "--keep-last", "2"]);
  await live.settled();
  await assert.rejects(caughtUp(replica()), { kind: "unproven" });
  assert.deepEqual(await caughtUp(replica({ prove: false })), ["too-old"]);
});

test("without a token a server that has tokens refuses, and with one it answers", async () => {
  const secret = live.listsync(["token", "create", "reader", "--read", "mine"]).trim();
  while ((await fetch(`${live.url}/v1/lists`)).status !== 401) await pause(20);
  await assert.rejects(new Server(live.url).json("/v1/lists"), { kind: "unauthenticated", status: 401 });
  const replica = new Replica(live.url, "mine", { watch: false, token: secret });
  for await (const { after } of replica) assert.equal(after.items.length, 2);
  await assert.rejects(replica.commit(parks(1)), { kind: "forbidden" });
});
