// The page: its session with the server, the address, and what is common to all views.

import { h, number, plural } from "./elements.js";
import { Copy, ListSyncError, Server } from "./listsync.js";
import { historyView, itemView, listsView, differenceView } from "./views.js";
import { replayView, versionView } from "./rows.js";

const tokenKey = "listsync-token";
const main = document.getElementById("main");
const status = document.getElementById("status");
const forget = document.getElementById("forget");

// --- The address: #/LIST/VIEW/SUBJECT?NAME=VALUE ---

/** The address of a view. Parameters that are empty are left out. */
export function address(segments = [], parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value != null && value !== false));
  return `#/${segments.map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
}

function readAddress() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const decoded = path.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { segments: decoded, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

// --- The session ---

/** What views ask the server. Versions never change, so they are kept. */
class Session {
  #copies = new Map();
  #records = new Map();
  /** How answers are taken from the browser's cache: not at all after a wrong one, which may be kept there. */
  cache = "default";
  /** Every list that the caller may read, by name. */
  summaries = new Map();

  constructor(token) {
    this.server = new Server(location.href.replace(/[?#].*$/, "").replace(/\/$/, ""), { token, fetch: fetch.bind(window) });
  }

  async loadLists(signal) {
    const lists = [];
    for (let path = "/v1/lists"; path;) {
      const answer = await this.server.request(path, { signal });
      lists.push(...(await answer.json()).lists);
      path = answer.headers.get("Link")?.match(/^<(.*)>; rel="next"$/)?.[1];
    }
    this.summaries = new Map(lists.map((summary) => [summary.list, summary]));
    return lists;
  }

  async summary(list, signal) {
    if (!this.summaries.has(list)) await this.loadLists(signal);
    const summary = this.summaries.get(list);
    if (!summary) throw new ListSyncError("not-found", `There is no list “${list}”, or you may not read it.`);
    return summary;
  }

  /** Records of versions, newest first. */
  async records(list, { before, limit = 100, signal } = {}) {
    const records = await this.server.json(`/v1/lists/${list}/versions?limit=${limit}${before ? `&before=${before}` : ""}`, { signal });
    for (const record of records) this.#records.set(`${list} ${record.version}`, record);
    return records;
  }

  async record(list, version, signal) {
    const key = `${list} ${version}`;
    if (!this.#records.has(key)) await this.records(list, { before: version + 1, limit: 1, signal });
    const record = this.#records.get(key);
    if (record) return record;
    throw new ListSyncError("no-such-version", `${list} has no version ${version}.`);
  }

  async groups(list, groups, signal) {
    return (await this.server.json(`/v1/lists/${list}/versions?groups=${groups}`, { signal })).reverse();
  }

  /** The list at a version, a date, a tag or `head`, verified. */
  async copy(list, revision, signal) {
    const summary = await this.summary(list, signal);
    if (revision === "0") return Copy.empty;
    const isNumber = /^\d+$/.test(revision);
    const to = revision === "head" ? summary.head.cursor : isNumber ? (await this.record(list, Number(revision), signal)).cursor : revision;
    const key = `${list} ${to}`;
    if (this.#copies.has(key)) return this.#copies.get(key);
    const path = `/v1/lists/${list}/delta?since=${Copy.empty.state.cursor}&to=${encodeURIComponent(to)}&fallback=snapshot`;
    const copy = Copy.empty.reading(await (await this.server.request(path, { signal, cache: this.cache })).text()).after;
    this.#keep(key, copy);
    return copy;
  }

  /** The step from one version to a later one, verified. */
  async step(list, from, to, signal) {
    const before = await this.copy(list, from, signal);
    const end = to === "head" ? (await this.summary(list, signal)).head.cursor : (await this.record(list, Number(to), signal)).cursor;
    const path = `/v1/lists/${list}/delta?since=${before.state.cursor}&to=${end}`;
    return before.reading(await (await this.server.request(path, { signal, cache: this.cache })).text());
  }

  #keep(key, copy) {
    this.#copies.set(key, copy);
    if (this.#copies.size > 4) this.#copies.delete(this.#copies.keys().next().value);
  }
}

let session = new Session(sessionStorage.getItem(tokenKey) ?? undefined);

// --- Views ---

let view = null;

const views = {
  at: (context, [revision = "head"]) => versionView(context, revision),
  diff: (context, [range = ""]) => differenceView(context, range),
  item: (context, [id = ""]) => itemView(context, id),
  replay: (context) => replayView(context),
};

async function show() {
  const { segments: [list, name, ...subject], parameters } = readAddress();
  view?.controller.abort();
  const controller = new AbortController();
  const own = (view = { controller, onHead: null });
  const context = {
    session, list, parameters, signal: controller.signal,
    /** Called with each new head of any list while the view is shown. */
    onHead: (listener) => (own.onHead = listener),
    /** Changes the address without leaving the view. */
    setParameters: (changes) => {
      Object.assign(parameters, changes);
      history.replaceState(null, "", address([list, name, ...subject].filter((part) => part !== undefined), parameters));
    },
    show: (...content) => {
      if (!controller.signal.aborted) main.replaceChildren(...content.flat(Infinity).filter(Boolean));
    },
    announce,
  };
  showPlace(list, name, subject);
  const loading = setTimeout(() => context.show(h("p", { class: "notice" }, "Loading…")), 250);
  main.setAttribute("aria-busy", "true");
  try {
    if (!list) await listsView(context);
    else if (!name) await historyView(context);
    else if (Object.hasOwn(views, name)) await views[name](context, subject);
    else throw new ListSyncError("not-found", "The page has no such view.");
  } catch (error) {
    if (controller.signal.aborted) return;
    console.debug(error);
    showError(context, error);
  } finally {
    clearTimeout(loading);
    if (view === own) {
      main.removeAttribute("aria-busy");
      main.dataset.shown = location.hash;
    }
  }
  if (view === own && hasMoved) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
  hasMoved = true;
}

/** Whether a view was shown before: the first one does not take the focus. */
let hasMoved = false;

function showPlace(list, name, subject) {
  const names = { at: "items", diff: "difference", item: "item", replay: "replay" };
  const links = [["Lists", address()], list && [list, address([list])], name && [`${names[name] ?? name} ${name === "item" ? "" : subject.join(" ")}`.trim()]];
  document.getElementById("place").replaceChildren(h("ol", {}, links.filter(Boolean).map(([text, href], i, all) =>
    h("li", {}, i < all.length - 1 ? h("a", { href }, h("bdi", {}, text)) : h("span", { "aria-current": "page" }, h("bdi", {}, text))))));
  document.title = [list && name ? `${names[name] ?? name} · ${list}` : list, "ListSync"].filter(Boolean).join(" · ");
}

export function announce(text) {
  document.getElementById("news").textContent = text;
}

// --- What is common to views ---

/** Says that what is shown has the checksum that the server promises: it was computed here. */
export function proof(state, what = plural(state.count, "item")) {
  return h("p", { class: "proof" }, h("span", { class: "seal", "aria-hidden": "true" }, "✓"), ` ${what}, checksum verified `,
    h("span", { class: "digest", title: "The checksum that this page computed of the shown items" }, state.checksum));
}

/** An error that a view cannot handle. A wrong answer is shown as an alarm, and its contents are not shown. */
export function showError(context, error) {
  if (error.kind === "unauthenticated") return askForToken(context, error);
  const again = h("button", { type: "button", onclick: show }, "Try again");
  if (error.kind === "mismatch" || error.kind === "malformed") {
    announce("");
    context.session.cache = "reload";
    context.show(h("section", { class: "alarm", role: "alert" }, h("h1", { tabindex: -1 }, "The proof failed"),
      h("p", {}, "The answer of the server does not have the checksum that it promises. Its contents are not shown: somebody or ",
        "something on the way has changed them, or the store is damaged."),
      h("p", {}, h("code", {}, error.message)),
      h("p", {}, "Run ", h("code", {}, "listsync verify --deep"), " on the server’s store."), again));
    return;
  }
  context.show(h("section", { class: "notice", role: "alert" }, h("h1", { tabindex: -1 }, titles[error.kind] ?? "This cannot be shown"),
    h("p", {}, h("bdi", {}, error.message)), h("p", {}, again, " ", h("a", { href: address() }, "All lists"))));
}

const titles = {
  "not-found": "Not found", "no-such-version": "There is no such version", "no-such-item": "There is no such item", forbidden: "Not allowed",
  "too-old": "This version was pruned", gone: "This list is gone", unavailable: "The server cannot be reached",
};

function askForToken(context, error) {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true });
  const isWrong = Boolean(context.session.server.token);
  const submit = (event) => {
    event.preventDefault();
    // Kept for this tab; the address never has it.
    sessionStorage.setItem(tokenKey, input.value.trim());
    begin();
  };
  context.show(h("form", { class: "card sign-in", onsubmit: submit }, h("h1", { tabindex: -1 }, "A token is needed"),
    h("p", {}, "This server shows its lists to callers with a token. ", h("code", {}, "listsync token create"), " makes one."),
    isWrong && h("p", { class: "wrong", role: "alert" }, error.message),
    h("label", { for: "token" }, "Token"), input, h("button", { type: "submit" }, "Show the lists")));
  input.focus();
}

// --- Live ---

let listening = null;

/** Follows the heads of all lists; says so, and comes back by itself. */
async function listen() {
  listening?.abort();
  const controller = (listening = new AbortController());
  const { signal } = controller;
  for (let failures = 0; !signal.aborted; ) {
    try {
      setStatus("connecting", "Connecting…");
      const heads = session.server.heads(undefined, { signal, onOpen: () => setStatus("live", "Live") });
      for await (const head of heads) {
        failures = 0;
        setStatus("live", "Live");
        const known = session.summaries.get(head.list);
        if (known?.head.cursor === head.cursor) continue;
        if (known) {
          known.head = { cursor: head.cursor, version: head.version, count: head.count, checksum: head.checksum };
          known.oldest = head.oldest;
          known.committed_at = new Date().toISOString();
        }
        view?.onHead?.(head, known !== undefined);
      }
      throw new Error("the stream ended");
    } catch (error) {
      if (signal.aborted) return;
      if (error.kind === "unauthenticated") return setStatus("", "");
      const seconds = Math.min(10, 0.5 * 2 ** failures++) * (0.75 + Math.random() / 2);
      setStatus("lost", `Connection lost. Trying again in ${Math.ceil(seconds)} s`);
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    }
  }
}

function setStatus(state, text) {
  if (status.dataset.state === state && status.textContent === text) return;
  status.dataset.state = state;
  status.textContent = text;
}

function begin() {
  const token = sessionStorage.getItem(tokenKey) ?? undefined;
  session = new Session(token);
  forget.hidden = !token;
  show();
  listen();
}

forget.addEventListener("click", () => {
  sessionStorage.removeItem(tokenKey);
  begin();
});
document.getElementById("skip").addEventListener("click", (event) => {
  // The address is the view's.
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", show);
begin();
export { number };
