// A client for ListSync: it keeps a verified copy of a server's list, and reads bundles.
//
// ES modules without dependencies, for browsers and Node 18 or newer. They are also meant to be read as the reference
// of the protocol: first lists.js (canonical content, checksums, lists, changes), then this file (documents, HTTP, the
// replica, bundles, storage). listsync.d.ts has the types; README.md shows how to use it.

import { advanced, apply, canonical, checksum, Code, diff, Hash, Item, Items, keptMatches, ListSyncError, malformed,
  mismatch, Scanner, withoutMark } from "./lists.js";

export { apply, canonical, checksum, diff, Item, Items, ListSyncError };

// --- Documents -------------------------------------------------------------------------------------------------------
// Contents are taken from the text as they are: if the checksum holds, they are canonical. If it does not, they are
// made canonical, and the checksum is computed once more.

/** A change or an item of a document: its id and indexes, and the item if it has a content. */
function readEntry(scanner) {
  let id, from, to, text;
  scanner.expect(Code.begin);
  do {
    const name = scanner.string();
    scanner.expect(Code.colon);
    if (name === "id" && id === undefined) id = scanner.string();
    else if (name === "content" && text === undefined) text = scanner.raw();
    else if (name === "from" && from === undefined) from = Number(scanner.raw());
    else if (name === "to" && to === undefined) to = Number(scanner.raw());
    else if (["id", "content", "from", "to"].includes(name)) throw malformed(`the member ${name} occurs twice`);
    else scanner.raw();
  } while (scanner.skips(Code.comma));
  scanner.expect(Code.end);
  if (!id) throw malformed("an item has no id");
  return { id, from, to, item: text === undefined ? undefined : new Item(id, text) };
}

const arrayNames = ["removed", "moved", "inserted", "updated", "items"];

/** Reads a JSON object: entries of the arrays of changes and items, other members as values. */
function readObject(text) {
  const scanner = new Scanner(withoutMark(text));
  const root = {};
  scanner.each(Code.begin, (name) => {
    if (Object.hasOwn(root, name)) throw malformed(`the member ${name} occurs twice`);
    if (!arrayNames.includes(name)) return (root[name] = JSON.parse(scanner.raw()));
    root[name] = [];
    scanner.each(Code.open, () => root[name].push(readEntry(scanner)));
  });
  if (scanner.peek() === scanner.peek()) throw malformed("text follows the document");
  for (const name of ["inserted", "updated", "items"]) {
    if (root[name]?.some((entry) => !entry.item)) throw malformed(`${name}: an item has no content`);
  }
  return root;
}

function readDelta(text) {
  const root = readObject(text);
  checkDelta(root);
  return root;
}

const reasons = ["first", "too-old", "diverged", "smaller"];

function checkDelta(root) {
  const isWhole = root.kind === "snapshot";
  if (root.format !== "list-delta/1" || !(isWhole || root.kind === "changes")) throw malformed("this is not a delta document");
  const name = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
  const arrays = isWhole ? ["items"] : arrayNames.slice(0, 4);
  const faults = {
    from: !(isWhole && root.from === undefined) && !isState(root.from), to: !isState(root.to),
    list: root.list === undefined ? isWhole : !name.test(root.list), more: !["boolean", "undefined"].includes(typeof root.more),
    oldest: root.oldest === undefined ? isWhole : !isIndex(root.oldest), reason: isWhole && !reasons.includes(root.reason),
    array: arrays.some((name) => !root[name]),
  };
  for (const [member, isWrong] of Object.entries(faults)) if (isWrong) throw malformed(`${member} is wrong or missing`);
  for (const state of [root.from, root.to].filter(Boolean)) {
    [state.cursor, state.checksum] = [state.cursor?.toLowerCase(), state.checksum.toLowerCase()];
  }
}

const isIndex = (value) => Number.isSafeInteger(value) && value >= 0;

function isState(state) {
  const isCursor = (text) => typeof text === "string" && /^(0|[1-9]\d{0,15})-[0-9a-f]{12}$/i.test(text);
  return state !== null && typeof state === "object" && isIndex(state.count) && /^[0-9a-f]{32}$/i.test(state.checksum) &&
    (state.cursor === undefined || (isCursor(state.cursor) && state.version === Number(state.cursor.split("-")[0])));
}

