// The view of an item: its places, its values, and its changes. It is loaded when the first item is shown.

import { beginning, day, foreign, h, memberRow, memberTable, number, plural, readableID, shown, time, titleOf, visible, written } from "./elements.js";
import { dot, framed } from "./charts.js";
import { contentOf } from "./exact.js";
import { ListSyncError } from "./listsync.js";
import { address, author, fact, following, proof } from "./parts.js";

export function itemView(context, id) {
  const { source, list, parameters, signal } = context;
  const load = async () => {
    const entry = await source.summary(list, signal);
    const [history, runs] = await Promise.all([source.history(list, id, signal), source.places(list, id, signal)]);
    const changes = [...history].reverse();
    const last = Math.max(entry.head.version, runs[0]?.to ?? 0);
    const place = runs[0]?.ended_at === null && runs[0];
    const isCut = history.length >= source.mostChanges;
    const known = history.find((change) => "content" in change)?.content;
    // Its changes were pruned, but perhaps for its removal.
    const found = known ? null : await itemAt(context, id, history.length ? String(history[0].version - 1) : "head");
    const content = found?.content ?? known;
    const title = content ? titleOf({ id, text: content.text }, entry.title) : readableID(id);
    const members = content ? [...content.members ?? [["(all)", content]]] : [];
    const start = isCut ? runs.at(-1) : null;
    const seen = start && (start.from > entry.oldest || start.from === 1) ? day(start.began_at) : start ? `before version ${number(entry.oldest + 1)}` :
      changes.length && !("from" in changes[0]) ? day(changes[0].committed_at) : `before version ${number(changes[0]?.version ?? entry.oldest + 1)}`;
    context.show(
      h("h1", { tabindex: -1 }, foreign(title, 300)),
      h("dl", { class: "facts" }, fact("Id", foreign(readableID(id), 300)),
        fact("In the list", place ? `at ${number(place.index + 1)} since version ${number(place.from)}` : history.length ? `removed in version ${number(history[0].version)}` : "no"),
        fact("Changes", isCut ? `at least ${number(history.length)}` : history.length ? number(history.length) : `none since version ${number(entry.oldest)}`), fact("First seen", seen)),
      runs.length > 0 && [placePlot(runs, changes, last), bestPlaces(context, runs)],
      found && proof(found.state),
      h("h2", {}, place ? "Now" : "Before it was removed"),
      h("table", { class: "members now" }, h("tbody", {}, members.map(([name, value]) =>
        h("tr", {}, h("th", { scope: "row" }, foreign(name, 120)), h("td", {}, shown(value), member(changes, name, last, isCut)))))),
      history.length > 0 && [h("h2", {}, isCut ? `The newest ${number(history.length)} changes` : "Every change"), h("ol", { class: "timeline" }, history.map((change) => changeEntry(list, change)))],
      h("p", { class: "hint" }, source.wordOfItem));
  };
  return following(context, load);
}

const kindOf = (change) => (!("to" in change) ? "removed" : !("from" in change) ? "inserted" : change.moved ? "moved" : "updated");

function changeEntry(list, change) {
  const kind = kindOf(change);
  return h("li", { class: kind },
    h("p", {}, h("a", { href: address([list, "diff", `${change.version - 1}..${change.version}`]) }, `Version ${number(change.version)}`), " ",
      time(change.committed_at), " ", author(change)),
    h("p", { class: "kind" }, kind === "moved" ? `moved from ${number(change.from + 1)} to ${number(change.to + 1)}` :
      kind === "inserted" ? `${change.isStart ? "there" : "inserted"} at ${number(change.to + 1)}` : kind === "removed" ? `removed from ${number(change.from + 1)}` : "updated",
      kind === "moved" && change.members.length ? ", and updated" : ""),
    change.members.length > 0 && memberTable(change.members));
}

/** An item at a version. */
async function itemAt({ source, list, signal }, id, revision) {
  const copy = await source.copy(list, revision, signal);
  const item = [...copy.items].find((item) => item.id === id);
  if (!item) throw new ListSyncError("no-such-item", "The list has no such item.");
  return { content: contentOf(item), state: copy.state };
}

const mostValues = 50;

