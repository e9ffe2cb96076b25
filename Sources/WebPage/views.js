// Views of lists, of a list's history, and of the difference of two versions.

import { historyChart, merged, sparkline, sumOf } from "./charts.js";
import { chips, commonOf, countsOf, details, foreign, h, kinds, memberChanges, memberTable, number, plural, readableID, renew, signs, time,
  short, titleOf, unfold, visible } from "./elements.js";
import { contentOf } from "./exact.js";
import { address, author, fact, following, pauseMilliseconds, proof } from "./parts.js";

// --- Lists ---

const listsPerPage = 100;

export async function listsView(context) {
  const { source, parameters, signal } = context;
  const charts = chartsWhenSeen(source, signal);
  const [body, ends] = [h("tbody", {}), h("nav", { class: "tabs", "aria-label": "Pages of lists" })];
  const none = h("p", { class: "notice" });
  let shown = new Map();
  let [isMore, isLoading, timer, begun] = [false, false, null, 0];
  /** The versions that events have told since the last request began: its answer may be older. */
  const told = new Map();

  const load = async () => {
    const [prefix, after] = [parameters.find ?? "", parameters.after ?? ""];
    isLoading = true;
    begun = performance.now();
    told.clear();
    const page = await source.lists({ prefix, after, limit: listsPerPage }, signal).finally(() => (isLoading = false));
    if (prefix !== (parameters.find ?? "")) return load();
    isMore = page.isMore;
    shown = new Map(page.lists.map((entry) => {
      const known = shown.get(entry.list);
      const isSame = known?.entry.head.cursor === entry.head.cursor;
      return [entry.list, isSame ? known : { entry, row: listRow(entry, charts) }];
    }));
    const rows = Array.from(shown.values(), ({ row }) => row);
    if (rows.length !== body.children.length || rows.some((row, index) => row !== body.children[index])) renew(body, rows);
    ends.replaceChildren(...[after && h("a", { href: address([], { find: prefix }) }, "First page"),
      isMore && h("a", { href: address([], { find: prefix, after: page.lists.at(-1).list }) }, "Next page")].filter(Boolean));
    none.hidden = shown.size > 0;
    none.replaceChildren(...(prefix || after ? [`No list ${prefix ? `begins with “${visible(prefix)}”` : "follows"}.`]
      : ["There is no list yet. ", h("code", {}, "listsync commit NAME FILE"), " makes one."]));
    if (page.lists.some(({ list, head }) => told.get(list) > head.version)) loadSoon();
  };
  const loadSoon = (milliseconds = pauseMilliseconds) => {
    timer ??= setTimeout(() => {
      timer = null;
      if (isLoading) return loadSoon();
      if (!signal.aborted) load().catch((error) => signal.aborted || context.fail(error));
    }, milliseconds);
  };
  const isOnPage = (list) => list.startsWith(parameters.find ?? "") && list > (parameters.after ?? "") &&
    (!isMore || list <= [...shown.keys()].at(-1));
  context.onHead(({ list, version, cursor }) => {
    if (isLoading) return told.set(list, version);
    if (!isOnPage(list) || shown.get(list)?.entry.head.cursor === cursor) return;
    context.announce(`${list} is at version ${version}`);
    loadSoon(shown.has(list) ? Math.max(0, begun + pauseMilliseconds - performance.now()) : pauseMilliseconds);
  });
  context.onCheck(() => loadSoon(0));
  const search = h("input", { type: "search", id: "find", value: parameters.find ?? "", placeholder: "Beginning of a name", spellcheck: "false",
    oninput: () => {
      context.setParameters({ find: search.value, after: "" });
      loadSoon(60);
    } });
  await load();
  context.show(h("div", { class: "title" }, h("h1", { tabindex: -1 }, "Lists")),
    h("div", { class: "bar" }, h("label", { class: "unseen", for: "find" }, "Find lists by the beginning of their names"), search),
    h("table", { class: "lists" }, h("thead", {}, h("tr", {},
      ["List", "Items", "Version", "Last change"].map((text, i) => h("th", { scope: "col", class: ["name", "number", "number", "time"][i] }, text)),
      h("th", { scope: "col", class: "wide" }, "Changes"))), body), none, ends);
}

