// A client for ListSync: it keeps a verified copy of a server's list, and reads bundles.
//
// ES modules without dependencies, for browsers and Node 18 or newer. They are also meant to be read as the reference
// of the protocol: first lists.js (JSON, canonical content, lists, changes), roots.js (SHA-256, roots, chains) and documents.js
// (deltas, copies), then this file (HTTP, the replica, bundles, storage), then publications.js, changes.js, signatures.js and proofs.js.
// listsync.d.ts has the types; README.md shows how to use it.

import { Copy, longestMilliseconds, readDelta, readEntry, readObject, sleep, smallByteLimit } from "./documents.js";
import { apply, canonical, diff, ExactNumber, isListName, isText, Item, Items, keptMatches, ListSyncError, malformed,
  mismatch, readJSON, Scanner, writeJSON } from "./lists.js";
import { chainAfter, cursorOf, emptyState, Hash, isSameState, readProvenState, readState, root } from "./roots.js";

export { apply, canonical, chainAfter, Copy, diff, ExactNumber, Item, Items, ListSyncError, readJSON, root, writeJSON };

// --- HTTP ------------------------------------------------------------------------------------------------------------
// Nothing that a server sends may take memory or time without a bound.

const lineSeconds = 60;

/** The time of an exchange: up to the answer's head and to each piece of its body (idle), and in all. */
class Exchange {
  #controller = new AbortController();
  #timer;
  #caller;
  #stop = () => this.#giveUp(this.#caller.reason);
  /** Rejects what is waited for. `fetch` does not always do so when it is aborted. */
  #reject = () => {};
  /** Why it was given up. */
  #failure = null;

  constructor(caller, totalSeconds) {
    this.#caller = caller;
    caller?.addEventListener("abort", this.#stop);
    if (caller?.aborted) this.#stop();
    this.#timer = this.#limit(totalSeconds, "the answer was not whole after");
    // A program may end without reading an answer.
    this.#timer?.unref?.();
  }

  get signal() {
    return this.#controller.signal;
  }

  /** A timer that gives the exchange up; none for a time that no timer can hold. */
  #limit(seconds, words) {
    if (1000 * seconds > longestMilliseconds) return undefined;
    return setTimeout(() => this.#giveUp(new ListSyncError("unavailable", `${words} ${seconds} s`)), 1000 * seconds);
  }

  #giveUp(failure) {
    this.#failure = failure;
    this.#controller.abort(failure);
    this.#reject(failure);
  }

