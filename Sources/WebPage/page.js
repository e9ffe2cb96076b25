// The page: the address, the views, and what is common to them.
//
// A source says where lists come from: a server (live.js), or the bundle in a report (report.js). It has
//
//     summary(list, signal)                     a list as in GET /v1/lists
//     lists({prefix, after, limit}, signal)     lists by name, and whether there are more; not of a source with `only`
//     records(list, {before, limit, signal})    records of versions, newest first; record(list, version, signal): one
//     groups(list, most, signal)                adjacent versions with the sums of their changes, oldest first
//     tags(list, signal), prunings(list, signal)    named versions; what was pruned, newest first
//     copy(list, revision, signal)              the list at a version, head, date or tag, verified
//     step(list, from, to, signal)              the changes from one version to a later one, verified
//     versions(list, from, signal)              every version after `from` with its step and its list, verified
//     history(list, id, signal)                 the changes of an item, newest first; at most `mostChanges`, which has no value if there is no limit
//     places(list, id, signal)                  the versions with an item by its index, newest first: adjacent ones are one run
//     updates(list, copy, signal)               optional: each newer version that there is, verified
//     isFinal                                   whether the same query always has the same answer
//     isProved                                  whether all versions were verified before the first view
//     only                                      the list's name if there is only one
//     alarm, advice, wordOfItem                 texts: a failed proof, what to do, what proves an item's history

import { h, renew } from "./elements.js";
import { ListSyncError } from "./listsync.js";
import { address } from "./parts.js";
import { historyView, listsView, differenceView } from "./views.js";
import { versionView } from "./rows.js";

const main = document.getElementById("main");
const status = document.getElementById("status");

/** The parts of the address, #/LIST/VIEW/SUBJECT?NAME=VALUE. */
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

// --- Views ---

let source = null;
let view = null;

const views = {
  at: (context, [revision = "head"]) => versionView(context, revision),
  diff: (context, [range = ""]) => differenceView(context, range),
  item: async (context, [id = ""]) => (await import("./item.js")).itemView(context, id),
  replay: async (context) => (await import("./replay.js")).replayView(context),
};

/** Shows what the address says, from another source. */
export function begin(from) {
  if (!source) window.addEventListener("hashchange", show);
  source = from;
  show();
}

/** Tells the view of a new head. */
export function receiveHead(head) {
  comeBack();
  view?.onHead?.(head);
}

/** Lets the view look whether its lists are still there. */
export function checkView() {
  comeBack();
  view?.onCheck?.();
}

/** The least time between two tries to show a view. */
const triesMilliseconds = 1000;

/** Shows a view that could not be shown while the server could not be reached. */
export function comeBack() {
  if (view?.context.isUnavailable && performance.now() > view.begun + triesMilliseconds) show();
}

/** Shows an error in place of the view. */
export function refuse(error) {
  if (view) showError(view.context, error);
}

/** How far the page and its rows are scrolled, by the entries of the browser's history. Browsers know only of the content that is there. */
const positions = new Map();
let entry = null;
history.scrollRestoration = "manual";
document.addEventListener("scroll", () => positions.set(entry, [window.scrollY, main.querySelector(".rows")?.scrollTop ?? 0]), { capture: true, passive: true });

/** The positions of the present entry; none for a new one. */
function enter() {
  entry = history.state?.entry;
  if (!entry) history.replaceState({ entry: (entry = Math.random()) }, "");
  return positions.get(entry) ?? [];
}