function listRow({ list, head, committed_at: at }, charts) {
  return h("tr", {}, h("th", { scope: "row" }, h("a", { href: address([list]), title: list }, h("bdi", {}, list))),
    h("td", { class: "number" }, number(head.count)), h("td", { class: "number" }, number(head.version)),
    h("td", {}, at ? time(at) : "never"), h("td", { class: "wide" }, charts(list)));
}

/** Returns a function that makes a place for the small chart of a list. The chart is asked for when the place is first seen. */
function chartsWhenSeen(source, signal) {
  const names = new WeakMap();
  const draw = async (place) => {
    // The row has its figures without the chart, and a lost connection is told elsewhere.
    const groups = await source.groups(names.get(place), 48, signal).catch(() => []);
    if (groups.length) place.replaceChildren(sparkline(groups));
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      observer.unobserve(target);
      draw(target);
    }
  });
  signal.addEventListener("abort", () => observer.disconnect());
  return (list) => {
    const place = h("div", { class: "spark-place" });
    names.set(place, list);
    observer.observe(place);
    return place;
  };
}

// --- History ---

const pageLength = 50;

export function historyView(context) {
  const { source, list, parameters, signal } = context;
  /** The proof of the versions up to a cursor. */
  let verified = null;
  let isVerifying = false;
  const proved = h("div", { tabindex: -1 });
  const verify = async () => {
    isVerifying = true;
    renew(proved, [h("p", { class: "proof" }, "Verifying…")]);
    try {
      const versions = await source.versions(list, 0, signal);
      const last = versions.at(-1).after.state;
      verified = { cursor: last.cursor, proof: proof(last, `${plural(versions.length, "version")} and their chain verified; ${plural(last.count, "item")}`) };
      proved.replaceChildren(verified.proof);
    } catch (error) {
      if (!signal.aborted) context.fail(error);
    }
    isVerifying = false;
  };
  const load = async () => {
    const entry = await source.summary(list, signal);
    const { head, oldest, kept = oldest } = entry;
    const [all, tags, prunings] = await Promise.all([source.groups(list, 1000, signal), source.tags(list, signal), source.prunings(list, signal)]);
    if (!head.version || !all.length) {
      return context.show(h("h1", { tabindex: -1 }, h("bdi", {}, list)), h("p", { class: "notice" }, "This list has no version yet."));
    }
    const from = clamp(parameters.from, oldest, head.version, oldest);
    const to = clamp(parameters.to, from, head.version, head.version);
    const before = Math.min(to, clamp(parameters.before, from, head.version + 1, head.version + 1) - 1) + 1;
    const records = (await source.records(list, { before, limit: pageLength, signal })).filter(({ version }) => version >= from);
    const selection = [parameters.a, parameters.b].map(Number).filter(Boolean);
    const inside = await groupsOf(context, all, from, to);
    const byDate = parameters.by === "date";
    const navigate = (changes) => (location.hash = address([list], { ...parameters, ...changes }));
    const chart = historyChart(merged(inside, 320), {
      byDate, selected: selection, tags, isPruned: kept > 1 && from === oldest,
      onRange: (from, to) => navigate({ from, to, before: "" }),
      onPick: (group) => {
        if (group.oldest < group.newest) navigate({ from: group.oldest, to: group.newest, before: "" });
        else location.hash = address([list, "diff", `${group.newest - 1}..${group.newest}`]);
      },
    });
    const isWhole = from === oldest && to === head.version;
    if (!isVerifying) {
      // A proof says nothing of a newer version.
      const isNewest = verified?.cursor === head.cursor;
      proved.replaceChildren(verified?.proof ?? "", isNewest ? "" : h("button", { type: "button", class: "quiet", onclick: verify }, "Verify the whole history"));
    }
    if (source.isProved) await verify();
    context.show(
      h("div", { class: "title" }, h("h1", { tabindex: -1 }, h("bdi", {}, list)),
        h("nav", { "aria-label": "Views of this list", class: "tabs" },
          h("a", { href: address([list, "at", "head"]) }, "Items"), h("a", { href: address([list, "replay"]) }, "Replay"),
          (oldest === 1 || head.version > oldest) && h("a", { href: address([list, "diff", `${head.version - 1}..${head.version}`]) }, "Last change"))),
      h("dl", { class: "facts" }, fact("Items", number(head.count)), fact("Version", number(head.version)),
        fact("Last change", time(entry.committed_at)), fact("Kept since", `version ${number(oldest)}`), h("div", { class: "fact" }, h("dt", {}, "Proof"), h("dd", {}, proved))),
      chart,
      rangeForm({ from, to, oldest, head, byDate, isWhole, navigate }),
      h("p", { class: "sum" }, isWhole ? "All versions: " : `Versions ${number(inside[0].oldest)} to ${number(inside.at(-1).newest)}: `, chips(sumOf(inside))),
      kept < oldest && h("p", { class: "hint" }, `Older versions are not on this page, which begins with version ${number(oldest)}.`),
      kept > 1 && pruned(kept, prunings),
      compareForm(context, { records, tags, selection, oldest }),
      records.at(-1)?.version > from && h("p", {}, h("a", { href: address([list], { ...parameters, before: records.at(-1).version }) }, "Older versions")),
      parameters.before && h("p", {}, h("a", { href: address([list], { ...parameters, before: "" }) }, "Newest versions")));
  };
  return following(context, load);
}