/** Calls `verify` and, if it throws, once more with canonical contents. */
function verified(root, verify) {
  try {
    return verify();
  } catch (error) {
    if (error.kind !== "mismatch") throw error;
    for (const name of ["inserted", "updated", "items"]) {
      for (const entry of root[name] ?? []) entry.item = new Item(entry.id, canonical(entry.item.text));
    }
    return verify();
  }
}

/** A verified copy of a list: its state (cursor, version, count and checksum) and its items. */
export class Copy {
  static empty = new Copy({ cursor: "0-000000000000", version: 0, count: 0, checksum: "0".repeat(32) }, new Items());
  /** The ids of the items; made for the first insertion, and handed on from copy to copy. */
  #ids = null;

  constructor(state, items) {
    [this.state, this.items] = [state, items];
  }

  /** A copy of items that come from elsewhere. Throws `mismatch` unless they have the state's count and checksum. */
  static of(state, items) {
    const found = checksum(items);
    if (items.length === state.count && found === state.checksum) return new Copy(state, items);
    throw mismatch(`${items.length} items have the checksum ${found}, not ${state.checksum} of ${state.count} items`);
  }

  /** The changes of a step, with the copy that they lead to. Throws `mismatch` unless it has the expected state. */
  applying(changes, state) {
    const step = apply(this.items, changes);
    const found = advanced(this.state.checksum, step);
    if (step.after.length !== state.count || found !== state.checksum) {
      throw mismatch(`the changes lead to the checksum ${found}, not ${state.checksum}`);
    }
    const copy = new Copy(state, step.after);
    copy.#ids = this.#idsAfter(step);
    return { ...step, before: this, after: copy };
  }

  #idsAfter({ removed, inserted }) {
    if (!inserted.length && !this.#ids) return null;
    const ids = this.#ids ?? new Set(Array.from(this.items, (item) => item.id));
    // This copy is old from now on: it makes its own set if it is used again.
    this.#ids = null;
    for (const { item } of removed) ids.delete(item.id);
    for (const { item } of inserted) {
      if (ids.has(item.id)) throw mismatch(`the id '${item.id}' is there twice`);
      ids.add(item.id);
    }
    return ids;
  }

  /** The step to what a delta document says: changes to this copy, or a whole list. Nothing is changed if it throws. */
  reading(text) {
    return this.following(readDelta(text));
  }

  following(root) {
    if (root.kind === "snapshot") {
      return verified(root, () => {
        const items = Items.from(root.items.map((entry) => entry.item));
        const after = Copy.of(root.to, items);
        after.#ids = new Set(Array.from(items, (item) => item.id));
        if (after.#ids.size < items.length) throw malformed("an id is there twice");
        return { ...diff(this.items, items), before: this, after, root };
      });
    }
    const { count, checksum: expected } = root.from;
    if (count !== this.items.length || expected !== this.state.checksum) {
      throw mismatch(`the changes start from ${expected}, this copy is ${this.state.checksum}`);
    }
    return verified(root, () => ({ ...this.applying(root, root.to), root }));
  }
}

// --- HTTP ------------------------------------------------------------------------------------------------------------

/** A server, with the token that each request sends. */
export class Server {
  constructor(url, { token, fetch = globalThis.fetch } = {}) {
    Object.assign(this, { url: String(url).replace(/\/+$/, ""), token, fetch });
  }

  /**
   * Sends a request; the answer's status is 2xx or 304. Otherwise throws the problem: its kind is the end of the problem's
   * type (`too-old`), or `unavailable` for what may pass. A redirection is refused: the token is not for another address.
   */
  async request(path, { headers, ...options } = {}) {
    let response;
    try {
      const authorization = this.token ? { Authorization: `Bearer ${this.token}` } : {};
      const sent = { headers: { ...authorization, ...headers }, redirect: "manual", ...options };
      response = await this.fetch.call(undefined, this.url + path, sent);
    } catch (error) {
      throw new ListSyncError("unavailable", `the server cannot be reached: ${error.message}`, { cause: error });
    }
    const { status } = response;
    if (response.ok || status === 304) return response;
    const problem = await response.json().catch(() => ({}));
    const mayPass = status >= 500 ? status !== 501 && status !== 505 : [408, 425, 429].includes(status);
    const retryAfter = /^\d{1,9}$/.test(response.headers.get("Retry-After") ?? "") ? response.headers.get("Retry-After") : 0;
    const kind = mayPass ? "unavailable" : String(problem.type ?? "refused").split(":").pop();
    const detail = problem.detail ?? problem.title ?? `the server answered ${status}`;
    throw new ListSyncError(kind, detail, { status, problem, retryAfterSeconds: Number(retryAfter) });
  }

