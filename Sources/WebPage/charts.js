// Drawings of a history. Each is an SVG with a name; what it shows can also be read in a table beside it.

import { beginning, day, h, kinds, messageOf, number, summary, visible } from "./elements.js";

/** A drawing with words around it: its scales at both sides, what its ends are, and what its colours mean. */
export function framed(name, drawing, { left, right, ends, tip, keys }) {
  const words = (name, texts) => h("div", { class: name, "aria-hidden": "true" }, texts.map((text) => h("span", {}, text)));
  return h("figure", { class: `framed ${name}` }, words("scale", left), drawing, words("scale", right), words("ends", ends), tip, h("figcaption", {}, keys));
}

/** A round mark, whose size does not depend on the size of the drawing. */
export const dot = (kind, x, y) => h("path", { class: `dot ${kind}`, d: `M${x.toFixed(1)} ${y.toFixed(1)}h0` });

const totalOf = ({ changes }) => kinds.reduce((sum, kind) => sum + changes[kind], 0);

/** The changes of a group as bars on each other: `most` changes fill the height, and more are drawn as high. */
function stack(group, most, { x, bottom, width, height }) {
  const scale = height / Math.max(most, totalOf(group));
  return kinds.filter((kind) => group.changes[kind] > 0).map((kind) => {
    const size = Math.max(1, group.changes[kind] * scale);
    bottom -= size;
    return h("rect", { class: kind, x: x.toFixed(1), y: bottom.toFixed(1), width: width.toFixed(1), height: size.toFixed(1) });
  });
}