const mostRecords = 1000;

/** The groups with versions of a range: each version alone if they are few enough; else those at its ends may have others too. */
async function groupsOf({ source, list, signal }, all, from, to) {
  const inside = all.filter((group) => group.newest >= from && group.oldest <= to);
  if (to - from >= mostRecords || inside.every(({ oldest, newest }) => oldest === newest)) return inside;
  const records = await source.records(list, { before: to + 1, limit: to - from + 1, signal });
  return records.map((record) => ({ ...record, oldest: record.version, newest: record.version })).reverse();
}

/** What was pruned, by whom and by which rule. */
function pruned(oldest, prunings) {
  const rows = prunings.map(({ from, to, pruned_at: at, author, rule }) => h("li", {}, `Versions ${number(from)} to ${number(to)} were pruned `, time(at),
    author && [" by ", foreign(author, 120)], " (", foreign(rule, 120), ")"));
  return rows.length ? h("ul", { class: "prunings" }, rows) : h("p", { class: "hint" }, `The history begins with version ${number(oldest)}.`);
}

const clamp = (text, low, high, otherwise) => (/^\d+$/.test(text ?? "") ? Math.min(high, Math.max(low, Number(text))) : otherwise);

function rangeForm({ from, to, oldest, head, byDate, isWhole, navigate }) {
  const field = (name, label, value) => [h("label", { for: name }, label),
    h("input", { type: "number", id: name, name, value, min: oldest, max: head.version, inputmode: "numeric" })];
  return h("form", { class: "range-form", onsubmit: (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    navigate({ from: form.get("from"), to: form.get("to"), before: "" });
  } }, field("from", "Versions", from), field("to", "to", to), h("button", { type: "submit" }, "Zoom"),
  !isWhole && h("button", { type: "button", onclick: () => navigate({ from: "", to: "", before: "" }) }, "Show all"),
  h("button", { type: "button", class: "quiet", "aria-pressed": String(byDate), onclick: () => navigate({ by: byDate ? "" : "date" }) }, "By date"),
  h("span", { class: "hint" }, "Drag over the chart to zoom; click a bar to see its change."));
}

