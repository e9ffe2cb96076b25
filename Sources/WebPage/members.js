// What the updates of a difference have in common: each member with the number of items in which it changed.

import { foreign, h, memberChanges, memberRow, number, plural, titleOf, unfold } from "./elements.js";
import { contentOf } from "./exact.js";
import { address } from "./parts.js";

/** Of so many updates, the members are counted when they are asked for. */
const mostCounted = 20_000;
const mostNamed = 3;
const mostSummed = 30;

/** The members that changed, those of most items first, each with its first item. */
export function countedMembers(updated) {
  const counts = new Map();
  for (const { item, before } of updated) {
    for (const change of memberChanges(contentOf(before), contentOf(item))) {
      const known = counts.get(change.path);
      if (known) known.count++;
      else counts.set(change.path, { count: 1, item, change });
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.change.path < b.change.path ? -1 : 1));
}

/** A line with the members of the most items; unfolded, all of them with an example each. */
export function memberSummary(list, updated, pointer) {
  const row = ({ count, item, change }) => {
    const cells = memberRow(change);
    cells.firstElementChild.after(h("td", { class: "number" }, plural(count, "item")));
    cells.append(h("td", {}, h("a", { href: address([list, "item", item.id]) }, foreign(titleOf(item, pointer), 80))));
    return cells;
  };
  const fill = (table, members) => {
    const more = members.length > mostSummed && h("button", { type: "button", class: "quiet", onclick: () =>
      unfold(more.closest("tr"), members.slice(mostSummed).map(row)) }, `${number(members.length - mostSummed)} more members`);
    table.append(h("thead", {}, h("tr", {}, ["Member", "Changed in", "Before", "After", "First item"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, members.slice(0, mostSummed).map(row), more && h("tr", {}, h("td", { colspan: 5 }, more))));
  };
  const isCounted = updated.length <= mostCounted;
  const members = isCounted ? countedMembers(updated) : null;
  const named = members?.slice(0, mostNamed).map(({ change, count }) => [h("bdi", {}, foreign(change.path || "(all)", 60)), ` in ${number(count)}`]);
  const rest = members ? members.length - named.length : 0;
  const line = named ? [named.map((one, index) => [index > 0 && ", ", one]), rest > 0 && `, and ${plural(rest, "other member")}`] : "the members of all updates";
  const table = h("table", { class: "summed" });
  const element = h("details", { class: "summed-up", ontoggle: () => element.open && !table.hasChildNodes() && fill(table, members ?? countedMembers(updated)) },
    h("summary", {}, "Changed: ", line), h("div", { class: "scrolls" }, table));
  return element;
}
