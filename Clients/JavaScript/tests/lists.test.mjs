import assert from "node:assert/strict";
import test from "node:test";
import { apply, canonical, Copy, diff, Item, Items, root } from "../listsync.js";

const item = (id, content = { id }) => new Item(id, canonical(JSON.stringify(content)));
const ids = (items) => Array.from(items, ({ id }) => id);

test("equal contents have one canonical form", () => {
  const forms = {
    '{ "b" : 1.0, "a" : [ true , null ] }': '{"a":[true,null],"b":1}',
    '{"10":1,"2":2,"__proto__":3}': '{"10":1,"2":2,"__proto__":3}',
    '{"\\uff5e":1,"\\ud83d\\ude00":2}': '{"～":1,"😀":2}',
    "12345678901234567890.10": "12345678901234567890.1",
    "1e21": "1e+21", "123e18": "123000000000000000000", "1e999999": "1e+999999", "-0.0": "0",
    "0.000001": "0.000001", "0.00000012": "1.2e-7", "-1.50E+2": "-150",
    '"\\u0041\\/\\u001F\\n\\u00e9"': '"A/\\u001f\\né"',
  };
  for (const [text, form] of Object.entries(forms)) {
    assert.equal(canonical(text), form);
    assert.equal(canonical(form), form);
  }
});

test("texts that are no content are refused", () => {
  const texts = ['{"a":1,"\\u0061":2}', '"\\ud800"', "01", "1e1000000000000000", "[1,]", "", "NaN", '{"a":1}x',
    "[".repeat(513) + "]".repeat(513)];
  for (const text of texts) assert.throws(() => canonical(text), { kind: "malformed" }, text.slice(0, 40));
});

/** All lists of different ids from a to d, with one of two contents each. */
function* lists(letters = ["a", "b", "c", "d"], versions = [1, 2]) {
  yield [];
  for (const letter of letters) {
    for (const rest of lists(letters.filter((other) => other !== letter), versions)) {
      for (const version of versions) yield [item(letter, version), ...rest];
    }
  }
}

test("a difference leads from one list to the other with the fewest moves", () => {
  const all = [...lists(["a", "b", "c", "d"], [1])];
  for (const before of all) {
    for (const after of all) {
      const step = diff(Items.from(before), Items.from(after));
      const applied = apply(step.before, step);
      assert.deepEqual(ids(applied.after), ids(after));
      const matched = before.filter(({ id }) => ids(after).includes(id)).map(({ id }) => ids(after).indexOf(id));
      assert.equal(step.moved.length, matched.length - longestIncreasing(matched));
    }
  }
});

test("an item that is both removed and moved is refused, wherever it is", () => {
  const before = Items.from(["a", "b", "c"].map((id) => item(id)));
  for (const from of [0, 1, 2]) {
    const { id } = before.at(from);
    for (let to = 0; to < 5; to++) {
      for (const inserted of [[], [{ to: 0, item: item("n") }], [{ to: 0, item: item("n") }, { to: 1, item: item("o") }]]) {
        const changes = { removed: [{ id, from }], moved: [{ id, from, to }], inserted, updated: [] };
        assert.throws(() => apply(before, changes), { name: "ListSyncError", kind: "mismatch" }, JSON.stringify(changes));
      }
    }
  }
});

function longestIncreasing(numbers) {
  const best = numbers.map(() => 1);
  numbers.forEach((number, i) => {
    for (let j = 0; j < i; j++) if (numbers[j] < number) best[i] = Math.max(best[i], best[j] + 1);
  });
  return Math.max(0, ...best);
}

test("a copy after changes has the items and the root of the new list", () => {
  let seed = 1;
  const random = (end) => (seed = (seed * 48271) % 2147483647) % end;
  let copy = new Copy(Copy.empty.state, new Items());
  for (let version = 1; version <= 60; version++) {
    const items = [...copy.items];
    for (let n = random(version < 5 ? 700 : 6) + 1; n > 0; n--) {
      const at = random(items.length + 1);
      const kind = random(4);
      if (kind < 2 || !items.length) items.splice(at, 0, item(`${version}-${n}`, version));
      else if (kind === 2) items.splice(at, 1);
      else if (items[at]) items.splice(random(items.length), 0, new Item(items[at].id, `${version}`), ...items.splice(at, 1).slice(1));
    }
    const unique = [...new Map(items.map((item) => [item.id, item])).values()];
    const changes = diff(copy.items, Items.from(unique));
    const bare = { ...changes, removed: changes.removed.map(({ from, item }) => ({ from, id: item.id })) };
    const state = { cursor: `${version}-`, version, count: unique.length, root: root(unique) };
    copy = copy.applying(bare, state).after;
    assert.deepEqual(ids(copy.items), ids(unique));
    unique.forEach((item, index) => assert.equal(copy.items.at(index), item));
    assert.deepEqual(copy.items.slice(5, 9), unique.slice(5, 9));
  }
});

test("a list after a change shares its chunks with the list before", () => {
  let items = Items.from(Array.from({ length: 100_000 }, (_, n) => item(`${n}`, n)));
  for (let n = 0; n < 2000; n++) {
    const changes = { removed: [], moved: [], updated: [], inserted: [{ id: `new-${n}`, to: n * 17, item: item(`new-${n}`) }] };
    const { after } = apply(items, changes);
    const old = new Set(items.chunks);
    assert.ok(after.chunks.filter((chunk) => !old.has(chunk)).length <= 4);
    items = after;
  }
  assert.ok(items.chunks.length < 800);
});

test("changes that do not fit the list are refused", () => {
  const list = Items.from(["a", "b", "c"].map((id) => item(id)));
  const none = { removed: [], moved: [], inserted: [], updated: [] };
  const misfits = [
    { removed: [{ id: "b", from: 0 }] }, { removed: [{ id: "d", from: 3 }] }, { moved: [{ id: "a", from: 0, to: 3 }] },
    { removed: [{ id: "b", from: 1 }, { id: "a", from: 0 }] }, { inserted: [{ to: 5, item: item("d") }] },
    { moved: [{ id: "a", from: 0, to: 0.5 }] }, { updated: [{ from: 0, to: 1, item: item("a") }] },
    { removed: [{ id: "a", from: 0 }], moved: [{ id: "a", from: 0, to: 1 }] },
    { inserted: [{ to: 0, item: item("d") }], moved: [{ id: "a", from: 0, to: 0 }] },
  ];
  for (const changes of misfits) {
    assert.throws(() => apply(list, { ...none, ...changes }), { kind: "mismatch" }, JSON.stringify(changes));
  }
});

test("an id that is there cannot be inserted", () => {
  const items = Items.from([item("a"), item("b")]);
  const copy = Copy.of({ count: 2, root: root(items) }, items);
  const twice = [item("a"), item("b"), item("a")];
  const changes = { removed: [], moved: [], updated: [], inserted: [{ to: 2, item: item("a") }] };
  assert.throws(() => copy.applying(changes, { count: 3, root: root(twice) }), /there twice/);
});
