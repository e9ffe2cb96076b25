// The part of the client for ListSync that asks a server once for all of its lists (P54). `listsync.js` loads it for replicas with
// `watch: "changes"`.

import { isListName, isText, ListSyncError, malformed, readJSON } from "./lists.js";
import { readState } from "./roots.js";

const waitSeconds = 30;

function readChanges(text) {
  const { mark, all, more, lists, gone } = Object(readJSON(text));
  const isMark = isText(mark) && /^[\w.-]{1,100}$/.test(mark);
  if (!isMark || typeof all !== "boolean" || typeof more !== "boolean" || !Array.isArray(lists) || !Array.isArray(gone)) {
    throw malformed("the answer does not say which lists have changed");
  }
  const heads = new Map(gone.map((name) => [name, null]));
  for (const { list, head } of lists.map(Object)) heads.set(list, readState(head, "the head of a list").cursor);
  for (const name of heads.keys()) if (!isListName(name)) throw malformed("the answer does not name its lists");
  return { mark, all, heads };
}

/** One waiting request for all replicas of a server. */
export class Changes {
  #server;
  /** What the next request begins with; null if it asks for a first mark. */
  #mark = null;
  /** The number of first marks. A mark tells what changes after it, so a replica has to ask once after each first one. */
  #epoch = 0;
  /** The cursors of the lists that have changed in this epoch; null for one that is gone. */
  #heads = new Map();
  #waiters = new Set();
  #poll = null;
  #isSupported = true;

  constructor(server) {
    this.#server = server;
  }

  /**
   * Waits until a list has, or may have, another head than a cursor, and gives the epoch in which its replica then asks; null if
   * the server does not tell which lists have changed. `epoch` is that in which the replica has asked, 0 before.
   */
  news(list, since, epoch, signal) {
    return new Promise((resolve, reject) => {
      const waiter = { list, since, epoch, resolve, reject };
      const leave = () => {
        if (this.#waiters.delete(waiter)) reject(signal.reason);
        if (!this.#waiters.size) this.#poll?.abort();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      waiter.end = () => signal.removeEventListener("abort", leave);
      this.#waiters.add(waiter);
      if (!this.#isSupported) return this.#end(waiter, null);
      this.#endThoseWithNews();
      if (this.#waiters.size && (!this.#poll || this.#poll.signal.aborted)) this.#ask((this.#poll = new AbortController()));
    });
  }

  #end(waiter, epoch, error) {
    this.#waiters.delete(waiter);
    waiter.end();
    if (error) waiter.reject(error);
    else waiter.resolve(epoch);
  }

  #endAll(epoch, error) {
    for (const waiter of [...this.#waiters]) this.#end(waiter, epoch, error);
  }

  #endThoseWithNews() {
    if (this.#mark === null) return;
    for (const waiter of [...this.#waiters]) {
      const head = this.#heads.has(waiter.list) ? this.#heads.get(waiter.list) : waiter.since;
      if (waiter.epoch !== this.#epoch || head !== waiter.since) this.#end(waiter, this.#epoch);
    }
  }

  /** Asks the server until nobody waits. */
  async #ask(poll) {
    while (this.#waiters.size && !poll.signal.aborted) {
      try {
        const [query, wait] = this.#mark === null ? ["limit=0", 0] : [`since=${this.#mark}&wait=${waitSeconds}`, waitSeconds];
        const options = { headers: { Accept: "application/json, application/problem+json" }, cache: "no-store" };
        const { text } = await this.#server.file(`/v1/changes?${query}`, { ...options, signal: poll.signal, waitSeconds: wait });
        if (!poll.signal.aborted) this.#take(readChanges(text));
      } catch (error) {
        if (poll.signal.aborted) return;
        if ([404, 405, 501].includes(error.status)) {
          this.#isSupported = false;
          this.#endAll(null);
        } else {
          // Nothing is wrong with the replicas' own lists.
          const isOwn = error instanceof ListSyncError && error.kind !== "malformed";
          this.#endAll(null, isOwn ? error : new ListSyncError("unavailable", `which lists have changed is not known: ${error.message}`));
        }
      }
    }
    if (this.#poll === poll) this.#poll = null;
  }

  #take({ mark, all, heads }) {
    if (all) {
      // The server was started again. Its lists may be many pages: each replica asks for its own.
      this.#mark = null;
      return;
    }
    if (this.#mark === null) [this.#epoch, this.#heads] = [this.#epoch + 1, new Map()];
    this.#mark = mark;
    for (const [list, cursor] of heads) this.#heads.set(list, cursor);
    this.#endThoseWithNews();
  }
}
