// The page of a server: its lists by HTTP, the token, and the stream of new heads.

import { h } from "./elements.js";
import { readItemHistory } from "./exact.js";
import { Copy, ListSyncError, readBundle, Replica, Server } from "./listsync.js";
import { begin, checkView, comeBack, receiveHead, refuse, setStatus } from "./page.js";

const tokenKey = "listsync-token";
const forget = document.getElementById("forget");

/** The lists of a server. Versions do not change, so they are kept, until a list has a new head: it may be that of a restored backup. */
class ServerSource {
  #copies = new Map();
  /** By the name of the list and the version. */
  #records = new Map();
  /** How answers are taken from the browser's cache: not at all after a wrong one, which may be kept there. */
  #cache = "default";
  /** What is known of lists, by name; what an event has made old is taken out. */
  summaries = new Map();
  /** The news of each list: the number of the last one, and its cursor. */
  #news = new Map();
  #newsCount = 0;
  #hasAskedForToken = false;
  alarm = "The answer of the server does not have the root that it promises. Its contents are not shown: somebody or " +
    "something on the way has changed them, or the store is damaged.";
  advice = "Run listsync verify --deep on the server’s store.";
  mostChanges = 1000;
  wordOfItem = "An item’s history is the server’s word; the difference of two versions is verified.";

