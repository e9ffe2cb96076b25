// Figures for README.md: node Clients/JavaScript/tests/bench.mjs [ITEMS]
import { checksum, Copy, Item, Items } from "../listsync.js";

const count = Number(process.argv[2] ?? 1_000_000);
/** Seconds of processor time, which do not depend on what else the machine does. */
const seconds = (work) => {
  const start = process.cpuUsage();
  const result = work();
  return [(process.cpuUsage(start).user / 1e6).toFixed(3), result];
};
const item = (n, rating = n % 6) =>
  `{"id":"park-${n}","name":"Park number ${n}","rating":${rating},"state":"UT","visitors":${n * 37}}`;
const document = (kind, from, to, rest) =>
  JSON.stringify({ format: "list-delta/1", kind, list: "parks", from, to, oldest: 1, more: false }).slice(0, -1) + rest;

const texts = Array.from({ length: count }, (_, n) => item(n));
const items = Items.from(texts.map((text, n) => new Item(`park-${n}`, text)));
const state = { cursor: "1-000000000001", version: 1, count, checksum: checksum(items) };
const snapshot = document("snapshot", Copy.empty.state, state,
  `,"reason":"first","items":[${texts.map((text, n) => `{"id":"park-${n}","content":${text}}`)}]}`);
const [parse] = seconds(() => JSON.parse(snapshot));
const [first, step] = seconds(() => Copy.empty.reading(snapshot));
console.log(`${count} items, ${(snapshot.length / 1e6).toFixed(0)} MB: JSON.parse ${parse} s; read and verify ${first} s,`,
  `${(first / parse).toFixed(2)} times`);

let copy = step.after;
const deltas = [];
for (let version = 2; version <= 101; version++) {
  // 10 updates, 1 removal, 1 insertion and 1 move a version.
  const at = (k) => (version * 7919 + k * 104729) % (count - 10);
  const updated = Array.from({ length: 10 }, (_, k) => at(k)).sort((a, b) => a - b);
  const list = copy.items;
  const from = copy.state;
  const insertedAt = at(11);
  const changes = {
    removed: [], moved: [], inserted: [{ id: `new-${version}`, to: insertedAt, item: new Item(`new-${version}`, "1") }],
    updated: updated.map((index) => {
      const id = list.at(index).id;
      return { from: index, to: index + (index >= insertedAt ? 1 : 0), item: new Item(id, `"${version}"`) };
    }),
  };
  const all = [...list];
  for (const change of changes.updated) all[change.from] = change.item;
  all.splice(insertedAt, 0, changes.inserted[0].item);
  const next = { cursor: `${version}-000000000001`, version, count: all.length, checksum: "" };
  if (count <= 100_000) next.checksum = checksum(all);
  else {
    try { copy.applying(changes, { ...next, checksum: "?" }); } catch (error) { next.checksum = /checksum (\w+)/.exec(error.message)[1]; }
  }
  const entry = ({ item, ...rest }) => JSON.stringify({ id: item.id, ...rest }).slice(0, -1) + `,"content":${item.text}}`;
  deltas.push(document("changes", from, next, `,"removed":[],"moved":[],"inserted":[${changes.inserted.map(entry)}],"updated":[${changes.updated.map(entry)}]}`));
  copy = copy.reading(deltas.at(-1)).after;
}
const [one, second] = seconds(() => step.after.reading(deltas[0]).after);
const [applied] = seconds(() => deltas.slice(1).reduce((copy, text) => copy.reading(text).after, second));
console.log(`the first delta ${one} s (it collects all ids); 99 more of 11 changes: ${(applied / 0.099).toFixed(2)} ms each`);
