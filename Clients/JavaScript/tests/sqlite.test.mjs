// The storage in node:sqlite, where Node has it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Item, Items, Replica, Server } from "../listsync.js";
import { sqliteStorage } from "../sqlite.js";
import { history } from "./histories.mjs";

const sqlite = await import("node:sqlite").catch(() => null);
const skip = sqlite ? false : "this Node has no node:sqlite";

/** Versions of a list with 5,000 items, each with an update of one item. */
const lists = [Items.from(Array.from({ length: 5000 }, (_, n) => new Item(`i${n}`, "0")))];
for (let version = 2; version < 7; version++) {
  lists.push(lists.at(-1).with([[700 * version, new Item(`i${700 * version}`, String(version))]]));
}
const states = history(...lists);
const copy = (version, list = "parks") => ({ state: { ...states[version - 1], list }, items: lists[version - 1], signed: null });

/** A test with the path of a file, and with storages that are closed behind it. */
function withFile(name, body) {
  test(name, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "listsync-"));
    const open = [];
    const storage = (path = join(folder, "copy")) => (open.push(sqliteStorage(path)), open.at(-1));
    try {
      await body(join(folder, "copy"), storage);
    } finally {
      for (const one of open) one.close();
      rmSync(folder, { recursive: true });
    }
  });
}

async function restarted(storage, list = "parks") {
  const server = new Server("http://lists.example", { fetch: () => assert.fail("it asks") });
  const replica = await new Replica(server, list, { storage: storage() }).start();
  return replica.state.version;
}

test("without node:sqlite the storage says what it needs", { skip: sqlite ? "this Node has node:sqlite" : false }, async () => {
  await assert.rejects(sqliteStorage("copy").load(), { kind: "unsupported", message: /Node 22.13/ });
});

withFile("a save writes the chunks that have changed", async (path, storage) => {
  const mine = storage();
  assert.equal(await mine.load(), null);
  await mine.save(copy(1));
  const rows = () => {
    const database = new sqlite.DatabaseSync(path);
    const found = database.prepare("SELECT key FROM parts").all().map(({ key }) => key);
    database.close();
    return found;
  };
  const first = rows();
  assert.equal(first.length, lists[0].chunks.length);
  assert.ok(first.length > 5);
  for (let version = 2; version < 7; version++) {
    const before = new Set(rows());
    await mine.save(copy(version));
    assert.equal(rows().filter((key) => !before.has(key)).length, 1, "one chunk is new");
    assert.equal(rows().length, first.length);
    assert.equal(await restarted(storage), version);
  }
});

withFile("a program that is behind does not replace the copy of another one", async (path, storage) => {
  const [slow, fast] = [storage(), storage()];
  await slow.save(copy(1));
  await fast.load();
  await fast.save(copy(4));
  for (const version of [2, 3, 4]) {
    await slow.save(copy(version));
    assert.equal(await restarted(storage), 4);
  }
  await slow.save(copy(5));
  await fast.save(copy(5));
  await fast.save(copy(6));
  assert.equal(await restarted(storage), 6);
});

withFile("a copy of another list, and a database of another program, are refused and kept", async (path, storage) => {
  await storage().save(copy(3));
  await assert.rejects(restarted(storage, "films"), { kind: "other-list" });
  await assert.rejects(storage().save(copy(4, "films")), { kind: "other-list", message: /give films a file of its own/ });
  assert.equal(await restarted(storage), 3);
  const other = `${path}.other`;
  const database = new sqlite.DatabaseSync(other);
  database.exec("CREATE TABLE head (note TEXT)");
  database.close();
  const before = readFileSync(other);
  await assert.rejects(storage(other).load(), { kind: "malformed", message: /another program: name another file/ });
  assert.deepEqual(readFileSync(other), before);
  writeFileSync(`${path}.text`, "notes ".repeat(999));
  await assert.rejects(storage(`${path}.text`).load(), /not a database/);
});

withFile("a damaged copy counts as none, and is replaced", async (path, storage) => {
  for (const damage of ["DELETE FROM parts WHERE key = (SELECT min(key) FROM parts)", "UPDATE parts SET items = '[]'", "UPDATE parts SET items = 'x'",
    "UPDATE head SET value = 'x'", "UPDATE head SET value = '{}'", "UPDATE head SET value = '[7]'"]) {
    await storage().save(copy(4));
    const database = new sqlite.DatabaseSync(path);
    database.exec(damage);
    database.close();
    assert.equal(await restarted(storage), 0, damage);
    const mine = storage();
    await mine.load();
    await mine.save(copy(2));
    assert.equal(await restarted(storage), 2, damage);
    const again = new sqlite.DatabaseSync(path);
    assert.equal(again.prepare("SELECT count(*) AS count FROM parts").get().count, lists[1].chunks.length, damage);
    again.close();
  }
});
