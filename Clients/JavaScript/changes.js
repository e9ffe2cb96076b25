// The part of the client for ListSync that asks a server once for all of its lists (P54). `listsync.js` loads it for replicas with
// `watch: "changes"`.

import { sleep } from "./documents.js";
import { isListName, isText, ListSyncError, malformed, readJSON } from "./lists.js";
import { readState } from "./roots.js";

const waitSeconds = 30;
/** The least time of a request that brings no news, and the least wait after a shorter one (P39). */
const leastPollSeconds = 1;

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

const versionOf = (cursor) => (cursor === null ? Infinity : parseInt(cursor, 10));

/** One waiting request for all replicas of a server. */
export class Changes {
  #server;
  /** What the next request begins with; null if it asks for a first mark. */
  #mark = null;
  /** The number of answers, and that of the first mark. A mark tells what changes after it, so a replica has to ask once after a first one. */
  #count = 0;
  #first = 1;
  /** The cursors of the lists that have changed since then, null for one that is gone, with the number of the answer that named them. */
  #heads = new Map();
  #waiters = new Set();
  #poll = null;
  #isSupported = true;

  constructor(server) {
    this.#server = server;
  }

  /**
   * Waits until a list has, or may have, another head than a cursor, and gives the number of the last answer, after which its replica then
   * asks; null if the server does not tell which lists have changed. `asked` is the number after which the replica has asked, 0 before.
   */
  news(list, since, asked, signal) {
    return new Promise((resolve, reject) => {
      const waiter = { list, since, asked, resolve, reject };
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

  #end(waiter, count, error) {
    this.#waiters.delete(waiter);
    waiter.end();
    if (error) waiter.reject(error);
    else waiter.resolve(count);
  }

  #endAll(count, error) {
    for (const waiter of [...this.#waiters]) this.#end(waiter, count, error);
  }

  #endThoseWithNews() {
    if (this.#mark === null) return;
    for (const waiter of [...this.#waiters]) if (this.#hasNews(waiter)) this.#end(waiter, this.#count);
  }

  /**
   * Whether a replica has to ask. A head that is not above its copy was overtaken, or is of another history: it counts once, for a replica
   * that has not asked since it was named.
   */
  #hasNews({ list, since, asked }) {
    if (asked < this.#first) return true;
    const { cursor, count } = this.#heads.get(list) ?? { cursor: since, count: 0 };
    return cursor !== since && (count > asked || versionOf(cursor) > versionOf(since));
  }

  /** Asks the server until nobody waits. */
  async #ask(poll) {
    while (this.#waiters.size && !poll.signal.aborted) {
      const begun = Date.now();
      try {
        const [query, wait] = this.#mark === null ? ["limit=0", 0] : [`since=${this.#mark}&wait=${waitSeconds}`, waitSeconds];
        const options = { headers: { Accept: "application/json, application/problem+json" }, cache: "no-store" };
        const { text } = await this.#server.file(`/v1/changes?${query}`, { ...options, signal: poll.signal, waitSeconds: wait });
        if (poll.signal.aborted) return;
        const isNew = this.#take(readChanges(text));
        // A cache, or a proxy that holds nothing, would be asked without a pause.
        if (!isNew && Date.now() - begun < 1000 * leastPollSeconds) await sleep(leastPollSeconds * (1 + Math.random()), poll.signal);
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

  /** Takes in an answer, and returns whether it had anything new. */
  #take({ mark, all, heads }) {
    const last = this.#mark;
    this.#count++;
    if (all) {
      // The server was started again. Its lists may be many pages: each replica asks for its own.
      this.#mark = null;
      return last !== null;
    }
    if (last === null) [this.#first, this.#heads] = [this.#count, new Map()];
    this.#mark = mark;
    for (const [list, cursor] of heads) this.#heads.set(list, { cursor, count: this.#count });
    this.#endThoseWithNews();
    return last === null || (mark !== last && heads.size > 0);
  }
}
