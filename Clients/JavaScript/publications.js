// The part of the client for ListSync that follows a publication: the files that `listsync publish` writes, on any web
// server, object store or CDN (P47 to P50). `listsync.js` loads it for an address.

import { readDelta, sleep } from "./documents.js";
import { isIndex, isListName, isText, ListSyncError, malformed, mismatch, readJSON } from "./lists.js";
import { emptyState, readProvenState } from "./roots.js";

/** The number of tries in a row before the replica starts over. */
const tryLimit = 3;
/** The wait before another try, where nobody says how long the head holds. */
const patienceSeconds = 10;
const highestLifetimeSeconds = 3600;

/** A file that is older than another one, or not there; `kind` says why to start over, null where that does not help. */
class Behind extends Error {
  constructor(message, kind = "too-old") {
    super(message);
    this.kind = kind;
  }
}

/** Object stores answer 403 for a file that is not there to clients which may not list a folder. */
const isMissing = ({ kind, status }) => kind !== "unavailable" && [403, 404, 410].includes(status);
const now = () => Date.now() / 1000;
/** A browser has a cache that asks with the tag of what it holds; a header field of ours would need a preflight before each request. */
const hasCache = globalThis.location !== undefined;

// --- The head (list-publication/1) -----------------------------------------------------------------------------------

const isName = (value) => isText(value) && value.length <= 255 && /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(value);
const isBase = (value) => isIndex(value) && value >= 2 && value <= 65_536;

/** The error of a list that was dropped or renamed. */
function goneError(list, { at, new_name: newName = null }) {
  if (!isListName(list) || !isText(at) || !(newName === null || isListName(newName))) throw malformed("gone is wrong");
  const words = newName === null ? "was dropped" : `is called ${newName} now`;
  return new ListSyncError("gone", `the list ${list} ${words}`, { status: 410, problem: { new_name: newName } });
}

/** Reads the head of a publication; unknown members are ignored. Throws `gone` for a list that was dropped or renamed. */
export function readPublicationHead(text) {
  const head = readJSON(text);
  const { format, list, oldest, base, levels, whole, note } = Object(head);
  if (format !== "list-publication/1") throw malformed("this is not the head of a publication");
  if (Object(head).gone != null) throw goneError(list, head.gone);
  const state = readProvenState(head.head, "head");
  const faults = {
    list: !isListName(list), oldest: !isIndex(oldest) || oldest > state.version, base: !isBase(base),
    levels: !Array.isArray(levels) || !levels.every((level) => isIndex(Object(level).count) && isIndex(level.bytes)),
    whole: whole !== undefined && !(isName(Object(whole).file) && isIndex(whole.bytes)),
  };
  for (const [member, isWrong] of Object.entries(faults)) if (isWrong) throw malformed(`${member} is wrong or missing`);
  const wholeState = whole && readProvenState(whole, "whole");
  if (whole && !(wholeState.version >= oldest && wholeState.version <= state.version)) throw malformed("whole.version is wrong");
  return { list, state, note, oldest, base, levels, whole: whole && { state: wholeState, file: whole.file, bytes: whole.bytes } };
}

/** The longest delta from a version on that ends at the head or before: its level, and its first and last version. */
function nextDelta({ base, levels, state }, start) {
  let [level, length] = [0, 1];
  while (level + 1 < levels.length && start % (length * base) === 0 && start + length * base <= state.version) {
    [level, length] = [level + 1, length * base];
  }
  return { level, start, end: start + length };
}

const fileOfDelta = (start, end, cursor) => `delta/${end - start}/${cursor}.json`;

/** A longer way has more requests than a client makes. */
const longestWay = 1000;

/** The deltas that lead from a version to the head; null if there are none, or too many. */
function wayFrom(head, version) {
  const way = [];
  for (; version < head.state.version; version = way.at(-1).end) {
    if (way.length === longestWay || !head.levels.length) return null;
    way.push(nextDelta(head, version));
  }
  return way;
}

/** About how many bytes the deltas have that lead from a version to the head. */
function bytesOfWay(head, version) {
  const bytes = ({ level }) => Math.floor(head.levels[level].bytes / Math.max(head.levels[level].count, 1));
  return wayFrom(head, version)?.reduce((sum, delta) => sum + bytes(delta), 0) ?? Infinity;
}

