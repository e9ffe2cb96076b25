// The storage in IndexedDB, which the tabs of a browser share.
import assert from "node:assert/strict";
import test from "node:test";
import { Copy, indexedDBStorage, Item, Items, Replica, Server } from "../listsync.js";
import { FakeIndexedDB } from "./fake-indexed-db.mjs";
import { history } from "./histories.mjs";

/** Versions 1 to 9 of a list with 1,500 items, which are three chunks; each one updates an item of another chunk. */
const lists = [Items.from(Array.from({ length: 1500 }, (_, n) => new Item(`i${n}`, "0")))];
for (let version = 2; version < 10; version++) {
  const index = [10, 700, 1400][version % 3];
  lists.push(lists.at(-1).with([[index, new Item(`i${index}`, String(version))]]));
}
const states = history(...lists);
/** What a replica gives to its storage. */
const saved = ({ state, items, signed }, list = "parks") => ({ state: { ...state, list }, items, signed });
const copy = (version, list) => saved(Copy.of(states[version - 1], lists[version - 1]), list);

/** A browser with an empty database; `stored` has its values. */
function browser() {
  globalThis.indexedDB = new FakeIndexedDB();
  return { database: globalThis.indexedDB, stored: () => globalThis.indexedDB.values.get("listsync:parks") };
}

/** The version of the copy that a page finds which is opened now; its copy has the root of its state. */
async function reopened() {
  const fetch = () => assert.fail("it asks");
  const replica = await new Replica(new Server("http://lists.example", { fetch }), "parks", { storage: indexedDBStorage("parks") }).start();
  return replica.state.version;
}

test("a copy is there after a restart, and only chunks that have changed are written", async () => {
  const { stored } = browser();
  const storage = indexedDBStorage("parks");
  assert.equal(await storage.load(), null);
  await storage.save(copy(1));
  const { keys } = stored().get("head");
  assert.deepEqual([keys.length, await reopened()], [3, 1]);
  let before = copy(1);
  for (const version of [2, 3, 4]) {
    const items = before.items.with([[700, new Item("i700", String(version))]]);
    before = saved(Copy.of(history(lists[0], items)[1], items));
    await storage.save(before);
    const { keys: after } = stored().get("head");
    assert.deepEqual([after[0], after[2], stored().size, await reopened()], [keys[0], keys[2], 4, 2]);
    assert.notEqual(after[1], keys[1]);
  }
});

test("tabs that save in turn leave a whole copy after each save", async () => {
  browser();
  const tabs = [];
  for (const [version, tab] of [0, 0, 1, 0, 2, 1, 1, 2, 0].entries()) {
    tabs[tab] ??= indexedDBStorage("parks");
    if (!tabs[tab].isLoaded) await tabs[tab].load();
    tabs[tab].isLoaded = true;
    await tabs[tab].save(copy(version + 1));
    assert.equal(await reopened(), version + 1, `after the save of version ${version + 1}`);
  }
});

test("a tab that is behind does not replace the copy of another one", async () => {
  const { stored } = browser();
  const [slow, fast] = [indexedDBStorage("parks"), indexedDBStorage("parks")];
  await slow.save(copy(1));
  await fast.load();
  await fast.save(copy(4));
  for (const version of [2, 3]) {
    await slow.save(copy(version));
    assert.equal(await reopened(), 4);
  }
  const head = stored().get("head");
  await slow.save(copy(4));
  assert.equal(stored().get("head").mark, head.mark, "the same copy is not written again");
  await slow.save(copy(5));
  await fast.save(copy(5));
  assert.equal(await reopened(), 5);
});

test("a tab goes back by itself, as after a restored backup", async () => {
  browser();
  const storage = indexedDBStorage("parks");
  await storage.save(copy(4));
  await storage.save(copy(2));
  assert.equal(await reopened(), 2);
  const other = indexedDBStorage("parks");
  await other.load();
  await other.save(copy(1));
  assert.equal(await reopened(), 1);
});