  /** The value of a JSON answer. */
  async json(path, options) {
    return (await this.request(path, options)).json();
  }

  /** The heads of a list, or of all lists, from an event stream: the present ones, then each new one. */
  async *heads(list, { signal, onOpen = () => {} } = {}) {
    const path = list ? `/v1/lists/${list}/events` : "/v1/events";
    const response = await this.request(path, { signal, headers: { Accept: "text/event-stream" }, cache: "no-store" });
    onOpen();
    for await (const line of lines(response.body)) {
      if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
    }
  }

  /**
   * Commits a list: items, or contents of them. `expected` is the cursor that the author has seen. Throws
   * `precondition-failed` if the list has another one, and nothing is changed.
   */
  async commit(list, contents, { expected, author, message } = {}) {
    const query = new URLSearchParams(Object.entries({ author, message }).filter(([, value]) => value !== undefined));
    const isNew = !expected || expected === Copy.empty.state.cursor;
    const headers = { "Content-Type": "application/json", ...(isNew ? { "If-None-Match": "*" } : { "If-Match": `"${expected}"` }) };
    const texts = Array.from(contents, (content) => (content instanceof Item ? content.text : JSON.stringify(content)));
    return this.json(`/v1/lists/${list}?${query}`, { method: "PUT", headers, body: `[${texts.join(",\n")}]` });
  }
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      yield* parts;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// --- The replica -----------------------------------------------------------------------------------------------------

const leastPollSeconds = 1;
const highestEmptyPageCount = 100;

/**
 * A copy of a server's list that follows it: `for await (const update of replica)`.
 *
 * An update is asked for, verified, saved, and then handed out. If the server no longer has the copy's version, or has
 * another history, or an answer was wrong, the replica gets the whole list: once, then it gives up.
 */
export class Replica {
  #options;
  #stop = new AbortController();
  #hasStarted = false;

  constructor(server, list, options = {}) {
    this.server = server instanceof Server ? server : new Server(server, options);
    this.list = list;
    this.copy = Copy.empty;
    this.#options = { watch: "poll", waitSeconds: 30, limit: undefined, storage: null, firstSeconds: 0.5, highestSeconds: 60,
      highestRetryAfterSeconds: 3600, tries: Infinity, onStatus: () => {}, random: Math.random, ...options };
  }

  get state() {
    return this.copy.state;
  }

  get items() {
    return this.copy.items;
  }