/** The rest of `max-age` (RFC 9111); undefined if it is not said. */
function lifetimeOf(headers) {
  const age = Number(/(?:^|[\s,])max-age="?(\d{1,15})/i.exec(headers.get("Cache-Control") ?? "")?.[1] ?? 0);
  if (!age) return undefined;
  const passed = Number(/^\d{1,15}$/.exec(headers.get("Age") ?? "")?.[0] ?? 0);
  return Math.min(Math.max(age - passed, 1), highestLifetimeSeconds);
}

// --- The publication -------------------------------------------------------------------------------------------------

/** The files of a list, for one replica. */
export class Publication {
  #server;
  #path;
  #head = null;
  #tag;
  #lifetime;
  #since = 0;
  #isOutdated = false;
  /** Whether caches are to ask for what is there now: after a failure, until an answer, and to start over. */
  #isDoubtful = false;
  /** Whether no request has used the head. */
  #isNew = false;
  /** The cursor to which the last answer on the way to this head leads. */
  #reached = null;
  /** The deltas from there to this head, the last one first. */
  #way = [];
  /** Those of a way that is not complete, by their files; and the bytes that they may still have. */
  #received = new Map();
  #bytesLeft = 0;
  #failureCount = 0;

  constructor(server, list) {
    [this.#server, this.#path] = [server, `/${list}/`];
    this.#forgetReceived();
  }

  /** The publication of a list, with its head; null if there is none. Throws `unavailable` if it cannot be told now. */
  static async find(server, list, signal) {
    const publication = new Publication(server, list);
    let file;
    try {
      file = await server.file(`/${list}/head.json`, { signal, cache: "no-cache" });
    } catch (error) {
      const isNoHead = error.kind === "malformed" || (error.status !== undefined && error.kind !== "unavailable");
      if (isNoHead) return null;
      throw error;
    }
    if (!file.text?.startsWith('{"format":"list-publication/')) return null;
    publication.#take(file.text, file.headers);
    return publication;
  }

  /** The next delta on the way from a state to the head, or the whole list; null if the state is that of the head. */
  async delta(list, state, { wait, startOver, signal }) {
    this.#isDoubtful ||= Boolean(startOver);
    try {
      const head = await this.#headFor(state, wait, startOver, signal);
      if (head.list !== list) throw mismatch(`the head is of the list ${head.list}`);
      const delta = await this.#answer(head, state, signal);
      [this.#failureCount, this.#isDoubtful] = [0, false];
      return delta;
    } catch (error) {
      if (error instanceof Behind) throw this.#failure(error, startOver);
      // A page in place of a file may mean that the file is gone: the present head names others.
      if (error.kind === "unavailable") [this.#isOutdated, this.#isDoubtful] = [true, true];
      throw error;
    }
  }

  /** The state of the head and its note, which count where nothing is new. */
  get end() {
    return { to: this.#head.state, note: this.#head.note };
  }

  /** The header of a version, from the delta that leads to it alone; none if it was pruned. */
  async headers(list, { version, cursor }, limit, signal) {
    if (!this.#head || version <= this.#head.oldest || version > this.#head.state.version) return [];
    try {
      return [(await this.#delta(version - 1, version, cursor, signal)).delta.to];
    } catch (error) {
      if (error instanceof Behind) throw this.#failure(error, true);
      throw error;
    }
  }

  /** The error of a try: `unavailable`, or after some of them the reason to start over. */
  #failure({ message, kind }, startOver) {
    [this.#isOutdated, this.#isDoubtful] = [true, true];
    if (++this.#failureCount >= tryLimit && !startOver && kind) {
      this.#failureCount = 0;
      return new ListSyncError(kind, message, { status: kind === "too-old" ? 410 : 409 });
    }
    const retryAfterSeconds = this.#lifetime ? Math.max(this.#since + this.#lifetime - now(), 1) : patienceSeconds;
    return new ListSyncError("unavailable", `the publication, or a cache of it, is behind: ${message}`, { retryAfterSeconds });
  }

  #take(text, headers) {
    if (text !== null) {
      const head = readPublicationHead(text);
      if (head.state.cursor !== this.#head?.state.cursor) {
        [this.#reached, this.#way] = [null, []];
        this.#forgetReceived();
      }
      [this.#head, this.#tag] = [head, headers.get("ETag")];
    }
    this.#lifetime = lifetimeOf(headers) ?? (text === null ? this.#lifetime : undefined);
    [this.#since, this.#isNew, this.#isOutdated] = [now(), true, false];
  }

  /** The head to which a request leads: the last one until the copy has reached it. */
  async #headFor({ cursor }, wait, startOver, signal) {
    if (!this.#isOutdated) {
      const isOnTheWay = !startOver && !wait && this.#reached === cursor && cursor !== this.#head.state.cursor;
      if (this.#isNew || isOnTheWay) {
        this.#isNew = false;
        return this.#head;
      }
      // Clients that read the head together do not come back together.
      const rest = this.#since + (this.#lifetime ?? wait) * (1 + Math.random() / 10) - now();
      if (wait && rest > 0) await sleep(rest, signal);
    }
    const headers = this.#tag && !hasCache ? { "If-None-Match": this.#tag } : {};
    let file;
    try {
      file = await this.#server.file(`${this.#path}head.json`, { headers, signal, cache: "no-cache" });
    } catch (error) {
      if (isMissing(error)) throw new ListSyncError("no-such-list", "the publication is gone", { status: 404 });
      throw error;
    }
    this.#take(file.text, file.headers);
    this.#isNew = false;
    return this.#head;
  }

  async #answer(head, state, signal) {
    const { version: start, cursor } = state;
    const { version: end, cursor: last } = head.state;
    if (cursor === last) return null;
    if (start > end) throw new Behind(`its head is version ${end}, and this copy has version ${start}`, "diverged");
    const diverged = new ListSyncError("diverged", `version ${start} is another one in the publication`, { status: 409 });
    if (start === end) throw diverged;
    if (start === emptyState.version) return this.#whole(head, "first", state, signal);
    if (start < head.oldest) return this.#whole(head, "too-old", undefined, signal);
    const { whole } = head;
    if (whole?.state.version > start && bytesOfWay(head, start) > whole.bytes + bytesOfWay(head, whole.state.version)) {
      return this.#whole(head, "smaller", state, signal);
    }
    if (this.#way.at(-1)?.from.cursor !== cursor) this.#way = await this.#readWay(head, start, signal);
    const delta = this.#way.pop();
    if (!delta) throw new Behind(`its head names no way from version ${start}`);
    if (delta.from.cursor !== cursor) {
      this.#way = [];
      // A copy on the way to this head is of its history: the head contradicts itself.
      throw this.#reached === cursor ? new Behind("its head is not of the history of its whole list", null) : diverged;
    }
    return this.#onTheWay(delta, head);
  }

  /** The deltas from a version to the head, the last one first: the start of each names the one before it (P48). */
  async #readWay(head, version, signal) {
    const way = [];
    let { cursor } = head.state;
    for (const { start, end } of (wayFrom(head, version) ?? []).reverse()) {
      const file = fileOfDelta(start, end, cursor);
      if (!this.#received.has(file)) {
        const { delta, length } = await this.#delta(start, end, cursor, signal);
        this.#bytesLeft -= length;
        if (this.#bytesLeft < 0) {
          throw new ListSyncError("too-long", `the deltas of the publication have more than ${this.#server.byteLimit} bytes`);
        }
        this.#received.set(file, delta);
      }
      way.push(this.#received.get(file));
      cursor = way.at(-1).from.cursor;
    }
    this.#forgetReceived();
    return way;
  }

  #forgetReceived() {
    [this.#received, this.#bytesLeft] = [new Map(), this.#server.byteLimit];
  }

  #delta(start, end, cursor, signal) {
    const isRight = ({ kind, from, to }) => kind === "changes" && from.version === start && to.cursor === cursor;
    return this.#document(fileOfDelta(start, end, cursor), isRight, signal);
  }

  async #whole(head, reason, from, signal) {
    const { whole } = head;
    if (!whole) throw new Behind("its head names no whole list");
    const { delta } = await this.#document(whole.file, ({ kind, to }) => kind === "snapshot" && to.cursor === whole.state.cursor, signal);
    return this.#onTheWay({ ...delta, from, reason }, head);
  }

  /**
   * Reads a file that never changes, and its length. If it is not the one of its name, as from a cache that keeps a former one, it is asked for
   * once more, past caches (P50).
   */
  async #document(file, isRight, signal) {
    for (;;) {
      const text = await this.#text(file, signal);
      try {
        const delta = readDelta(text);
        if (isRight(delta)) return { delta, length: text.length };
        throw malformed(`${file} is not the file of its name`);
      } catch (error) {
        if (error.kind !== "malformed" || this.#isDoubtful) throw error;
        this.#isDoubtful = true;
      }
    }
  }

  /** An answer; that which reaches the head has its note (P52). */
  #onTheWay(delta, { state: { cursor }, note }) {
    this.#reached = delta.to.cursor;
    const more = delta.to.cursor !== cursor;
    return { ...delta, more, note: more ? undefined : note };
  }

  async #text(file, signal) {
    try {
      // "no-cache" would ask with the tag of the file that is doubted.
      const cache = this.#isDoubtful ? "reload" : "default";
      return (await this.#server.file(this.#path + file, { signal, cache })).text ?? "";
    } catch (error) {
      if (isMissing(error)) throw new Behind(`${file} is not there`);
      throw error;
    }
  }
}