async function show() {
  const [top, rowsTop] = enter();
  const { segments: [list = source.only, name, ...subject], parameters } = readAddress();
  view?.controller.abort();
  const controller = new AbortController();
  const own = (view = { controller, onHead: null, onCheck: null, begun: performance.now() });
  let isShown = false;
  const context = {
    source, list, parameters, signal: controller.signal,
    /** Called with each new head of any list while the view is shown. */
    onHead: (listener) => (own.onHead = listener),
    /** Called now and then while the view is shown: no event tells that a list was dropped or renamed. */
    onCheck: (listener) => (own.onCheck = listener),
    /** Changes the address without leaving the view. */
    setParameters: (changes) => {
      // The address is that of another view by now.
      if (controller.signal.aborted) return;
      Object.assign(parameters, changes);
      history.replaceState(history.state, "", address([list, name, ...subject].filter((part) => part !== undefined), parameters));
    },
    show: (...content) => {
      context.isUnavailable = false;
      if (controller.signal.aborted) return;
      const children = content.flat(Infinity).filter(Boolean);
      if (isShown) renew(main, children);
      else main.replaceChildren(...children);
      isShown = true;
    },
    announce,
    /** Shows an error that the view cannot handle, in place of the view. */
    fail: (error) => showError(context, error),
  };
  own.context = context;
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
  if (view !== own) return;
  if (hasMoved) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
  window.scrollTo(0, top ?? 0);
  // The rows of a replay begin where something changes.
  if (rowsTop !== undefined) main.querySelector(".rows")?.scrollTo(0, rowsTop);
  hasMoved = true;
}

/** Whether a view was shown before: the first one does not take the focus. */
let hasMoved = false;

function showPlace(list, name, subject) {
  const names = { at: "items", diff: "difference", item: "item", replay: "replay" };
  const links = [!source.only && ["Lists", address()], list && [list, address([list])], name && [`${names[name] ?? name} ${name === "item" ? "" : subject.join(" ")}`.trim()]];
  document.getElementById("place").replaceChildren(h("ol", {}, links.filter(Boolean).map(([text, href], i, all) =>
    h("li", {}, i < all.length - 1 ? h("a", { href, title: text }, h("bdi", {}, text)) : h("span", { "aria-current": "page", title: text }, h("bdi", {}, text))))));
  document.title = [list && name ? `${names[name] ?? name} · ${list}` : list, "ListSync"].filter(Boolean).join(" · ");
}

function announce(text) {
  document.getElementById("news").textContent = text;
}

/** Shows an error in place of a view. A wrong answer is shown as an alarm, and its contents are not shown. */
function showError(context, error) {
  context.onCheck(null);
  if (error.kind === "unauthenticated" && source.askForToken) return source.askForToken(context, error);
  // What was pruned does not come back.
  const again = !source.isFinal && error.kind !== "too-old" && h("button", { type: "button", onclick: show }, "Try again");
  if (["mismatch", "malformed", "rewritten"].includes(error.kind)) {
    announce("");
    source.distrust?.();
    // An alarm stays until somebody has seen it.
    context.onHead(null);
    context.show(h("section", { class: "alarm", role: "alert" }, h("h1", { tabindex: -1 }, "The proof failed"),
      h("p", {}, source.alarm), h("p", {}, h("code", {}, error.message)), h("p", {}, source.advice), again));
    return;
  }
  context.show(h("section", { class: "notice", role: "alert" }, h("h1", { tabindex: -1 }, titles[error.kind] ?? "This cannot be shown"),
    h("p", {}, h("bdi", {}, error.message)), h("p", {}, again, " ",
    (source.only || namesList.has(error.kind)) && [h("a", { href: address([source.only ?? context.list]) }, "Versions of ", h("bdi", {}, source.only ?? context.list)), " "],
    !source.only && h("a", { href: address() }, "All lists"))));
  context.isUnavailable = error.kind === "unavailable";
}

/** Errors of a list that is there. */
const namesList = new Set(["no-such-version", "no-such-item", "too-old"]);

const titles = {
  "not-found": "Not found", "no-such-version": "There is no such version", "no-such-item": "There is no such item", forbidden: "Not allowed",
  "too-old": "This version was pruned", gone: "This list is gone", unavailable: "The server cannot be reached",
};

/** What the page is doing, beside its name. */
export function setStatus(state, text) {
  if (status.dataset.state === state && status.textContent === text) return;
  status.dataset.state = state;
  status.textContent = text;
}

document.getElementById("skip").addEventListener("click", (event) => {
  // The address is the view's.
  event.preventDefault();
  main.focus();
});