  /** Loads the saved copy. A copy that is damaged counts as none. */
  async start() {
    if (this.#hasStarted) return this;
    this.#hasStarted = true;
    const saved = await this.#options.storage?.load();
    try {
      if (saved) this.copy = Copy.of(saved.state, Items.from(saved.items.map(([id, text]) => new Item(id, text))));
    } catch (error) {
      if (error.kind !== "mismatch") throw error;
    }
    return this;
  }

  /** Ends the iteration and the pending request. */
  stop() {
    this.#stop.abort();
  }

  /** Commits a list on the present copy. The iteration then brings it. */
  commit(contents, options) {
    return this.server.commit(this.list, contents, { expected: this.state.cursor, ...options });
  }

  async *[Symbol.asyncIterator]() {
    await this.start();
    const { watch, onStatus, random } = this.#options;
    // `startOver` says why the next request is for the whole list.
    let [startOver, hasStartedOver, startOverCount] = [null, false, 0];
    let [isAtHead, failureCount, emptyPageCount] = [false, 0, 0];
    while (!this.#stop.signal.aborted) {
      const asked = Date.now();
      let pause = 0;
      try {
        if (isAtHead && !watch) return;
        if (isAtHead && watch === "events") await this.#otherHead();
        onStatus({ state: isAtHead ? "current" : "asking" });
        const wait = isAtHead && watch === "poll" ? this.#options.waitSeconds : 0;
        let step = await this.#ask(startOver ? Copy.empty : this.copy, wait, startOver !== null);
        failureCount = 0;
        const isFast = watch && Date.now() - asked < 1000 * leastPollSeconds;
        // The whole list may be empty.
        if (!step && startOver && this.copy !== Copy.empty) step = { after: Copy.empty, root: {} };
        if (!step) {
          if (isAtHead && isFast) pause = leastPollSeconds * (1 + random());
          [isAtHead, startOver, startOverCount] = [true, null, 0];
        } else {
          const { more, reason } = step.root;
          const isEmpty = step.after.state.checksum === step.before?.state.checksum;
          emptyPageCount = more && isEmpty ? emptyPageCount + 1 : 0;
          if (emptyPageCount > highestEmptyPageCount) throw mismatch("the server sends pages without an end");
          const hasStepped = !startOver && step.root.kind === "changes";
          const whole = startOver && diff(this.items, step.after.items);
          const update = startOver ? { ...whole, before: this.copy, after: step.after } : step;
          update.reason = startOver ?? reason ?? (this.copy === Copy.empty ? "first" : "changes");
          await this.#options.storage?.save(update.after);
          this.copy = update.after;
          if (hasStepped && !isEmpty) hasStartedOver = false;
          if (["too-old", "diverged", "mismatch"].includes(update.reason)) startOverCount++;
          if (startOverCount > 1) pause = this.#seconds(startOverCount - 1);
          else if (isAtHead && isEmpty && isFast && !more) pause = leastPollSeconds * (1 + random());
          [startOver, isAtHead] = [null, !more];
          yield update;
        }
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const reason = { "no-such-version": "diverged", malformed: "mismatch" }[error.kind] ?? error.kind;
        if (["too-old", "diverged", "mismatch"].includes(reason)) {
          if (startOver || hasStartedOver) throw error;
          [startOver, hasStartedOver, isAtHead, failureCount] = [reason, true, false, 0];
        } else if (reason === "unavailable" && ++failureCount < this.#options.tries) {
          isAtHead = false;
          pause = Math.min(error.retryAfterSeconds ?? 0, this.#options.highestRetryAfterSeconds) + this.#seconds(failureCount);
          onStatus({ state: "waiting", seconds: pause, error });
        } else {
          throw error;
        }
      }
      if (pause) await this.#sleep(pause);
    }
  }

  /** The step that the server answers; null if there is none. */
  async #ask(copy, wait, isWhole) {
    const { cursor } = copy.state;
    const query = new URLSearchParams({ since: cursor, fallback: "snapshot" });
    if (wait) query.set("wait", wait);
    if (this.#options.limit) query.set("limit", this.#options.limit);
    const headers = { Accept: "application/json, application/problem+json" };
    if (!isWhole) headers["If-None-Match"] = `"${cursor}"`;
    const request = new AbortController();
    const abort = () => request.abort();
    this.#stop.signal.addEventListener("abort", abort);
    const timer = setTimeout(abort, 1000 * (wait + 60));
    let response, text;
    try {
      const path = `/v1/lists/${this.list}/delta?${query}`;
      response = await this.server.request(path, { headers, signal: request.signal, cache: "no-store" });
      if (response.status !== 304) text = await response.text();
    } catch (error) {
      if (error instanceof ListSyncError) throw error;
      throw new ListSyncError("unavailable", `the answer was cut off: ${error.message}`, { cause: error });
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener("abort", abort);
    }
    if (response.status === 304) {
      const named = /^(?:W\/)?"(\d+-[0-9a-f]{12})/.exec(response.headers.get("ETag") ?? "")?.[1];
      if (!isWhole && (!named || named === cursor)) return null;
      throw new ListSyncError("unavailable", `the answer is for ${named}, not for ${cursor}`);
    }
    if (response.status !== 200) throw new ListSyncError("refused", `the server answered ${response.status}`);
    const type = response.headers.get("Content-Type") ?? "application/json";
    if (!/^application\/([^;]*\+)?json\b/i.test(type)) throw new ListSyncError("unavailable", `the answer is ${type}, not JSON`);
    const root = readDelta(text);
    const { from, to, list, more, kind, reason } = root;
    if (list !== this.list) throw mismatch(`the document is of the list ${list}`);
    const isAnswer = from ? from.cursor === cursor : reason === "too-old" || reason === "diverged";
    if (!isAnswer) throw new ListSyncError("unavailable", `the answer is for ${from?.cursor}, not for ${cursor}`);
    if (!to.cursor) throw mismatch("the document names no cursor");
    const step = copy.following(root);
    if (to.cursor === cursor && (kind === "snapshot" || !more)) return null;
    if (kind === "changes" && !(to.version > copy.state.version)) throw mismatch("the document goes back");
    return step;
  }

  /** Returns when an event names another head than the copy's. */
  async #otherHead() {
    for await (const head of this.server.heads(this.list, { signal: this.#stop.signal })) {
      if (head.cursor !== this.state.cursor) return;
    }
    throw new ListSyncError("unavailable", "the event stream ended");
  }

  #seconds(failureCount) {
    const { firstSeconds, highestSeconds, random } = this.#options;
    return Math.min(highestSeconds, firstSeconds * 2 ** Math.min(failureCount - 1, 30)) * (0.5 + random() / 2);
  }

  #sleep(seconds) {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1000 * seconds);
      signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
    });
  }
}