function compareForm(context, { records, tags, selection, oldest }) {
  const { list, parameters } = context;
  const [first, second] = selection.length === 2 ? selection : [records[1]?.version ?? oldest, records[0]?.version];
  const choice = (name, version, chosen) => h("td", { class: "choice" }, h("input", { type: "radio", name, value: version, checked: version === chosen,
    "aria-label": `${name === "a" ? "Compare from" : "Compare to"} version ${version}`,
    onchange: (event) => context.setParameters({ a: first, b: second, ...parameters, [name]: event.target.value }) }));
  return h("form", { onsubmit: (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const [from, to] = [Number(form.get("a") ?? first), Number(form.get("b") ?? second)].sort((a, b) => a - b);
    location.hash = address([list, "diff", `${from}..${to}`]);
  } }, h("div", { class: "title" }, h("h2", {}, "Versions"), h("button", { type: "submit" }, "Compare the two selected")),
  h("table", { class: "versions" }, h("thead", {}, h("tr", {},
    h("th", { scope: "col" }, "From"), h("th", { scope: "col" }, "To"), ["Version", "Date", "Changes", "Items", "Author and message"].map((text) =>
      h("th", { scope: "col", class: text === "Items" ? "number" : null }, text)))),
  h("tbody", {}, records.map((record) => h("tr", {}, choice("a", record.version, first), choice("b", record.version, second),
    h("th", { scope: "row" }, oldest > 1 && record.version === oldest ? number(oldest)
      : h("a", { href: address([list, "diff", `${record.version - 1}..${record.version}`]) }, number(record.version))),
    h("td", {}, time(record.committed_at)), h("td", {}, chips(record.changes)),
    h("td", { class: "number items" }, h("a", { href: address([list, "at", String(record.version)]), "aria-label": `${number(record.count)} items of version ${record.version}` }, number(record.count))),
    h("td", {}, author(record), tags.filter(({ version }) => version === record.version).map(({ tag }) => h("span", { class: "tag" }, h("bdi", {}, tag)))))))));
}

// --- Difference ---

export async function differenceView(context, range) {
  const { source, list, parameters, signal } = context;
  const entry = await source.summary(list, signal);
  const { oldest, head } = entry;
  const [a, b] = range.split("..");
  const last = versionOf(b, head.version, head);
  const [from, to] = [versionOf(a, last - 1, head), last].sort((a, b) => a - b);
  const first = from < oldest && from > 0 ? oldest : from;
  if (oldest > 1 && (first === 0 || to <= oldest)) {
    const error = new Error(`The change of version ${to} cannot be shown: the versions before ${oldest} were pruned.`);
    throw Object.assign(error, { kind: "too-old" });
  }
  const [step, record] = await Promise.all([source.step(list, first, to, signal), source.record(list, to, signal)]);
  const changes = rowsOfChanges(step);
  const common = step.updated.length > 1 && (await import("./members.js")).memberSummary(list, step.updated, entry.title);
  const isWhole = parameters.all === "1";
  const neighbour = (text, from, to) => to <= head.version && from >= (oldest > 1 ? oldest : 0) &&
    h("a", { href: address([list, "diff", `${from}..${to}`], parameters) }, text);
  const rows = isWhole ? wholeList(step, changes) : changes;
  const rowsFrom = (start, count) => rows.slice(start, start + count).map((row) => changeRow(context, row, entry.title, commonOf(step.after.items)))
    .concat(rows.length > start + count ? more(start + count) : []);
  const more = (start) => {
    const place = h("li", { class: "more" }, h("button", { type: "button", onclick: () => unfold(place, rowsFrom(start, 1000)) }, `Show more of ${number(rows.length)}`));
    return place;
  };
  const body = h("ol", { class: "changes" }, rowsFrom(0, 200));
  context.show(
    h("div", { class: "title" }, h("h1", { tabindex: -1 }, first === to - 1 ? `Version ${number(to)}` : `From version ${number(first)} to ${number(to)}`),
      h("nav", { class: "tabs", "aria-label": "Other versions" }, first === to - 1 && neighbour("← Older", first - 1, first),
        first === to - 1 && neighbour("Newer →", to, to + 1), h("a", { href: address([list, "at", String(to)]) }, `Items at ${number(to)}`))),
    first === to - 1 && h("p", { class: "lead" }, time(record.committed_at), " ", author(record)),
    h("p", { class: "sum" }, chips(countsOf(step)), !changes.length && "no change", " ",
      h("span", { class: "hint" }, `${number(step.before.state.count)} → ${plural(step.after.state.count, "item")}`)),
    h("div", { class: "bar" }, proof(step.after.state),
      h("label", { class: "switch" }, h("input", { type: "checkbox", checked: isWhole, onchange: (event) => {
        location.hash = address([list, "diff", range], { ...parameters, all: event.target.checked ? "1" : "" });
      } }), " within the whole list")),
    common,
    step.moved.length > 0 && step.before.items.length <= 60 && step.after.items.length <= 60 && slopes(step, entry.title), body);
}