  constructor(token) {
    this.server = new Server(location.href.replace(/[?#].*$/, "").replace(/\/$/, ""), { token, fetch: fetch.bind(window) });
  }

  async lists({ prefix, after, limit }, signal) {
    const query = new URLSearchParams({ limit, ...(prefix && { prefix }), ...(after && { after }) });
    const begun = this.#newsCount;
    const answer = await this.server.request(`/v1/lists?${query}`, { signal });
    const { lists } = await answer.json();
    for (const summary of lists) {
      const news = this.#news.get(summary.list);
      // A slow answer may be older than an event.
      if (!(news?.count > begun) || news.cursor === summary.head.cursor) this.summaries.set(summary.list, summary);
    }
    return { lists, isMore: answer.headers.has("Link") };
  }

  async summary(list, signal) {
    // Of all names that begin with a name, it is the first.
    const asked = this.summaries.has(list) ? [] : (await this.lists({ prefix: list, limit: 1 }, signal)).lists;
    const summary = this.summaries.get(list) ?? asked.find((found) => found.list === list);
    if (!summary) throw new ListSyncError("not-found", `There is no list “${list}”, or you may not read it.`);
    return summary;
  }

  async records(list, { before, limit = 100, signal } = {}) {
    const records = await this.#json(list, `versions?limit=${limit}${before ? `&before=${before}` : ""}`, signal);
    if (!this.#records.has(list)) this.#records.set(list, new Map());
    for (const record of records) this.#records.get(list).set(record.version, record);
    return records;
  }

  async record(list, version, signal) {
    const known = () => this.#records.get(list)?.get(version);
    if (!known()) await this.records(list, { before: version + 1, limit: 1, signal });
    if (known()) return known();
    const { oldest } = await this.summary(list, signal);
    if (version > 0 && version < oldest) throw new ListSyncError("too-old", `${list} keeps its versions from ${oldest} on.`);
    throw new ListSyncError("no-such-version", `${list} has no version ${version}.`);
  }

  async groups(list, most, signal) {
    return (await this.#json(list, `versions?groups=${most}`, signal)).reverse();
  }

  tags(list, signal) {
    return this.#json(list, "tags", signal);
  }

  prunings(list, signal) {
    return this.#json(list, "prunings", signal);
  }

  async history(list, id, signal) {
    // In a path, browsers resolve the ids `.` and `..`.
    const path = `/v1/lists/${list}/history?item=${encodeURIComponent(id)}&limit=${this.mostChanges}`;
    return readItemHistory(await (await this.server.request(path, { signal })).text());
  }

  async places(list, id, signal) {
    const runs = [];
    let path = `/v1/lists/${list}/places?item=${encodeURIComponent(id)}&limit=1000`;
    // More than a drawing can show are not asked for.
    for (let page = 0; path && page < 10; page++) {
      const answer = await this.server.request(path, { signal });
      runs.push(...await answer.json());
      const next = /^<([^>]*)>/.exec(answer.headers.get("Link"))?.[1];
      path = next && new URL(next, this.server.url + path).href.slice(this.server.url.length);
    }
    return runs;
  }

  async copy(list, revision, signal) {
    const summary = await this.summary(list, signal);
    if (revision === "0") return Copy.empty;
    const isNumber = /^\d+$/.test(revision);
    const to = revision === "head" ? summary.head.cursor : isNumber ? (await this.record(list, Number(revision), signal)).cursor : revision;
    const key = `${list} ${to}`;
    if (this.#copies.has(key)) return this.#copies.get(key);
    const copy = Copy.empty.reading(await this.#delta(list, `${Copy.empty.state.cursor}&to=${encodeURIComponent(to)}&fallback=snapshot`, signal)).after;
    // A date or a tag may later mean another version.
    this.#keep(`${list} ${copy.state.cursor}`, copy);
    return copy;
  }

  async step(list, from, to, signal) {
    const before = await this.copy(list, String(from), signal);
    const { cursor } = await this.record(list, to, signal);
    return before.reading(await this.#delta(list, `${before.state.cursor}&to=${cursor}`, signal));
  }

  async versions(list, from, signal) {
    const { oldest } = await this.summary(list, signal);
    const base = from >= oldest && from > 0 ? await this.copy(list, String(from), signal) : Copy.empty;
    const since = base === Copy.empty ? "" : `?since=${base.state.cursor}`;
    const text = await (await this.server.request(`/v1/lists/${list}/bundle${since}`, { signal })).text();
    return [...readBundle(text, base)];
  }

  /** A replica verifies each update. It does not wait for more: the stream of heads tells of them, with the one connection of the page. */
  async *updates(list, copy, signal) {
    const replica = new Replica(this.server, list, { watch: false, highestSeconds: 5 });
    replica.copy = copy;
    signal.addEventListener("abort", () => replica.stop());
    yield* replica;
  }

  /** Whether a list that was shown is no longer there. */
  async isGone(list, signal) {
    const { lists } = await this.lists({ prefix: list, limit: 1 }, signal);
    return lists[0]?.list !== list;
  }

  /** Takes in that a list has a new head or was pruned; false if that was known. */
  hasNews({ list, cursor, oldest }) {
    const known = this.summaries.get(list);
    if (known?.head.cursor === cursor && known.oldest === oldest) return false;
    this.summaries.delete(list);
    this.#records.delete(list);
    this.#news.set(list, { count: ++this.#newsCount, cursor });
    return true;
  }

  distrust() {
    this.#cache = "reload";
  }

  /** Shows a form, unless it is there: what was typed into it stays. */
  askForToken(context, error) {
    if (this.#hasAskedForToken && document.getElementById("token")) return;
    this.#hasAskedForToken = true;
    // Nothing else can be sent as a token.
    const input = h("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true, pattern: "\\s*[!-~]+\\s*",
      title: "A token has letters, digits and signs of ASCII only, and no spaces" });
    const isWrong = Boolean(this.server.token);
    const submit = (event) => {
      event.preventDefault();
      keepToken(input.value.trim());
      visit();
    };
    context.show(h("form", { class: "card sign-in", onsubmit: submit }, h("h1", { tabindex: -1 }, isWrong ? "Another token is needed" : "A token is needed"),
      h("p", {}, "This server shows its lists to callers with a token. ", h("code", {}, "listsync token create"), " makes one."),
      isWrong && h("p", { class: "wrong", role: "alert" }, error.message),
      h("label", { for: "token" }, "Token"), input, h("button", { type: "submit" }, "Show the lists")));
    input.focus();
  }

  #json(list, path, signal) {
    return this.server.json(`/v1/lists/${list}/${path}`, { signal });
  }

  async #delta(list, since, signal) {
    return (await this.server.request(`/v1/lists/${list}/delta?since=${since}`, { signal, cache: this.#cache })).text();
  }

  #keep(key, copy) {
    this.#copies.set(key, copy);
    if (this.#copies.size > 4) this.#copies.delete(this.#copies.keys().next().value);
  }
}

/** The least time between two looks whether the shown lists are still there. */
const checkMilliseconds = 10_000;
/** What a server promises that does not say it. */
const usualHeartbeatSeconds = 15;
const longestOpeningSeconds = 20;

/**
 * The heads of all lists, from an event stream: the present ones, then each new one; null for each heartbeat.
 *
 * A stream whose server or network has died does not end. So this throws when nothing came for two heartbeats.
 */
async function* headsOf(server, signal, onOpen) {
  const request = new AbortController();
  const abort = () => request.abort();
  signal.addEventListener("abort", abort);
  let [heartbeatSeconds, silentSeconds, timer] = [usualHeartbeatSeconds, 0, null];
  const expectWithin = (seconds) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      silentSeconds = seconds;
      abort();
    }, 1000 * seconds);
  };
  try {
    expectWithin(longestOpeningSeconds);
    const options = { signal: request.signal, headers: { Accept: "text/event-stream" }, cache: "no-store", byteLimit: Infinity, totalSeconds: Infinity };
    const reader = (await server.request("/v1/events", options)).body.pipeThrough(new TextDecoderStream()).getReader();
    onOpen();
    for (let rest = ""; ; ) {
      expectWithin(2 * heartbeatSeconds);
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const promise = /^: heartbeat (\d{1,4})$/.exec(line);
        if (promise) heartbeatSeconds = Math.max(1, Number(promise[1]));
        if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
        else if (line.startsWith(":")) yield null;
      }
    }
  } catch (error) {
    if (silentSeconds) throw new ListSyncError("unavailable", `nothing came for ${silentSeconds} s`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    abort();
  }
}

let token;
try {
  token = sessionStorage.getItem(tokenKey) ?? undefined;
} catch {
  // A browser may store nothing for pages.
}

/** Keeps a token for this tab, or only until the page is left where nothing is stored; the address never has it. */
function keepToken(text) {
  token = text;
  try {
    if (text) sessionStorage.setItem(tokenKey, text);
    else sessionStorage.removeItem(tokenKey);
  } catch {
    // It is still known here.
  }
}

let source = null;
let listening = null;

/**
 * Follows the heads of all lists while the page can be seen; says so, and comes back by itself. Browsers have six connections to a
 * server for all their tabs, so hidden pages must leave them to others.
 */
async function listen() {
  listening?.abort();
  if (document.hidden) return;
  const controller = (listening = new AbortController());
  const { signal } = controller;
  setStatus("connecting", "Connecting…");
  for (let failures = 0; !signal.aborted; ) {
    let checked = performance.now();
    const opened = () => {
      setStatus("live", "Live");
      comeBack();
    };
    try {
      for await (const head of headsOf(source.server, signal, opened)) {
        failures = 0;
        if (head && source.hasNews(head)) receiveHead(head);
        if (performance.now() < checked + checkMilliseconds) continue;
        checked = performance.now();
        checkView();
      }
      throw new Error("the stream ended");
    } catch (error) {
      if (signal.aborted) return;
      if (error.kind === "unauthenticated" || error.kind === "forbidden") {
        setStatus("lost", source.server.token ? "Not connected: the token is not valid" : "Not connected: a token is needed");
        return refuse(error);
      }
      console.debug(error);
      const seconds = Math.min(10, 0.5 * 2 ** failures++) * (0.75 + Math.random() / 2);
      setStatus("lost", `Not connected. Trying again in ${Math.ceil(seconds)} s`);
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
      if (!signal.aborted) setStatus("lost", "Not connected. Trying again…");
    }
  }
}

function visit() {
  source = new ServerSource(token);
  forget.hidden = !token;
  begin(source);
  listen();
}

document.addEventListener("visibilitychange", listen);

forget.addEventListener("click", () => {
  keepToken(undefined);
  visit();
});
visit();