// --- Bundles ---------------------------------------------------------------------------------------------------------

/**
 * Reads a bundle and proves it: for each version a record and the step that leads to it. The first value of a full
 * bundle that begins later than version 1 has the base as `after`, and no changes.
 *
 * What was read is valid only when the iteration has ended: the last line proves the bytes.
 *
 * @param text the bundle as text.
 * @param copy where an incremental bundle starts.
 */
export function* readBundle(text, copy = Copy.empty) {
  const all = text.split("\n");
  if (all.pop() !== "") throw malformed("the bundle is cut off");
  const [header, ...rest] = all;
  const { format, kind, prerequisite, base, target } = readObject(header ?? "");
  const isFull = kind === "full" && prerequisite === null;
  if (format !== "list-bundle/1" || !(isFull || (kind === "incremental" && prerequisite && base === null))) {
    throw malformed("this is not the header of a bundle");
  }
  for (const state of [prerequisite, base, target]) if (state) stateOf(state);
  let chain = prerequisite?.chain ?? base?.chain ?? "0".repeat(64);
  if (prerequisite && prerequisite.cursor !== copy.state.cursor) throw mismatch("the bundle starts elsewhere");
  if (isFull) copy = Copy.empty;
  let line = 0;
  if (base) {
    const root = { items: Array.from({ length: base.count }, () => readEntry(new Scanner(rest[line++] ?? ""))) };
    copy = verified(root, () => Copy.of(stateOf(base), Items.from(root.items.map((entry) => entry.item))));
    yield { ...noChanges, record: base, before: copy, after: copy };
  }
  while (copy.state.version < target.version) {
    const record = readObject(rest[line++] ?? "");
    if (record.version !== copy.state.version + 1) throw mismatch(`version ${copy.state.version + 1} is missing`);
    const step = verified(record, () => provedStep(copy, chain, record));
    [copy, chain] = [step.after, record.chain];
    yield { ...step, record };
  }
  const [end, { state }] = [stateOf(target), copy];
  if (chain !== target.chain || ["cursor", "count", "checksum"].some((name) => end[name] !== state[name])) {
    throw mismatch("the bundle ends at another state than it says");
  }
  const body = all.slice(0, line + 1);
  const digest = body.reduce((hash, text) => hash.text(text).text("\n"), new Hash()).hex();
  if (rest.length !== line + 1 || rest[line] !== `{"lines":${body.length},"sha256":"${digest}"}`) {
    throw mismatch(`the last line is not that of ${body.length} lines with the digest ${digest}`);
  }
}

/** The step of a record, which must be the only one between its two lists, and continue the chain. */
function provedStep(copy, chain, record) {
  if (!arrayNames.slice(0, 4).every((name) => record[name])) throw malformed(`version ${record.version} has no changes`);
  const step = copy.applying(record, stateOf(record));
  const { removed, inserted, updated } = step;
  const gone = new Set(removed.map(({ item }) => item.id));
  if (!hasFewestMoves(step) || updated.some(({ before, item }) => before.text === item.text) || inserted.some(({ item }) => gone.has(item.id))) {
    throw mismatch(`the changes of version ${record.version} are not the canonical ones`);
  }
  if (chainAfter(chain, record, copy.items.length, step) !== record.chain) {
    throw mismatch(`the chain of version ${record.version} is wrong`);
  }
  return step;
}

