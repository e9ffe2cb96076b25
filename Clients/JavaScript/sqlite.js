// A storage of the client for ListSync in an SQLite database, for programs on Node 22.13 or newer, which has node:sqlite. Browsers and
// listsync.js never load this file.

import { ListSyncError } from "./lists.js";

const application = 0x4c69734a; // "LisJ"

/** The tables of a new database. Another program's is refused. */
function prepare(database, path) {
  const { application_id: found } = database.prepare("PRAGMA application_id").get();
  const { count } = database.prepare("SELECT count(*) AS count FROM sqlite_schema").get();
  if (found !== application && count) throw new ListSyncError("malformed", `${path} is the database of another program: name another file`);
  database.exec(`PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE; PRAGMA application_id = ${application};
    CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY CHECK (id = 1), mark TEXT, value TEXT);
    CREATE TABLE IF NOT EXISTS parts (key INTEGER PRIMARY KEY, items TEXT); COMMIT`);
}

/**
 * Keeps the copy of one list in a file. Only chunks that have changed are written. Programs may share the file: where another one has
 * saved since, a save writes every chunk, or nothing if that one's copy is the same or of a later version (P43).
 *
 * Throws `unsupported` where Node has no node:sqlite.
 */
export function sqliteStorage(path) {
  /** The mark of the save that this storage has seen last, and the keys of the chunks that it wrote then. */
  let [mark, keys] = [undefined, new Map()];
  let database = null;

  async function open() {
    if (database) return;
    const { DatabaseSync } = await import("node:sqlite").catch((cause) => {
      throw new ListSyncError("unsupported", "sqliteStorage needs node:sqlite of Node 22.13 or newer", { cause });
    });
    const opened = new DatabaseSync(path);
    try {
      prepare(opened, path);
    } catch (error) {
      opened.close();
      throw error;
    }
    database ??= opened;
  }

  function transaction(work) {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }

  const readHead = () => {
    const row = database.prepare("SELECT mark, value FROM head").get();
    return row && { ...valueOf(row.value), mark: row.mark };
  };
  const valueOf = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined; // A damaged copy counts as none.
    }
  };

  return {
    async load() {
      await open();
      return transaction(() => {
        const head = readHead();
        if (head?.mark !== mark) [mark, keys] = [head?.mark, new Map()];
        if (!head) return null;
        const parts = new Map(database.prepare("SELECT key, items FROM parts").all().map(({ key, items }) => [key, items]));
        return { state: head.state, items: (head.keys ?? []).flatMap((key) => valueOf(parts.get(key))), signed: head.signed };
      });
    },
    async save({ state, items, signed }) {
      await open();
      [mark, keys] = transaction(() => {
        const head = readHead();
        const [kept, isOwn] = [head?.state, head?.mark === mark];
        if (kept && kept.list !== state.list) {
          throw new ListSyncError("other-list", `${path} keeps the list ${kept.list}: give ${state.list} a file of its own`);
        }
        const isSame = kept?.cursor === state.cursor && JSON.stringify(head.signed) === JSON.stringify(signed);
        if (!isOwn && (isSame || kept?.version > state.version)) return [mark, keys];
        const old = new Map(isOwn ? keys : []);
        if (!old.size) database.exec("DELETE FROM parts");
        const insert = database.prepare("INSERT INTO parts (items) VALUES (?)");
        const written = new Map();
        for (const chunk of items.chunks) {
          const key = old.get(chunk) ?? insert.run(JSON.stringify(chunk.map(({ id, text }) => [id, text]))).lastInsertRowid;
          old.delete(chunk);
          written.set(chunk, Number(key));
        }
        const remove = database.prepare("DELETE FROM parts WHERE key = ?");
        for (const key of old.values()) remove.run(key);
        const next = String(Math.random());
        const value = JSON.stringify({ state, signed, keys: [...written.values()] });
        database.prepare("INSERT OR REPLACE INTO head VALUES (1, ?, ?)").run(next, value);
        return [next, written];
      });
    },
    close() {
      database?.close();
      database = null;
    },
  };
}