test("saves of two tabs at once leave the later version", async () => {
  browser();
  const tabs = [indexedDBStorage("parks"), indexedDBStorage("parks")];
  for (const tab of tabs) await tab.load();
  await Promise.all([tabs[0].save(copy(3)), tabs[1].save(copy(2)), tabs[0].save(copy(4)), tabs[1].save(copy(3)), tabs[1].save(copy(5))]);
  assert.equal(await reopened(), 5);
});

test("a copy of which a part is gone or foreign counts as none, and is replaced, also by an older version", async () => {
  for (const spoil of [(stored, key) => stored.delete(key), (stored, key) => stored.set(key, [["x", "1"]]), (stored, key) => stored.set(key, 7),
    (stored, key) => stored.set(key, [undefined]), (stored) => (stored.get("head").state = undefined)]) {
    const { stored } = browser();
    await indexedDBStorage("parks").save(copy(4));
    spoil(stored(), stored().get("head").keys[1]);
    const storage = indexedDBStorage("parks");
    const items = Array.from(lists[2], ({ id, content }) => ({ id, content }));
    const whole = { format: "list-delta/1", kind: "snapshot", list: "parks", from: Copy.empty.state, to: states[2], oldest: 1, reason: "first", items };
    const fetch = async () => new Response(JSON.stringify(whole), { headers: { "Content-Type": "application/json" } });
    const replica = new Replica(new Server("http://lists.example", { fetch }), "parks", { watch: false, storage });
    for await (const { reason } of replica) assert.equal(reason, "first");
    assert.equal(await reopened(), 3);
  }
});

test("a storage of one list shows it to no other one, also where the server is not reached", async () => {
  browser();
  await indexedDBStorage("parks").save(copy(2));
  const fetch = () => Promise.reject(new Error("offline"));
  const kept = { ...copy(2), items: Array.from(lists[1], ({ id, text }) => [id, text]) };
  for (const storage of [indexedDBStorage("parks"), { load: async () => kept, save: () => assert.fail("it saves") }]) {
    const films = new Replica(new Server("http://lists.example", { fetch }), "films", { storage, tries: 1 });
    for (let n = 0; n < 2; n++) await assert.rejects(films.start(), { kind: "other-list", message: /keeps the list parks: give films a storage/ });
    assert.deepEqual([films.items.length, films.state.version], [0, 0]);
  }
  await assert.rejects(indexedDBStorage("parks").save(copy(5, "films")), { kind: "other-list" });
  assert.equal(await reopened(), 2);
});

test("a saved copy that does not say of which list it is counts as none, and is replaced, also by an older version", async () => {
  const { stored } = browser();
  await indexedDBStorage("parks").save(copy(4));
  delete stored().get("head").state.list;
  assert.equal(await reopened(), 0);
  await indexedDBStorage("parks").save(copy(2, "films"));
  await assert.rejects(reopened(), { kind: "other-list" });
});

test("a database that was emptied is written anew", async () => {
  const { stored } = browser();
  const [mine, other] = [indexedDBStorage("parks"), indexedDBStorage("parks")];
  await mine.save(copy(1));
  stored().clear();
  await mine.save(copy(2));
  assert.equal(await reopened(), 2);
  stored().clear();
  await other.save(copy(1));
  await mine.save(copy(3));
  assert.equal(await reopened(), 3);
});

test("a save that fails tells why, and leaves the copy before it; the next one is whole", async () => {
  const { database } = browser();
  const storage = indexedDBStorage("parks");
  await storage.save(copy(1));
  database.quota = 4;
  for (let n = 0; n < 2; n++) {
    await assert.rejects(storage.save(copy(3)), { name: "QuotaExceededError" });
    assert.equal(await reopened(), 1);
  }
  database.quota = Infinity;
  await storage.save(copy(3));
  assert.equal(await reopened(), 3);
});