/** Whether an applied step has the canonical moves. Kept runs before and behind all moves have no say in it. */
function hasFewestMoves({ moved, runs }) {
  if (!moved.length) return true;
  const bound = (end, name) => moved.reduce((found, change) => end(found, change[name]), moved[0][name]);
  const [first, start, last, end] = [bound(Math.min, "from"), bound(Math.min, "to"), bound(Math.max, "from"), bound(Math.max, "to")];
  const matches = moved.map(({ from, to }) => ({ from, to, isMoved: true }));
  for (const { from, to, count } of runs) {
    if ((from + count <= first && to + count <= start) || (from > last && to > end)) continue;
    for (let i = 0; i < count; i++) matches.push({ from: from + i, to: to + i, isMoved: false });
  }
  const kept = keptMatches(matches.sort((a, b) => a.from - b.from));
  return matches.every((match) => kept.has(match) !== match.isMoved);
}

const noChanges = { removed: [], moved: [], inserted: [], updated: [] };

function stateOf({ version, chain, count, checksum, cursor }) {
  const state = { cursor: `${version}-${String(chain).slice(0, 12)}`, version, count, checksum };
  if (!isState(state) || !/^[0-9a-f]{64}$/.test(chain) || (cursor ?? state.cursor) !== state.cursor) throw malformed("a state is malformed");
  return state;
}

const chainHash = new Hash();

/** SHA-256 over the chain before, the version's time, author and message, its step, and the checksum after it. */
export function chainAfter(chain, record, oldCount, { removed, moved, inserted, updated }) {
  const hash = chainHash.reset().text("list-chain/1").bytes(bytesOf(chain));
  const time = Date.parse(record.committed_at);
  if (!Number.isFinite(time)) throw malformed(`version ${record.version} has no time`);
  const number = (value) => hash.number(value, 8);
  const optional = (text) => (text == null ? hash.bytes(new Uint8Array(8).fill(255)) : hash.sized(text, 8));
  number(record.version);
  number(time);
  optional(record.author);
  optional(record.message);
  number(oldCount);
  number(record.count);
  for (const changes of [removed, moved, inserted, updated]) {
    number(changes.length);
    for (const { from, to, item } of changes) {
      if (from !== undefined) number(from);
      if (to !== undefined) number(to);
      hash.sized(item.id, 8);
      if (changes === inserted || changes === updated) hash.sized(item.text, 8);
    }
  }
  return hash.bytes(bytesOf(record.checksum)).hex();
}

function bytesOf(hex) {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

// --- Storage ---------------------------------------------------------------------------------------------------------

/**
 * Keeps a copy in the browser's IndexedDB. Only chunks that have changed are written.
 *
 * Another storage is an object with `load()`, which returns `{state, items: [[id, text], …]}` or null, and
 * `save(copy)`, which must keep state and items together or not at all.
 */
export function indexedDBStorage(name) {
  const settled = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = request.oncomplete = () => resolve(request.result);
      request.onerror = request.onabort = () => reject(request.error);
    });
  const keys = new Map();
  let [database, nextKey] = [null, 1];
  const open = () => {
    const request = indexedDB.open(`listsync:${name}`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("parts");
    return settled(request);
  };
  return {
    async load() {
      database ??= await open();
      const parts = database.transaction("parts").objectStore("parts");
      const head = await settled(parts.get("head"));
      if (!head) return null;
      nextKey = Math.max(0, ...head.keys) + 1;
      const chunks = await Promise.all(head.keys.map((key) => settled(parts.get(key))));
      return { state: head.state, items: chunks.flat() };
    },
    async save({ state, items }) {
      database ??= await open();
      const transaction = database.transaction("parts", "readwrite");
      const parts = transaction.objectStore("parts");
      const old = new Map(keys);
      keys.clear();
      if (!old.size) parts.clear();
      for (const chunk of items.chunks) {
        const key = old.get(chunk) ?? nextKey++;
        if (!old.delete(chunk)) parts.put(chunk.map(({ id, text }) => [id, text]), key);
        keys.set(chunk, key);
      }
      for (const key of old.values()) parts.delete(key);
      parts.put({ state, keys: [...keys.values()] }, "head");
      await settled(transaction);
    },
  };
}
