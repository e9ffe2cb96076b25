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
  const { format, list, oldest, base, deltas, levels, whole, note } = Object(head);
  if (format !== "list-publication/1") throw malformed("this is not the head of a publication");
  if (Object(head).gone != null) throw goneError(list, head.gone);
  const state = readProvenState(head.head, "head");
  const faults = {
    list: !isListName(list), oldest: !isIndex(oldest) || oldest > state.version, base: !isBase(base), deltas: !isName(deltas),
    levels: !Array.isArray(levels) || !levels.every((level) => isIndex(Object(level).count) && isIndex(level.bytes)),
    whole: whole !== undefined && !(isName(Object(whole).file) && isIndex(whole.bytes)),
  };
  for (const [member, isWrong] of Object.entries(faults)) if (isWrong) throw malformed(`${member} is wrong or missing`);
  const wholeState = whole && readProvenState(whole, "whole");
  if (whole && !(wholeState.version >= oldest && wholeState.version <= state.version)) throw malformed("whole.version is wrong");
  return { list, state, note, oldest, base, deltas, levels, whole: whole && { state: wholeState, file: whole.file, bytes: whole.bytes } };
}

/** The longest delta from a version on that ends at the head or before: its level, index and last version. */
function nextDelta({ base, levels, state }, version) {
  let [level, length] = [0, 1];
  while (level + 1 < levels.length && version % (length * base) === 0 && version + length * base <= state.version) {
    [level, length] = [level + 1, length * base];
  }
  return { level, index: version / length, end: version + length };
}

/** A longer way has more requests than a client makes. */
const longestWay = 1000;

/** About how many bytes the deltas have that lead from a version to the head. */
function bytesOfWay(head, version) {
  let bytes = 0;
  for (let length = 0; version < head.state.version; length++) {
    if (length === longestWay) return Infinity;
    const { level, end } = nextDelta(head, version);
    const { count, bytes: all } = head.levels[level] ?? { count: 1, bytes: Infinity };
    [bytes, version] = [bytes + Math.floor(all / Math.max(count, 1)), end];
  }
  return bytes;
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
  /** Whether caches are to ask for what is there now: after a failure, until an answer. */
  #isDoubtful = false;
  /** Whether no request has used the head. */
  #isNew = false;
  /** The cursor to which the last answer on the way to this head leads. */
  #reached = null;
  #failureCount = 0;

  constructor(server, list) {
    [this.#server, this.#path] = [server, `/${list}/`];
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

  /** The header of the version before one, from the delta that leads to it alone; none if it was pruned. */
  async headers(list, version, limit, signal) {
    const start = version - 2;
    if (!this.#head || start < this.#head.oldest || version - 1 > this.#head.state.version) return [];
    try {
      return [(await this.#delta(this.#head, { level: 0, index: start, end: start + 1 }, start, signal)).to];
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
      if (head.state.cursor !== this.#head?.state.cursor) this.#reached = null;
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
    if (!head.levels.length) throw new Behind(`its head names no delta from version ${start}`);
    const delta = await this.#delta(head, nextDelta(head, start), start, signal);
    if (delta.from.cursor !== cursor) {
      // A copy on the way to this head is of its history: the file is that of a former publication.
      throw this.#reached === cursor ? new Behind(`the delta from version ${start} is of another history`, null) : diverged;
    }
    if (delta.to.version === end && delta.to.cursor !== last) throw new Behind(`the delta to version ${end} is another one`, "diverged");
    return this.#onTheWay(delta, head);
  }

  async #delta({ deltas }, { level, index, end }, start, signal) {
    const file = `${deltas}/${level}/${index}.json`;
    const delta = readDelta(await this.#text(file, signal));
    if (delta.kind !== "changes") throw malformed(`${file} is not a delta`);
    if (delta.from.version !== start || delta.to.version !== end) throw new Behind(`${file} does not lead from version ${start} to ${end}`);
    return delta;
  }

  async #whole(head, reason, from, signal) {
    const { whole } = head;
    if (!whole) throw new Behind("its head names no whole list");
    const delta = readDelta(await this.#text(whole.file, signal));
    if (delta.kind !== "snapshot") throw malformed(`${whole.file} is not a whole list`);
    if (delta.to.cursor !== whole.state.cursor) throw new Behind(`${whole.file} is not version ${whole.state.version}`);
    return this.#onTheWay({ ...delta, from, reason }, head);
  }

  /** An answer; that which reaches the head has its note (P52). */
  #onTheWay(delta, { state: { cursor }, note }) {
    this.#reached = delta.to.cursor;
    const more = delta.to.cursor !== cursor;
    return { ...delta, more, note: more ? undefined : note };
  }

  async #text(file, signal) {
    try {
      const cache = this.#isDoubtful ? "no-cache" : "default";
      return (await this.#server.file(this.#path + file, { signal, cache })).text ?? "";
    } catch (error) {
      if (isMissing(error)) throw new Behind(`${file} is not there`);
      throw error;
    }
  }
}
