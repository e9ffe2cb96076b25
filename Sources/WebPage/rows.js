// Long lists, of which only the visible rows are elements.

import { beginning, commonOf, details, foreign, h, number, plural, readableID, renew, short, titleOf, visible } from "./elements.js";
import { address, proof } from "./parts.js";

const rowHeight = 44;
/** Browsers cannot show higher elements; longer lists scroll in proportion. */
const highest = 8_000_000;
/** More than these are not printed: about 80 pages. */
const mostPrinted = 2000;

/**
 * A scrolling list of rows at fixed heights. `render(index)` makes a row; rows with the same `key(index)` are kept, so
 * that they glide when their index changes.
 */
export class Rows {
  #rows = new Map();
  #count = 0;
  #render = null;
  #key = null;
  #isPrinted = false;

  constructor(label, signal) {
    this.canvas = h("div", { class: "canvas", role: "list", "aria-label": label });
    this.none = h("p", { class: "none" });
    this.element = h("div", { class: "rows", tabindex: 0, role: "region", "aria-label": label }, this.canvas, this.none);
    this.element.addEventListener("scroll", () => this.#update(false), { passive: true });
    this.observer = new ResizeObserver(() => this.#update(false));
    this.observer.observe(this.element);
    window.addEventListener("beforeprint", () => this.#print(true), { signal });
    window.addEventListener("afterprint", () => this.#print(false), { signal });
  }

  /** Makes elements of all rows, in their order, for paper, which does not scroll. */
  #print(isPrinted) {
    this.#isPrinted = isPrinted;
    this.#rows.clear();
    this.canvas.replaceChildren();
    this.#update(false);
    if (isPrinted && this.#count > mostPrinted) this.canvas.append(h("p", {}, `and ${number(this.#count - mostPrinted)} more`));
  }

  /**
   * Shows other rows. If `glides`, rows move to their new places, and marked ones are shown to be new. One of the indexes to
   * `reveal` is scrolled to, unless one of them is in sight. `none` is said if there is no row.
   */
  show(count, key, render, { glides = false, marks = new Map(), reveal = [], none = "The list is empty at this version." } = {}) {
    [this.#count, this.#key, this.#render, this.marks] = [count, key, render, marks];
    this.canvas.style.height = `${Math.min(highest, count * rowHeight)}px`;
    this.none.textContent = count ? "" : none;
    this.element.classList.toggle("glides", glides);
    this.#reveal(reveal);
    this.#update(true);
  }

  #reveal(indexes) {
    const { view, virtualTop, scale } = this.#place();
    const middle = (view - rowHeight) / 2;
    const distances = indexes.map((index) => index * rowHeight - virtualTop - middle);
    const nearest = distances.reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best), Infinity);
    if (indexes.length && Math.abs(nearest) > middle) this.element.scrollTop = (virtualTop + nearest) / scale;
  }

  /** What is in sight: pixels of all rows, of which there may be more than an element can have. */
  #place() {
    const [total, view, top] = [this.#count * rowHeight, this.element.clientHeight || 600, this.element.scrollTop];
    const physical = Math.min(highest, total);
    const scale = physical > view ? (total - view) / (physical - view) : 1;
    return { view, top, scale, virtualTop: Math.max(0, Math.min(top * scale, total - view)) };
  }

  #update(isNew) {
    if (!this.#render) return;
    const { view, top, virtualTop } = this.#place();
    const first = this.#isPrinted ? 0 : Math.max(0, Math.floor(virtualTop / rowHeight) - 8);
    const last = Math.min(this.#count, this.#isPrinted ? mostPrinted : Math.ceil((virtualTop + view) / rowHeight) + 8);
    const seen = new Set();
    for (let index = first; index < last; index++) {
      const key = this.#key(index);
      seen.add(key);
      let row = this.#rows.get(key);
      const mark = isNew ? this.marks.get(key) ?? "" : undefined;
      if (!row || isNew) {
        const content = this.#render(index);
        if (!row) {
          row = h("div", { class: "row", role: "listitem" });
          if (isNew) row.classList.add("entering");
          this.#rows.set(key, row);
          this.canvas.append(row);
        }
        row.replaceChildren(...content);
      }
      if (mark) row.dataset.mark = mark;
      else if (mark === "") delete row.dataset.mark;
      row.setAttribute("aria-setsize", this.#count);
      row.setAttribute("aria-posinset", index + 1);
      row.style.transform = `translateY(${index * rowHeight - virtualTop + top}px)`;
    }
    for (const [key, row] of this.#rows) {
      if (seen.has(key)) continue;
      this.#rows.delete(key);
      // Without this, the keys would scroll the page from here on.
      if (row.contains(document.activeElement)) this.element.focus({ preventScroll: true });
      if (isNew && this.element.classList.contains("glides")) {
        row.classList.add("leaving");
        row.setAttribute("aria-hidden", "true");
        setTimeout(() => row.remove(), 350);
      } else row.remove();
    }
  }
}

/** The parts of an item's row. */
export function itemRow(list, items, index, pointer) {
  const item = items.at(index);
  const title = titleOf(item, pointer);
  const name = visible(beginning(title, 400));
  return [h("span", { class: "where" }, number(index + 1)),
    h("span", { class: "what" }, h("a", { href: address([list, "item", item.id]), title: name, "aria-label": name }, short(title)),
      title !== readableID(item.id) && h("span", { class: "id" }, foreign(readableID(item.id), 80))),
    h("span", { class: "details" }, foreign(details(item, title, commonOf(items)), 240))];
}

/** The kind of change of each item, by its id; an item that moved and was updated has moved. */
export const marksOf = (step) => new Map(["inserted", "updated", "moved"].flatMap((kind) => step[kind].map(({ item }) => [item.id, kind])));

// --- The list at a version ---

export async function versionView(context, revision) {
  const { source, list, parameters, signal } = context;
  const entry = await source.summary(list, signal);
  const isLive = revision === "head";
  const rows = new Rows(`Items of ${list}`, signal);
  const proved = h("div", {});
  const found = h("p", { class: "hint", role: "status" });
  let copy = await source.copy(list, revision, signal);
  const fill = (step) => {
    const text = (parameters.find ?? "").toLowerCase();
    let indexes = null;
    if (text) {
      indexes = [];
      let index = 0;
      // As it stands in a JSON string.
      const escaped = JSON.stringify(text).slice(1, -1);
      for (const item of copy.items) {
        const content = item.text.toLowerCase();
        if (content.includes(text) || content.includes(escaped) || readableID(item.id).toLowerCase().includes(text)) indexes.push(index);
        index++;
      }
    }
    const at = (row) => (indexes ? indexes[row] : row);
    rows.show(indexes ? indexes.length : copy.items.length, (row) => copy.items.at(at(row)).id,
      (row) => itemRow(list, copy.items, at(row), entry.title),
      { glides: step !== undefined, marks: step && marksOf(step), none: indexes ? "No item has this text." : undefined });
    found.textContent = indexes ? `${plural(indexes.length, "item")} found` : "";
    renew(proved, [proof(copy.state)]);
  };
  let timer = null;
  const search = h("input", { type: "search", id: "find", value: parameters.find ?? "", placeholder: "Find in the items", spellcheck: "false",
    oninput: (event) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        context.setParameters({ find: event.target.value });
        fill();
      }, copy.items.length > 20_000 ? 250 : 60);
    } });
  const date = h("input", { type: "date", id: "date", value: /^\d{4}-\d\d-\d\d$/.test(revision) ? revision : null, onchange: () => {
    // Browsers tell of each digit of a typed year: of 0002 before 2026.
    if (date.value >= "1000") location.hash = address([list, "at", date.value], parameters);
  } });
  const heading = h("h1", { tabindex: -1 });
  const change = h("a", {}, "Its change");
  const name = () => {
    const { version } = copy.state;
    heading.replaceChildren(h("bdi", {}, list), ` at version ${number(version)}`);
    change.href = address([list, "diff", `${version - 1}..${version}`]);
    change.hidden = version <= Math.max(1, entry.oldest);
  };
  name();
  fill();
  context.show(h("div", { class: "title" }, heading, h("nav", { class: "tabs", "aria-label": "Other versions" },
    !isLive && h("a", { href: address([list, "at", "head"]) }, "Newest"), change)),
  h("div", { class: "bar" }, h("label", { class: "unseen", for: "find" }, "Find in the items"), search,
    h("span", {}, h("label", { for: "date" }, "On "), date), found, proved), rows.element);
  fill();
  if (isLive) follow(context, copy, (update) => {
    copy = update.after;
    name();
    fill(update);
  });
}

/** Keeps a view of the newest version up to date. */
async function follow(context, start, show) {
  const { source, list, signal } = context;
  if (!source.updates) return;
  let [copy, isAsking, isAsked] = [start, false, false];
  const catchUp = async () => {
    isAsked = true;
    if (isAsking) return;
    isAsking = true;
    try {
      while (isAsked && !signal.aborted) {
        isAsked = false;
        for await (const update of source.updates(list, copy, signal)) {
          if (signal.aborted) return;
          copy = update.after;
          show(update);
          context.announce(`${list} is at version ${copy.state.version}`);
        }
      }
    } catch (error) {
      if (!signal.aborted) context.fail(error);
    } finally {
      isAsking = false;
    }
  };
  context.onHead((head) => head.list === list && catchUp());
  context.onCheck(catchUp);
  await catchUp();
}