/** The version that a text in an address names: a number, `head`, or nothing. */
function versionOf(text, otherwise, head) {
  if (!text) return Math.max(0, otherwise);
  if (text === "head") return head.version;
  if (/^\d+$/.test(text)) return Number(text);
  const error = new Error(`A difference is of two versions by their numbers, as in 3..7, and not of “${text}”.`);
  throw Object.assign(error, { kind: "no-such-version" });
}

/** All changes by their place; an item that moved and was updated has one row. */
function rowsOfChanges(step) {
  const updates = new Map(step.updated.map((change) => [change.to, change]));
  const rows = [
    ...step.removed.map(({ from, item }) => ({ kind: "removed", from, item, at: from })),
    ...step.inserted.map(({ to, item }) => ({ kind: "inserted", to, item, at: to })),
    ...step.moved.map(({ from, to, item }) => {
      const update = updates.get(to);
      updates.delete(to);
      return { kind: "moved", from, to, item: update?.item ?? item, before: update?.before, at: to };
    }),
  ];
  for (const { from, to, item, before } of updates.values()) rows.push({ kind: "updated", from, to, item, before, at: to });
  return rows.sort((a, b) => a.at - b.at || kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

/** Every item of the list after, with the removed ones where they were. */
function wholeList(step, changes) {
  const byPlace = new Map(changes.filter(({ to }) => to !== undefined).map((row) => [row.to, row]));
  const gone = changes.filter(({ kind }) => kind === "removed");
  const rows = [];
  let next = 0;
  let to = 0;
  for (const item of step.after.items) {
    rows.push(byPlace.get(to) ?? { kind: "kept", to, item });
    to++;
    while (next < gone.length && gone[next].from <= to) rows.push(gone[next++]);
  }
  return rows.concat(gone.slice(next));
}

function changeRow({ list }, { kind, from, to, item, before }, pointer, common) {
  const title = titleOf(item, pointer);
  const places = kind === "moved" ? h("span", { class: "arrow" }, h("span", { "aria-hidden": "true" }, to < from ? "▲ " : to > from ? "▼ " : ""),
    h("span", { class: "unseen" }, "from "), number(from + 1), " → ", number(to + 1)) : number((to ?? from) + 1);
  const changed = before ? memberChanges(contentOf(before), contentOf(item)) : [];
  return h("li", { class: `change ${kind}` }, h("span", { class: "sign", title: kind }, signs[kind] ?? "", h("span", { class: "unseen" }, kind)),
    h("span", { class: "where" }, places),
    h("div", { class: "what" }, h("a", { href: address([list, "item", item.id]) }, foreign(title, 200)),
      title !== readableID(item.id) && [" ", h("span", { class: "id" }, foreign(readableID(item.id), 120))],
      kind === "inserted" && h("p", { class: "details" }, foreign(details(item, title, common), 240)),
      changed.length > 0 && memberTable(changed)));
}

/** Two columns with a line for each item that moved, was removed or inserted. */
function slopes({ before, after, removed, moved, inserted }, pointer) {
  const rowHeight = 22;
  const [olds, news] = [[...before.items], [...after.items]];
  const height = Math.max(olds.length, news.length) * rowHeight;
  const places = new Map(news.map((item, index) => [item.id, index]));
  const column = (items, marks) => h("ol", {}, items.map((item, index) => h("li", { class: marks.get(index) }, short(titleOf(item, pointer)))));
  const at = (kind, changes, side) => changes.map((change) => [change[side], kind]);
  const y = (index) => (index + 0.5) * rowHeight;
  const marks = new Map([...at("removed", removed, "from"), ...at("moved", moved, "from")]);
  const lines = olds.map((item, from) => {
    const to = places.get(item.id);
    return to !== undefined && h("path", { class: marks.get(from), d: `M0 ${y(from)}C50 ${y(from)} 50 ${y(to)} 100 ${y(to)}` });
  });
  return h("figure", { class: "slopes", role: "img", "aria-label": `Order before and after: ${plural(moved.length, "item")} moved` }, column(olds, marks),
    h("svg", { height, viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none" }, lines), column(news, new Map([...at("inserted", inserted, "to"), ...at("moved", moved, "to")])));
}