/** The values that a member has had, where there were several. */
function member(changes, name, head, isCut) {
  const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const rows = changes.flatMap((change) => change.members.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`)).map((row) => [change, row]));
  if (!rows.length) return null;
  const values = [];
  for (const { version, content } of changes) {
    const value = name === "(all)" ? content : content?.members?.get(name);
    if (!values.length || values.at(-1).value?.text !== value?.text) values.push({ version, value });
  }
  return [valuePlot(values, head), h("details", {}, h("summary", {}, `changed ${isCut ? "at least " : ""}${plural(rows.length, "time")}`),
    h("table", { class: "members" }, h("tbody", {}, rows.reverse().slice(0, mostValues).map(([change, row]) => {
      const line = memberRow(row);
      line.firstChild.replaceChildren(`Version ${number(change.version)}`);
      return line;
    }))), rows.length > mostValues && h("p", { class: "hint" }, `and ${plural(rows.length - mostValues, "time")} before`))];
}

// --- Places ---

/**
 * The place of an item at every version, the first place at the top, and its own changes as dots.
 *
 * `runs` are the versions with the item by its index, newest first; `changes` are its changes, oldest first.
 */
function placePlot(runs, changes, last) {
  const [width, height] = [960, 180];
  const ascending = [...runs].reverse();
  const indexes = runs.map(({ index }) => index).sort((a, b) => a - b);
  const [low, high] = [indexes[0], indexes.at(-1)];
  const first = ascending[0].from;
  const edge = 8;
  // Each version has the room until the next one.
  const x = (version) => edge + ((version - first) / (last + 1 - first)) * (width - 2 * edge);
  const y = (index) => 14 + ((index - low) / Math.max(1, high - low)) * (height - 28);
  const at = (version) => ascending.find(({ from, to }) => from <= version && version <= to);
  const path = ascending.map(({ from, to, index }, i) => {
    const joins = ascending[i - 1]?.to === from - 1;
    return `${joins ? "V" : `M${x(from).toFixed(1)} `}${y(index).toFixed(1)}H${x(to + 1).toFixed(1)}`;
  }).join("");
  const dots = changes.filter(({ version }) => version >= first).map((change) =>
    dot(kindOf(change), x(change.version), y(Math.min(high, Math.max(low, change.to ?? change.from)))));
  const label = `Place over versions ${first} to ${last}: from ${number(ascending[0].index + 1)} to ${number(runs[0].index + 1)}, ` +
    `highest ${number(low + 1)}, lowest ${number(high + 1)}`;
  const cursor = h("line", { class: "cursor", y1: 0, y2: height, visibility: "hidden" });
  const tip = h("p", { class: "tip", "aria-hidden": "true" });
  const drawing = h("svg", { class: "chart", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" },
    h("path", { class: "place", d: path }), dots, cursor);
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const part = (((event.clientX - box.left) / box.width) * width - edge) / (width - 2 * edge);
    const version = Math.min(last, Math.max(first, Math.floor(first + part * (last + 1 - first))));
    const run = at(version);
    for (const name of ["x1", "x2"]) cursor.setAttribute(name, x(version + 0.5));
    cursor.setAttribute("visibility", "visible");
    tip.textContent = `Version ${number(version)} · ${run ? `at ${number(run.index + 1)} since ${day(run.began_at)}` : "not in the list"}`;
    tip.style.insetInlineStart = `${Math.min(70, (x(version) / width) * 100)}%`;
    tip.classList.add("shown");
  });
  drawing.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    tip.classList.remove("shown");
  });
  return framed("places", drawing, {
    left: [number(low + 1), high > low ? number(high + 1) : ""], right: [], ends: [`version ${number(first)}`, `version ${number(last)}`], tip,
    keys: ["The item's place in the list at every version. ", ...["moved", "updated", "inserted", "removed"].map((kind) => h("span", { class: `key ${kind}` }, kind))],
  });
}

/** When the item was among the first items: how many these are is a choice, and kept in the address. */
function bestPlaces(context, runs) {
  const most = runs.reduce((most, { index }) => Math.max(most, index + 1), 1);
  const spans = h("ul", { class: "spans" });
  const fill = (count) => {
    const found = spansOf(runs, count);
    const rows = found.slice(0, 10).map(({ from, to, began_at: began, ended_at: ended }) => h("li", {}, !ended
      ? `since version ${number(from)}, ${day(began)}`
      : `${from === to ? `in version ${number(from)}` : `from version ${number(from)} to ${number(to)}`}, ${daysBetween(began, ended)}: ${day(began)} to ${day(ended)}`));
    if (found.length > 10) rows.push(h("li", {}, `and ${plural(found.length - 10, "time")} before`));
    spans.replaceChildren(...found.length ? rows : [h("li", {}, "never")]);
  };
  const wanted = /^[1-9]\d{0,8}$/.test(context.parameters.first ?? "") ? Number(context.parameters.first) : Math.min(10, most);
  const field = h("input", { type: "number", id: "first", min: 1, max: most, value: wanted, oninput: () => {
    if (!field.checkValidity() || !field.value) return;
    context.setParameters({ first: field.value });
    fill(Number(field.value));
  } });
  fill(wanted);
  return h("div", { class: "best" }, h("label", { for: "first" }, "In the first "), field, spans);
}

/** The versions at which the item was among the first `count`, newest first: adjacent ones are one run. */
function spansOf(runs, count) {
  const found = [];
  for (const run of runs.filter(({ index }) => index < count)) {
    const newer = found.at(-1);
    if (newer?.from === run.to + 1) Object.assign(newer, { from: run.from, began_at: run.began_at });
    else found.push({ ...run });
  }
  return found;
}

/** The whole days between two times, of which the second may be the earlier one. */
function daysBetween(start, end) {
  const count = Math.max(0, Math.floor((Date.parse(end) - Date.parse(start)) / 86_400_000));
  return count ? plural(count, "day") : "less than a day";
}

// --- Values ---

/**
 * The values of a member, each from its version to that of the next one: numbers as a line of steps, other values as
 * bands, each with its text. A line is drawn only of numbers that a drawing can tell apart; its labels have all digits.
 */
function valuePlot(points, head) {
  const [width, height, edge] = [480, 44, 4];
  const [first, last] = [points[0].version, Math.max(head, points.at(-1).version)];
  const x = (version) => edge + ((version - first) / Math.max(1, last - first)) * (width - 2 * edge);
  const ends = points.map((point, i) => points[i + 1]?.version ?? last);
  const textOf = ({ value }) => (value === undefined ? "none" : visible(beginning(written(value), 80)));
  const label = `${points.length} values from version ${first} to ${last}, the last is ${textOf(points.at(-1))}`;
  const numbers = points.filter(({ value }) => value?.isNumber).map(({ value }) => value).sort(compareNumbers);
  const [low, high] = [Number(numbers[0]?.text), Number(numbers.at(-1)?.text)];
  const isLine = numbers.length > 1 && Number.isFinite(high - low) && areDistinct(numbers) &&
    points.every(({ value }) => value === undefined || value.isNumber || value.text === "null");
  const y = (value) => 6 + (height - 12) * (high === low ? 0.5 : 1 - (Number(value.text) - low) / (high - low));
  const marks = isLine
    ? h("path", { class: "count", d: points.map(({ version, value }, i) => !value?.isNumber ? "" :
      `${points[i - 1]?.value?.isNumber ? "L" : "M"}${x(version).toFixed(1)} ${y(value).toFixed(1)}H${x(ends[i]).toFixed(1)}`).join("") })
    : points.map((point, i) => point.value === undefined ? null : h("rect", { class: `band band-${i % 2}`, x: x(point.version).toFixed(1), y: 10,
      width: Math.max(1, x(ends[i]) - x(point.version) - 1).toFixed(1), height: height - 20 }, h("title", {}, `Version ${point.version}: ${textOf(point)}`)));
  return h("figure", { class: "values" },
    h("svg", { class: "chart", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" }, marks),
    isLine && h("figcaption", {}, `${textOf({ value: numbers[0] })} to ${textOf({ value: numbers.at(-1) })}`));
}

/** Whether no two different numbers, which are in order, become the same one when they are rounded for a drawing. */
function areDistinct(numbers) {
  return numbers.every(({ text }, i) => i === 0 || text === numbers[i - 1].text || Number(text) !== Number(numbers[i - 1].text));
}

/** Orders two numbers by their exact values, as `sort` expects. */
function compareNumbers(a, b) {
  const [x, y] = [a, b].map(({ text }) => {
    const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text);
    const digits = (whole + fraction).replace(/^0+/, "");
    // The value is 0.digits × 10^point.
    return { sign: digits ? (sign ? -1 : 1) : 0, point: digits.length - fraction.length + Number(exponent), digits: digits.replace(/0+$/, "") };
  });
  if (x.sign !== y.sign) return x.sign - y.sign;
  const larger = x.point !== y.point ? x.point - y.point : x.digits < y.digits ? -1 : x.digits > y.digits ? 1 : 0;
  return x.sign * larger;
}