  /** The result of a promise, which has a limited time. */
  async during(promise, idleSeconds) {
    const timer = this.#limit(idleSeconds, "nothing came from the server for");
    try {
      const failed = new Promise((_, reject) => (this.#reject = reject));
      if (this.#failure) this.#reject(this.#failure);
      return await Promise.race([failed, promise]);
    } finally {
      clearTimeout(timer);
      this.#reject = () => {};
    }
  }

  end() {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#stop);
  }

  /** The error of a failed exchange as one of this module. */
  errorOf(error, words) {
    const cause = this.#failure ?? error;
    if (cause instanceof ListSyncError) return cause;
    return new ListSyncError("unavailable", `${words}: ${cause?.message ?? cause}`, { cause });
  }
}

/** The body of a response, which ends with an error of this module when it is too long, too slow or cut off; null for none. */
function boundedBody({ status, body }, byteLimit, idleSeconds, exchange) {
  if (!body || [204, 205, 304].includes(status)) {
    exchange.end();
    body?.cancel().catch(() => {});
    return null;
  }
  const reader = body.getReader();
  let count = 0;
  const pull = async (controller) => {
    try {
      const { done, value } = await exchange.during(reader.read(), idleSeconds);
      if (!done) {
        count += value.byteLength;
        if (count > byteLimit) throw new ListSyncError("too-long", `the answer has more than ${byteLimit} bytes`);
        return controller.enqueue(value);
      }
      exchange.end();
      controller.close();
    } catch (error) {
      exchange.end();
      reader.cancel().catch(() => {});
      controller.error(exchange.errorOf(error, "the answer was cut off"));
    }
  };
  const cancel = (reason) => {
    exchange.end();
    return reader.cancel(reason);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

/** A response with another body. Headers that `fetch` lets through, and `Headers` refuses, are left out. */
function withBody(response, body) {
  const headers = new Headers();
  for (const [name, value] of response.headers) {
    try {
      headers.append(name, value);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return new Response(body, { status: response.status, headers });
}

/** The text of a bounded body, which must be UTF-8. */
async function textOf(body) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const parts = [];
  const reader = body?.getReader();
  try {
    for (let part; reader && !(part = await reader.read()).done; ) parts.push(decoder.decode(part.value, { stream: true }));
    parts.push(decoder.decode());
    return parts.join("");
  } catch (error) {
    reader?.cancel().catch(() => {});
    if (error instanceof ListSyncError) throw error;
    if (error instanceof RangeError) throw new ListSyncError("too-long", `the answer is longer than a text can be: ${error.message}`);
    throw malformed(`the answer is not UTF-8: ${error.message}`);
  }
}

/** The text of a JSON answer; another one is not from the server (P32). */
function jsonTextOf({ headers, body }) {
  const type = headers.get("Content-Type") ?? "application/json";
  if (/^application\/([^;]*\+)?json\b/i.test(type)) return textOf(body);
  body?.cancel().catch(() => {});
  throw new ListSyncError("unavailable", `the answer is ${type}, not JSON`);
}

/** The members of a problem document; none if the body is another one. */
async function problemOf(body) {
  let problem = null;
  try {
    problem = readJSON(await textOf(body));
  } catch (error) {
    if (error.kind !== "too-long" && error.kind !== "malformed") throw error;
  }
  return problem !== null && typeof problem === "object" && !Array.isArray(problem) ? problem : {};
}

const problemPrefix = "urn:listsync:problem:";
/** Kinds of errors that are found here, and not told by a server. */
const ownKinds = ["malformed", "mismatch", "rewritten", "unproven", "unavailable", "too-long", "unsigned", "false-signature", "other-key",
  "other-list", "older", "forked", "unsupported", "running"];
const mayPass = (status) => (status >= 500 ? status !== 501 && status !== 505 : [408, 425, 429].includes(status));

/** An address without its last slash. That of a page may be relative, as for `fetch`. */
function addressOf(text) {
  let url = null;
  try {
    url = new URL(text, globalThis.location?.href);
  } catch {
    // It is refused below.
  }
  const isAddress = url && /^https?:$/.test(url.protocol) && url.port !== "0" && !url.username && !url.password && !/[\s?#]/.test(text);
  if (!isAddress) throw malformed("the address of a server is http://HOST:PORT or https://HOST, without name, password or query");
  return text.replace(/\/+$/, "");
}

/** The name of a list; throws `malformed` for a text that is none, which would lead elsewhere in a path. */
function checkedName(list) {
  if (isListName(list)) return list;
  throw malformed("a list's name is 1 to 100 letters A to Z, a to z, digits, dots, underscores and hyphens, and begins with none of . and -");
}

/** A server, with the token that each request sends, and the bounds on its answers. */
export class Server {
  constructor(url, options = {}) {
    const { token, fetch = globalThis.fetch, byteLimit = 2 ** 28, idleSeconds = 60, totalSeconds = 600 } = options;
    Object.assign(this, { url: addressOf(String(url)), token, fetch, byteLimit, idleSeconds, totalSeconds });
  }

  /**
   * Sends a request; the answer's status is 2xx or 304. Otherwise throws the problem: its kind is the end of the problem's
   * type (`too-old`), or `unavailable` for what may pass. A redirection is refused: the token is not for another address.
   *
   * The body of the answer ends with `too-long` above the byte limit, and with `unavailable` when its time is over.
   */
  async request(path, { headers, signal, waitSeconds = 0, ...options } = {}) {
    const { byteLimit = this.byteLimit, totalSeconds = this.totalSeconds, ...rest } = options;
    const exchange = new Exchange(signal, waitSeconds + totalSeconds);
    let response;
    try {
      const authorization = this.token ? { Authorization: `Bearer ${this.token}` } : {};
      const sent = { headers: { ...authorization, ...headers }, redirect: "manual", ...rest, signal: exchange.signal };
      response = await exchange.during(this.fetch.call(undefined, this.url + path, sent), waitSeconds + this.idleSeconds);
    } catch (error) {
      exchange.end();
      throw exchange.errorOf(error, "the server cannot be reached");
    }
    const isRefusal = !response.ok && response.status !== 304;
    const body = boundedBody(response, isRefusal ? smallByteLimit : byteLimit, this.idleSeconds, exchange);
    if (isRefusal) throw await this.#refusal(response, body);
    return body ? withBody(response, body) : response;
  }

  async #refusal({ status, headers }, body) {
    let problem = {};
    try {
      problem = await problemOf(body);
    } catch (error) {
      // An answer that is cut off is not used (P32).
      if (!mayPass(status)) return error;
    }
    const { type, title, detail } = problem;
    const name = isText(type) && type.startsWith(problemPrefix) ? type.slice(problemPrefix.length) : "";
    const kind = mayPass(status) ? "unavailable" : ownKinds.includes(name) ? "" : name;
    const place = status >= 300 && status < 400 && headers.get("Location");
    const words = [detail, title].find(isText) ?? (place ? `it has moved to ${place}` : `the server answered ${status}`);
    const retryAfter = /^\d{1,9}$/.test(headers.get("Retry-After") ?? "") ? headers.get("Retry-After") : 0;
    const conflicts = kind === "conflicts" && Array.isArray(problem.conflicts) ? { conflicts: problem.conflicts } : {};
    return new ListSyncError(kind || "refused", words, { status, problem, retryAfterSeconds: Number(retryAfter), ...conflicts });
  }

  /**
   * The text of a file, null if it has not changed, and the header fields. A page of HTML is that of a network login, or stands for a
   * file that is not there (P32); 304 answers `If-None-Match` alone (P40).
   */
  async file(path, options) {
    const { status, headers, body } = await this.request(path, options);
    if (status === 304) {
      if (options.headers?.["If-None-Match"]) return { text: null, headers };
      throw new ListSyncError("unavailable", "the answer is 304 to a request without a tag");
    }
    if (!/html/i.test(headers.get("Content-Type") ?? "")) return { text: await textOf(body), headers };
    body?.cancel().catch(() => {});
    throw new ListSyncError("unavailable", "the answer is a page of HTML", { isPage: true });
  }

  /** The changes of a list since a state, or the whole list; null if there is nothing new. */
  async delta(list, { cursor }, { wait, startOver, limit, signal }) {
    const query = new URLSearchParams({ since: cursor, fallback: "snapshot" });
    if (wait) query.set("wait", wait);
    if (limit) query.set("limit", limit);
    const headers = { Accept: "application/json, application/problem+json" };
    if (!startOver) headers["If-None-Match"] = `"${cursor}"`;
    const path = `/v1/lists/${checkedName(list)}/delta?${query}`;
    const response = await this.request(path, { headers, signal, waitSeconds: wait, cache: "no-store" });
    if (response.status === 304) {
      const named = /^(?:W\/)?"(\d+-[0-9a-f]{32})/.exec(response.headers.get("ETag") ?? "")?.[1];
      if (!startOver && (!named || named === cursor)) return null;
      throw new ListSyncError("unavailable", `the answer is for ${named}, not for ${cursor}`);
    }
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {});
      throw new ListSyncError("refused", `the server answered ${response.status}`);
    }
    return readDelta(await jsonTextOf(response));
  }

  /** The headers of a version and those before it, oldest first; not all of them. */
  async headers(list, { version }, limit, signal) {
    const options = { headers: { Accept: "application/json, application/problem+json" }, signal, cache: "no-store" };
    const versions = await this.json(`/v1/lists/${checkedName(list)}/versions?before=${version + 1}&limit=${limit}`, options);
    if (!Array.isArray(versions)) throw malformed("the versions of a list must be an array");
    return versions.reverse();
  }

  /** The value of a JSON answer, as `readJSON` reads it. */
  async json(path, options) {
    return readJSON(await jsonTextOf(await this.request(path, options)));
  }

  /**
   * The heads of a list, or of all lists, from an event stream: the present ones, then each new one. It ends with an error
   * of kind `unavailable`, or `malformed` for what is no event of a head.
   */
  async *heads(list, { signal, onOpen = () => {} } = {}) {
    const path = list ? `/v1/lists/${checkedName(list)}/events` : "/v1/events";
    const options = { headers: { Accept: "text/event-stream" }, cache: "no-store", byteLimit: Infinity, totalSeconds: Infinity };
    const response = await this.request(path, { signal, ...options });
    const type = response.headers.get("Content-Type") ?? "";
    if (!/^text\/event-stream\b/i.test(type)) {
      response.body?.cancel().catch(() => {});
      throw new ListSyncError("unavailable", `the answer is ${type || "of no type"}, not a stream of events`);
    }
    onOpen();
    for await (const line of lines(response.body)) {
      const [, data] = /^data: ?(.*?)\r?$/s.exec(line) ?? [];
      if (data !== undefined) yield readHead(data);
    }
  }

  /**
   * Commits a list: items, or contents of them. `expected` is the cursor that the author has seen. Throws
   * `precondition-failed` if the list has another one, and the change was not made.
   *
   * After `unavailable`, call it again with the same arguments: a commit whose answer was lost is not made twice, and the
   * `outcome` is then `repeated`. It is `unchanged` if another author, or one with another message, made the same change.
   *
   * With `base`, the cursor of the version that the list was made from, it is merged if others have committed since: `outcome`
   * is then `merged`. Throws `conflicts`, with all of them as `conflicts` of the error, if they changed the same in other ways,
   * unless `prefer` (`mine` or `theirs`) decides. The list then has more than these items: go on with the replica's next update.
   *
   * Contents are written with every digit of their numbers: see `writeJSON`.
   */
  async commit(list, contents, { expected, base, prefer, author, message } = {}) {
    const query = new URLSearchParams(Object.entries({ author, message, base, prefer }).filter(([, value]) => value !== undefined));
    const isNew = !expected || expected === Copy.empty.state.cursor;
    const condition = base !== undefined ? {} : isNew ? { "If-None-Match": "*" } : { "If-Match": `"${expected}"` };
    const headers = { "Content-Type": "application/json", ...condition };
    const texts = Array.from(contents, (content) => (content instanceof Item ? content.text : writeJSON(content)));
    const body = `[${texts.join(",\n")}]`;
    // Nothing comes back while the list is sent and stored.
    return this.json(`/v1/lists/${checkedName(list)}?${query}`, { method: "PUT", headers, body, waitSeconds: this.totalSeconds });
  }
}

function readHead(text) {
  const head = readJSON(text);
  const state = readState(head, "the state of an event");
  if (!state.cursor || !isListName(head.list)) throw malformed("an event names no head");
  return { ...head, ...state };
}

/** The lines of an event stream; each must come whole within its bytes and its time. */
async function* lines(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  try {
    for (let [rest, begun] = ["", Date.now()]; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop();
      if (parts.length) begun = Date.now();
      if (rest.length > smallByteLimit) throw malformed(`an event has more than ${smallByteLimit} characters`);
      if (Date.now() - begun > 1000 * lineSeconds) throw new ListSyncError("unavailable", `an event was not whole after ${lineSeconds} s`);
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
 * A copy of a list that follows it: `for await (const update of replica)`. The list is that of a server, or of a publication.
 *
 * An update is asked for, verified, saved, and then handed out. If the server no longer has the copy's version, or has
 * another history, or an answer was wrong, the replica gets the whole list: once, then it gives up. It also gives up if
 * the next version does not follow from the copy, with `prove` also if a later one does not.
 *
 * With a `key`, it takes only what this key has signed: answers up to the next note are one step.
 */
export class Replica {
  #options;
  #stop = new AbortController();
  /** The promise of `start`; null before, and after a failure. */
  #started = null;
  #isRunning = false;
  /** The publication or the server; null until one of both has answered. */
  #origin = null;
  /** With a key: what is trusted, and the copy that no note has reached yet, with the reason for its first answer. */
  #trust = null;
  #held = null;
  #emptyPageCount = 0;
  /** The number of the server's answer about changed lists after which this replica has asked. */
  #asked = 0;

  constructor(server, list, options = {}) {
    this.server = server instanceof Server ? server : new Server(server, options);
    // An address may be that of a publication.
    if (server === this.server) this.#origin = server;
    this.list = checkedName(list);
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

  /** Loads the saved copy. One that is damaged, that has another form, or with a key no note of it, counts as none. */
  start() {
    this.#started ??= this.#load().catch((error) => {
      this.#started = null;
      throw error;
    });
    return this.#started;
  }

  async #load() {
    const { key, storage } = this.#options;
    if (key != null) {
      const { Trust } = await import("./signatures.js");
      this.#trust = await Trust.of(key, this.list);
    }
    const saved = await storage?.load();
    checkOwner(saved?.state, this.list);
    this.#trust?.resume(saved?.signed ?? {});
    const copy = saved && savedCopy(saved, this.list);
    const trusted = copy && this.#trust ? await this.#trust.restored(copy, saved.signed) : copy;
    if (trusted) this.copy = trusted;
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
    // Two loops would replace each other's copy, also by an older one.
    if (this.#isRunning) throw new ListSyncError("running", "another loop over this replica runs: a second one needs a replica of its own");
    this.#isRunning = true;
    try {
      await this.start();
      yield* this.#updates();
    } finally {
      this.#isRunning = false;
    }
  }

  async *#updates() {
    const { watch, onStatus, random } = this.#options;
    // `startOver` says why the next request is for the whole list.
    let [startOver, hasStartedOver, startOverCount] = [null, false, 0];
    let [isAtHead, failureCount] = [false, 0];
    [this.#held, this.#emptyPageCount] = [null, 0];
    while (!this.#stop.signal.aborted) {
      const asked = Date.now();
      let pause = 0;
      try {
        if (isAtHead && !watch) return;
        onStatus({ state: isAtHead ? "current" : "asking" });
        // Where events fail, the server holds the request.
        const isHinted = isAtHead && this.#origin === this.server && (await this.#hint(watch));
        const wait = isAtHead && !isHinted ? this.#options.waitSeconds : 0;
        const { update, more } = await this.#next(wait, startOver);
        failureCount = 0;
        const isFast = watch && Date.now() - asked < 1000 * leastPollSeconds;
        if (update) {
          const { before, after, reason } = update;
          const isEmpty = after.state.root === before.state.root;
          if (reason === "changes" && !isEmpty) hasStartedOver = false;
          if (["too-old", "diverged", "mismatch"].includes(reason)) startOverCount++;
          if (startOverCount > 1) pause = this.#seconds(startOverCount - 1);
          else if (isAtHead && isEmpty && isFast && !more) pause = leastPollSeconds * (1 + random());
        } else if (!more) {
          if (isAtHead && isFast) pause = leastPollSeconds * (1 + random());
          startOverCount = 0;
        }
        [startOver, isAtHead] = [null, !more];
        if (update) yield update;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const reason = reasonToStartOver(error);
        if (reason) {
          if (startOver || hasStartedOver) throw error;
          // A history that no note has reached says nothing about the copy.
          startOver = this.#held && reason === "diverged" ? "mismatch" : reason;
          [hasStartedOver, isAtHead, failureCount] = [true, false, 0];
        } else if (error.kind === "unavailable" && ++failureCount < this.#options.tries) {
          isAtHead = false;
          pause = Math.min(error.retryAfterSeconds ?? 0, this.#options.highestRetryAfterSeconds) + this.#seconds(failureCount);
          onStatus({ state: "waiting", seconds: pause, error });
        } else {
          throw error;
        }
      }
      if (pause) await sleep(pause, this.#stop.signal);
    }
  }

  /**
   * The next update, saved; none if nothing is new, or if the answer says that more follows and is held back (P53).
   *
   * With a key, only what `Trust.signed` returns is shown.
   */
  async #next(wait, startOver) {
    if (startOver) this.#held = null;
    const base = startOver ? Copy.empty : this.#held?.copy ?? this.copy;
    const { step, delta } = await this.#ask(base, wait, startOver);
    // A 304 has no end.
    const { more = false, note, to, reason: told } = delta ?? this.#origin.end ?? {};
    let after = step?.after ?? base;
    this.#emptyPageCount = more && after.state.root === base.state.root ? this.#emptyPageCount + 1 : 0;
    if (this.#emptyPageCount > highestEmptyPageCount) throw mismatch("the server sends pages without an end");
    const reason = this.#held?.reason ?? startOver ?? told ?? (this.state.version ? "changes" : "first");
    if (this.#trust && more && note == null) {
      this.#held = { copy: after, reason };
      return { more };
    }
    if (this.#trust && (to || !base.signed)) after = await this.#trust.signed(after, note, to, this.copy, reason === "diverged");
    this.#held = null;
    const { copy: before } = this;
    if (after !== before) await this.#options.storage?.save({ ...after, state: { ...after.state, list: this.list } });
    this.copy = after;
    if (!step && after.state.cursor === before.state.cursor) return {};
    const changes = step && base === before ? step : diff(before.items, after.items);
    return { update: { ...changes, before, after, reason }, more };
  }

  /** The document that the server or the publication gives, and the step to its end; null for each if nothing is new. */
  async #ask(copy, wait, startOver) {
    const { cursor, version } = copy.state;
    const options = { wait, startOver, limit: this.#options.limit, signal: this.#stop.signal };
    const page = this.#origin ? null : await this.#find();
    const origin = this.#origin ?? this.server;
    const delta = await origin.delta(this.list, copy.state, options).catch((error) => {
      // The page may have hidden a publication, whose host has nothing at the server's path.
      throw page && error.status === 404 && error.kind === "refused" ? page : error;
    });
    // Only a server can have answered, and not the page of a network login.
    this.#origin = origin;
    if (!delta) return { step: null, delta };
    const { from, to, list, more, kind, reason } = delta;
    if (list !== this.list) throw mismatch(`the document is of the list ${list}`);
    const isAnswer = from ? from.cursor === cursor : reason === "too-old" || reason === "diverged";
    if (!isAnswer) throw new ListSyncError("unavailable", `the answer is for ${from?.cursor}, not for ${cursor}`);
    if (!to.cursor) throw mismatch("the document names no cursor");
    const continues = kind === "changes" || reason === "smaller";
    if (version && continues && to.version === version + 1 && cursorOf(version, to.previous) !== cursor) {
      throw new ListSyncError("rewritten", `the server rewrote history: ${to.cursor} does not follow from ${cursor}`);
    }
    const step = copy.following(delta);
    const { state } = startOver ? this.copy : copy;
    if (this.#options.prove && state.version) {
      const { prove } = await import("./proofs.js");
      await prove(origin, { list, state }, to, startOver ?? reason, this.#stop.signal);
    }
    if (to.cursor === cursor && (kind === "snapshot" || !more)) return { step: null, delta };
    if (kind === "changes" && !(to.version > version)) throw mismatch("the document goes back");
    return { step, delta };
  }

  /**
   * Looks for a publication of the list. Gives the error of a page in place of its head, which is that of a network login, or of an app
   * beside a server; null if there was none.
   */
  async #find() {
    const { Publication } = await import("./publications.js");
    try {
      this.#origin = await Publication.find(this.server, this.list, this.#stop.signal);
      return null;
    } catch (error) {
      if (error.isPage) return error;
      throw error;
    }
  }

  /** Waits until the list has, or may have, another head; false at once where the next request is the one that waits. */
  async #hint(watch) {
    if (watch === "events") return this.#otherHead();
    if (watch !== "changes") return false;
    const { Changes } = await import("./changes.js");
    this.server.changes ??= new Changes(this.server);
    const count = await this.server.changes.news(this.list, this.state.cursor, this.#asked, this.#stop.signal);
    this.#asked = count ?? 0;
    return count !== null;
  }

  /** Whether an event names another head than the copy's; false when the stream fails or ends. */
  async #otherHead() {
    try {
      for await (const head of this.server.heads(this.list, { signal: this.#stop.signal })) {
        if (head.cursor !== this.state.cursor) return true;
      }
    } catch (error) {
      // The next request tells whether the server is there.
      if (!(error instanceof ListSyncError)) throw error;
    }
    return false;
  }

  #seconds(failureCount) {
    const { firstSeconds, highestSeconds, random } = this.#options;
    return Math.min(highestSeconds, firstSeconds * 2 ** Math.min(failureCount - 1, 30)) * (0.5 + random() / 2);
  }
}

/** Throws unless a storage keeps the list of a replica, or nothing: it would show the other list where the server is not reached. */
function checkOwner(state, list) {
  const { list: owner = list } = Object(state);
  if (owner !== list) throw new ListSyncError("other-list", `the storage keeps the list ${owner}: give ${list} a storage of its own`);
}

/** The copy that a storage has kept; null if it is damaged in any way, or does not say of which list it is. */
function savedCopy({ state, items }, list) {
  try {
    const read = readState(state, "the saved state");
    return read.cursor && state.list === list ? Copy.of(read, Items.from(items.map(([id, text]) => new Item(id, text)))) : null;
  } catch {
    return null;
  }
}

/** Why the next request is for the whole list; null if the error is another one. */
function reasonToStartOver({ kind, status }) {
  if (status === undefined) return kind === "malformed" || kind === "mismatch" ? "mismatch" : null;
  return { "404 no-such-version": "diverged", "409 diverged": "diverged", "410 too-old": "too-old" }[`${status} ${kind}`] ?? null;
}

// --- Bundles ---------------------------------------------------------------------------------------------------------

/**
 * Reads a bundle and proves it: for each version its header as `record`, and the step that leads to it. The first value of a full
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
  const { format, kind, from, to, changes } = readObject(header ?? "");
  if (format !== "list-bundle/1" || !["full", "incremental"].includes(kind)) throw malformed("this is not the header of a bundle");
  const [start, end] = [readProvenState(from, "from"), readProvenState(to, "to")];
  if (kind === "incremental" && !isSameState(start, copy.state)) throw mismatch("the bundle starts elsewhere");
  let [line, { chain }] = [0, start];
  if (kind === "full") copy = Copy.empty;
  if (kind === "full" && start.version) {
    if (start.version === 1) throw malformed("the base is of version 1");
    if (start.count > rest.length) throw malformed("the bundle is cut off");
    copy = Copy.of(start, Items.from(Array.from({ length: start.count }, () => readItem(rest[line++]))));
    yield { ...noChanges, record: { ...start, changes }, before: copy, after: copy };
  }
  while (copy.state.version < end.version) {
    const step = nextStep(copy, chain, readDelta(rest[line++] ?? ""));
    [copy, chain] = [step.after, step.record.chain];
    yield step;
  }
  if (!isSameState(end, copy.state)) throw mismatch("the bundle ends at another state than it says");
  const body = all.slice(0, line + 1);
  const digest = body.reduce((hash, text) => hash.text(text).text("\n"), new Hash()).hex();
  if (rest.length !== line + 1 || rest[line] !== `{"lines":${body.length},"sha256":"${digest}"}`) {
    throw mismatch(`the last line is not that of ${body.length} lines with the digest ${digest}`);
  }
}

/** An item that is a line of a bundle. */
function readItem(line) {
  const scanner = new Scanner(line);
  const { item } = readEntry(scanner);
  scanner.expectEnd();
  if (!item) throw malformed("an item has no content");
  return item;
}

/** The step of a delta to the next version, which must be the only one between its two lists, and continue the chain. */
function nextStep(copy, chain, delta) {
  const { kind, from, to: record } = delta;
  const version = copy.state.version + 1;
  if (kind !== "changes" || !isSameState(from, copy.state) || record.version !== version || record.previous !== chain) {
    throw mismatch(`version ${version} is missing`);
  }
  const { delta: document, ...step } = copy.following(delta);
  const { removed, moved, inserted, updated } = step;
  const gone = new Set(removed.map(({ item }) => item.id));
  const isEmpty = !(removed.length || moved.length || inserted.length || updated.length);
  if (isEmpty || !hasFewestMoves(step) || updated.some(({ before, item }) => before.text === item.text) ||
    inserted.some(({ item }) => gone.has(item.id))) {
    throw mismatch(`the changes of version ${version} are not the canonical ones`);
  }
  return { ...step, record };
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

// --- Storage ---------------------------------------------------------------------------------------------------------

/**
 * Keeps a copy in the browser's IndexedDB. Only chunks that have changed are written. Each list needs a name of its own. Tabs may share
 * it: where another one has saved since, a save writes every chunk, or nothing if that one's copy is the same or of a later version (P43).
 *
 * Another storage is an object with `load()`, which returns `{state, items: [[id, text], …], signed}` or null,
 * and `save(copy)`, which must keep the state, the items and `copy.signed` together or not at all. The state names its list.
 */
export function indexedDBStorage(name) {
  const settled = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = request.oncomplete = () => resolve(request.result);
      // An error of a request comes to its transaction, too, which has none of its own yet.
      request.onerror = request.onabort = ({ target }) => reject(target.error);
    });
  /** The mark of the save that this storage has seen last, and the keys of the chunks that it wrote then. */
  let [mark, keys] = [undefined, new Map()];
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
      if (head?.mark !== mark) [mark, keys] = [head?.mark, new Map()];
      if (!head) return null;
      const chunks = await Promise.all(head.keys.map((key) => settled(parts.get(key))));
      return { state: head.state, items: chunks.flat(), signed: head.signed };
    },
    async save({ state, items, signed }) {
      database ??= await open();
      const transaction = database.transaction("parts", "readwrite");
      const parts = transaction.objectStore("parts");
      const head = await settled(parts.get("head"));
      checkOwner(head?.state, state.list);
      const [kept, isOwn] = [head?.state?.list && head.state, head?.mark === mark];
      const isSame = kept?.cursor === state.cursor && JSON.stringify(head.signed) === JSON.stringify(signed);
      if (!isOwn && (isSame || kept?.version > state.version)) return;
      const old = new Map(isOwn ? keys : []);
      if (!old.size) parts.clear();
      const written = new Map();
      for (const chunk of items.chunks) {
        const key = old.get(chunk) ?? nextKey++;
        if (!old.delete(chunk)) parts.put(chunk.map(({ id, text }) => [id, text]), key);
        written.set(chunk, key);
      }
      for (const key of old.values()) parts.delete(key);
      const next = Math.random();
      parts.put({ state, signed, keys: [...written.values()], mark: next }, "head");
      await settled(transaction);
      [mark, keys] = [next, written];
    },
  };
}