/** Groups of versions, oldest first, as stacked bars, with the number of items as a line, and flags for tags. */
export function historyChart(groups, { byDate = false, width = 960, height = 240, onPick, onRange, selected, tags = [], isPruned } = {}) {
  const [left, right, top, bottom] = [8, 8, 14, 4];
  const inner = { width: width - left - right, height: height - top - bottom };
  const totals = groups.map(totalOf);
  const sorted = totals.filter(Boolean).sort((a, b) => a - b);
  // One huge version, as the first one often is, would hide all others.
  const usual = sorted[Math.floor(sorted.length * 0.95)] ?? 1;
  const most = sorted.at(-1) > 4 * usual ? Math.ceil(usual * 1.5) : sorted.at(-1) ?? 1;
  const counts = groups.map(({ count }) => count);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  const times = groups.map(({ committed_at: at }) => Date.parse(at));
  // A version may bear an earlier date than the one before.
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const step = inner.width / groups.length;
  const x = (i) => left + (byDate && last > first ? ((times[i] - first) / (last - first)) * (inner.width - 6) : i * step);
  const barWidth = byDate ? Math.max(1.5, Math.min(6, step * 0.6)) : Math.max(0.8, Math.min(28, step * 0.78));
  const countY = (count) => top + inner.height * (high === low ? 0 : 1 - (count - low) / (high - low));
  const bars = groups.map((group, i) => h("g", {}, stack(group, most, { x: x(i), bottom: top + inner.height, width: barWidth, height: inner.height }),
    totals[i] > most && h("path", { class: "cut", d: `M${x(i) - 1} ${top + 7}l${barWidth / 2 + 1} -4l${barWidth / 2 + 1} 4` })));
  const line = groups.map(({ count }, i) => `${(x(i) + barWidth / 2).toFixed(1)},${countY(count).toFixed(1)}`).join(" ");
  const cursor = h("line", { class: "cursor", y1: top, y2: top + inner.height, visibility: "hidden" });
  const range = h("rect", { class: "range", y: top, height: inner.height, visibility: "hidden" });
  const marks = (selected ?? []).map((version) => {
    const i = groups.findIndex((group) => group.oldest <= version && version <= group.newest);
    return i < 0 ? null : h("rect", { class: "selected", x: x(i) - 1.5, y: top, width: barWidth + 3, height: inner.height });
  });
  const names = groups.map(({ oldest, newest }) => tags.filter(({ version }) => oldest <= version && version <= newest).map(({ tag }) => tag));
  const flags = names.map((names, i) => {
    if (!names.length) return null;
    const flag = dot("flag", x(i) + barWidth / 2, 7);
    flag.append(h("title", {}, names.join(", ")));
    return flag;
  });
  const tip = h("p", { class: "tip", "aria-hidden": "true" });
  const label = `${number(groups.length)} bars from version ${groups[0].oldest} to ${groups.at(-1).newest}: ` +
    `${summary(sumOf(groups))}; ${number(low)} to ${number(high)} items`;
  const drawing = h("svg", { class: "chart", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" },
    h("line", { class: "axis", x1: left, x2: width - right, y1: top + inner.height, y2: top + inner.height }), marks, bars,
    isPruned && h("path", { class: "pruned", d: `M${left - 4} ${top}v${inner.height}` }, h("title", {}, "Older versions were pruned")),
    h("polyline", { class: "count", points: line }), flags, range, cursor);
  const at = (event) => {
    const box = drawing.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    let best = 0;
    for (let i = 1; i < groups.length; i++) {
      if (Math.abs(x(i) + barWidth / 2 - place) < Math.abs(x(best) + barWidth / 2 - place)) best = i;
    }
    return best;
  };
  let begun = null;
  drawing.addEventListener("pointerdown", (event) => (begun = event.button === 0 ? at(event) : null));
  drawing.addEventListener("pointermove", (event) => {
    const i = at(event);
    const middle = x(i) + barWidth / 2;
    for (const name of ["x1", "x2"]) cursor.setAttribute(name, middle);
    cursor.setAttribute("visibility", "visible");
    if (begun !== null && begun !== i) {
      const [from, to] = [Math.min(begun, i), Math.max(begun, i)];
      range.setAttribute("x", x(from));
      range.setAttribute("width", x(to) - x(from) + barWidth);
      range.setAttribute("visibility", "visible");
    }
    const { oldest, newest, committed_at: moment, changes, count, author, message } = groups[i];
    const { text } = messageOf({ message });
    const words = [author, text && `“${text}”`, ...names[i]].filter(Boolean).map((text) => visible(beginning(text, 80)));
    tip.textContent = `${oldest === newest ? `Version ${newest}` : `Versions ${oldest} to ${newest}`} · ${day(moment)} · ` +
      [`${summary(changes)}`, `${number(count)} items`, ...words].join(" · ");
    tip.style.insetInlineStart = `${Math.min(70, (middle / width) * 100)}%`;
    tip.classList.add("shown");
  });
  drawing.addEventListener("pointerleave", () => {
    begun = null;
    cursor.setAttribute("visibility", "hidden");
    range.setAttribute("visibility", "hidden");
    tip.classList.remove("shown");
  });
  drawing.addEventListener("pointerup", (event) => {
    // It was pressed elsewhere, or is the button of a menu.
    if (begun === null) return;
    const i = at(event);
    if (begun !== i) onRange?.(groups[Math.min(begun, i)].oldest, groups[Math.max(begun, i)].newest);
    else onPick?.(groups[i]);
    begun = null;
  });
  return framed("history", drawing, {
    left: [number(most), "0"], right: [number(high), low === high ? "" : number(low)], tip,
    ends: byDate ? [day(first), day(last)] : [groups[0].oldest, groups.at(-1).newest].map((version) => `version ${number(version)}`),
    keys: ["Changes (bars, left):", ...kinds.map((kind) => h("span", { class: `key ${kind}` }, kind)), h("span", { class: "key count" }, "items (line, right)")],
  });
}

/** At most so many groups, adjacent ones joined. */
export function merged(groups, most) {
  const size = Math.ceil(groups.length / most);
  if (size <= 1) return groups;
  const joined = [];
  for (let i = 0; i < groups.length; i += size) {
    const part = groups.slice(i, i + size);
    joined.push({ ...part.at(-1), author: null, message: null, oldest: part[0].oldest, changes: sumOf(part) });
  }
  return joined;
}

export function sumOf(groups) {
  return Object.fromEntries(kinds.map((kind) => [kind, groups.reduce((sum, { changes }) => sum + changes[kind], 0)]));
}

/** A chart without words, for a row of a table. */
export function sparkline(groups) {
  const totals = groups.map(totalOf);
  const sorted = [...totals].sort((a, b) => a - b);
  const most = Math.max(1, sorted[Math.floor(sorted.length * 0.9)] * 1.25);
  const width = Math.max(1, 160 / Math.max(groups.length, 24));
  return h("svg", { class: "spark", viewBox: "0 0 160 28", role: "img", "aria-label": `Changes over ${number(groups.length)} groups of versions, at most ${number(Math.max(...totals))} in one` },
    groups.map((group, i) => stack(group, most, { x: i * width, bottom: 28, width: width * 0.8, height: 27 })));
}
