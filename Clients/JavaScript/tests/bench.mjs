// Figures for README.md: node --expose-gc Clients/JavaScript/tests/bench.mjs [ITEMS]
import { apply, chainAfter, Copy, Item, Items, root } from "../listsync.js";
import { Tree } from "../roots.js";

const count = Number(process.argv[2] ?? 1_000_000);
/** Milliseconds of processor time, which do not depend on what else the machine does. */
const milliseconds = (work) => {
  const start = process.cpuUsage();
  const result = work();
  return [Math.round(process.cpuUsage(start).user / 1000), result];
};
const content = (n, rating = n % 6) =>
  `{"id":"park-${n}","name":"Park number ${n}","rating":${rating},"state":"UT","visitors":${n * 37}}`;
const document = (kind, from, to, rest) =>
  JSON.stringify({ format: "list-delta/1", kind, list: "parks", from, to, oldest: 1, more: false }).slice(0, -1) + rest;
/** A proven state. */
function stateOf(version, count, root) {
  const note = { committed_at: "2026-11-21T11:37:00Z", author: null, message: null };
  const header = { version, ...note, count, root, previous: "5".repeat(64) };
  return { ...header, cursor: `${version}-${chainAfter(header.previous, header).slice(0, 32)}` };
}

const entry = ({ from, to, item }) => `${JSON.stringify({ id: item.id, from, to }).slice(0, -1)},"content":${item.text}}`;

/** Documents of changes that follow each other; `changesOf` makes the changes of each. */
function deltas({ state, items }, versions, changesOf) {
  let tree = Tree.of(items);
  return Array.from({ length: versions }, (_, n) => {
    const { inserted = [], updated = [] } = changesOf(n, items);
    const step = apply(items, { removed: [], moved: [], inserted, updated });
    [tree, items] = [tree.after(step), step.after];
    const to = stateOf(n + 2, items.length, tree.root);
    const text = document("changes", state, to,
      `,"removed":[],"moved":[],"inserted":[${inserted.map(entry)}],"updated":[${updated.map(entry)}]}`);
    state = to;
    return text;
  });
}

const place = (n) => (n * 104_729 + 7919) % (count - 10);
const updated = (from, items, n, to = from) => ({ from, to, item: new Item(items.at(from).id, content(from, n + 100)) });
const updates = (indexes, items, n) => ({ updated: indexes.sort((a, b) => a - b).map((index) => updated(index, items, n)) });
const read = (copy, texts) => texts.reduce((copy, text) => copy.reading(text).after, copy);

const texts = Array.from({ length: count }, (_, n) => content(n));
const items = Items.from(texts.map((text, n) => new Item(`park-${n}`, text)));
const state = stateOf(1, count, root(items));
const snapshot = document("snapshot", Copy.empty.state, state,
  `,"reason":"first","items":[${texts.map((text, n) => `{"id":"park-${n}","content":${text}}`)}]}`);
const [parse] = milliseconds(() => JSON.parse(snapshot));
const [first, { after: copy }] = milliseconds(() => Copy.empty.reading(snapshot));
console.log(`${count} items, ${(snapshot.length / 1e6).toFixed(0)} MB: JSON.parse ${parse} ms; read and verify ${first} ms,`,
  `${(first / parse).toFixed(2)} times`);

const single = deltas(copy, 100, (n, items) => updates([place(n)], items, n));
const [joint] = deltas(copy, 1, (n, items) => updates(Array.from({ length: 100 }, (_, n) => place(n)), items, n));
for (const round of ["first", "second", "third"]) {
  const [apart] = milliseconds(() => read(copy, single));
  const [together] = milliseconds(() => read(copy, [joint]));
  console.log(`100 updates, ${round} time: ${apart} ms in 100 deltas, ${together} ms in one`);
}

const mixed = deltas(copy, 100, (n, items) => {
  const at = place(n);
  const others = Array.from({ length: 10 }, (_, k) => place(11 * n + k + 100)).sort((a, b) => a - b);
  return { inserted: [{ to: at, item: new Item(`new-${n}`, "1") }],
    updated: others.map((from) => updated(from, items, n, from < at ? from : from + 1)) };
});
const [one, second] = milliseconds(() => read(copy, mixed.slice(0, 1)));
const [rest] = milliseconds(() => read(second, mixed.slice(1)));
console.log(`the first delta with an insertion ${one} ms (it collects all ids);`,
  `99 more of 11 changes ${(rest / 99).toFixed(2)} ms each`);

const memory = () => {
  const { heapUsed, arrayBuffers } = (globalThis.gc(), globalThis.gc(), process.memoryUsage());
  return heapUsed + arrayBuffers;
};
if (globalThis.gc) {
  const trees = [Tree.of([])];
  const before = memory();
  trees.push(Tree.of(items));
  console.log(`the tree of hashes: ${((memory() - before) / count).toFixed(0)} bytes an item`, trees.at(-1).root.slice(0, 12));
}
