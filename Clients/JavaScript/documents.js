// The part of the client for ListSync that reads documents, and keeps verified copies of lists.

import { apply, Code, diff, isIndex, isListName, Item, Items, malformed, mismatch, Scanner,
  withoutMark } from "./lists.js";
import { emptyState, readProvenState, readState, Tree } from "./roots.js";

/** An index, in any spelling; NaN for another value. */
function readIndex(scanner) {
  const text = scanner.canonical();
  return /^\d{1,16}$/.test(text) ? Number(text) : NaN;
}

/** A change or an item of a document: its id and indexes, and the item if it has a content. */
export function readEntry(scanner) {
  let id, from, to, text, others;
  scanner.expect(Code.begin);
  do {
    const name = scanner.string();
    scanner.expect(Code.colon);
    if (name === "id" && id === undefined) id = scanner.string();
    else if (name === "content" && text === undefined) text = scanner.canonical();
    else if (name === "from" && from === undefined) from = readIndex(scanner);
    else if (name === "to" && to === undefined) to = readIndex(scanner);
    else if (["id", "content", "from", "to"].includes(name) || others?.has(name)) throw malformed(`the member ${name} occurs twice`);
    else {
      others = (others ?? new Set()).add(name);
      scanner.canonical();
    }
  } while (scanner.skips(Code.comma));
  scanner.expect(Code.end);
  if (!id) throw malformed("an item has no id");
  return { id, from, to, item: text === undefined ? undefined : new Item(id, text) };
}

export const arrayNames = ["removed", "moved", "inserted", "updated", "items"];

/** The most bytes of a problem document, of a line of an event stream, and of a member that is no header's. */
export const smallByteLimit = 65_536;

/** How much deeper than a content a document may be: the document, an array, an item. */
const envelopeDepth = 3;

/**
 * Reads a JSON object: entries of the arrays of changes and items, other members as values. It has no prototype, so that a
 * member `__proto__` is one like the others.
 */
export function readObject(text) {
  const scanner = new Scanner(withoutMark(text));
  const members = Object.create(null);
  scanner.each(Code.begin, (name) => {
    if (Object.hasOwn(members, name)) throw malformed(`the member ${name} occurs twice`);
    if (!arrayNames.includes(name)) return (members[name] = readMember(scanner));
    members[name] = [];
    scanner.each(Code.open, () => members[name].push(readEntry(scanner)));
  });
  scanner.expectEnd();
  for (const name of ["inserted", "updated", "items"]) {
    if (members[name]?.some((entry) => !entry.item)) throw malformed(`${name}: an item has no content`);
  }
  return members;
}

/** A member of a document; null for one that has more values than each of the protocol, and so is ignored. */
function readMember(scanner) {
  const depth = 1 - envelopeDepth;
  const text = scanner.canonical(depth);
  // A header may have a long message.
  const isLong = text.length > smallByteLimit;
  const isLarge = isLong && text.replace(/\\./g, "").replace(/"[^"]*"/g, "").length > smallByteLimit;
  return isLarge ? null : new Scanner(text).value(depth);
}

const reasons = ["first", "too-old", "diverged", "smaller"];

/** Reads a delta document. */
export function readDelta(text) {
  const delta = readObject(text);
  const isWhole = delta.kind === "snapshot";
  if (delta.format !== "list-delta/1" || !(isWhole || delta.kind === "changes")) throw malformed("this is not a delta document");
  const arrays = isWhole ? ["items"] : arrayNames.slice(0, 4);
  const faults = {
    list: delta.list === undefined ? isWhole : !isListName(delta.list),
    more: !["boolean", "undefined"].includes(typeof delta.more),
    oldest: delta.oldest === undefined ? isWhole : !isIndex(delta.oldest), reason: isWhole && !reasons.includes(delta.reason),
    array: arrays.some((name) => !delta[name]),
  };
  for (const [member, isWrong] of Object.entries(faults)) if (isWrong) throw malformed(`${member} is wrong or missing`);
  if (!isWhole) delete delta.reason;
  // Without a cursor, two files were compared.
  delta.to = (Object(delta.to).cursor === undefined ? readState : readProvenState)(delta.to, "to");
  delta.from = isWhole && delta.from === undefined ? undefined : readState(delta.from, "from");
  return delta;
}

/** A verified copy of a list: its state (cursor, version, count and root) and its items. */
export class Copy {
  static empty = Copy.of(emptyState, new Items());
  #tree;
  /** The ids of the items; made for the first insertion, and handed on from copy to copy. */
  #ids = null;
  /** With a key: the verified note, the given key, and the one that is trusted now (P53). */
  signed = null;

  constructor({ cursor, version, count, root }, items, tree = Tree.of(items)) {
    [this.state, this.items, this.#tree] = [{ cursor, version, count, root }, items, tree];
  }

  /** A copy of items that come from elsewhere. Throws `mismatch` unless they have the state's count and root. */
  static of(state, items) {
    const copy = new Copy(state, items);
    const found = copy.#tree.root;
    if (items.length === state.count && found === state.root) return copy;
    throw mismatch(`${items.length} items have the root ${found}, not ${state.root} of ${state.count} items`);
  }

  /** This copy with its note and keys. */
  with(signed) {
    const copy = new Copy(this.state, this.items, this.#tree);
    [copy.#ids, this.#ids, copy.signed] = [this.#ids, null, signed];
    return copy;
  }

  /** The changes of a step, with the copy that they lead to. Throws `mismatch` unless it has the expected state. */
  applying(changes, state) {
    const step = apply(this.items, changes);
    const tree = this.#tree.after(step);
    if (step.after.length !== state.count || tree.root !== state.root) {
      const [found, expected] = [`${tree.root} of ${step.after.length} items`, `${state.root} of ${state.count}`];
      throw mismatch(`the changes lead to the root ${found}, not ${expected}`);
    }
    const copy = new Copy(state, step.after, tree);
    copy.#ids = this.#idsAfter(step);
    return { ...step, before: this, after: copy };
  }

  #idsAfter({ removed, inserted }) {
    if (!inserted.length && !this.#ids) return null;
    const ids = this.#ids ?? new Set(Array.from(this.items, (item) => item.id));
    // This copy is old from now on: it makes its own set if it is used again.
    this.#ids = null;
    for (const { item } of removed) ids.delete(item.id);
    for (const { item } of inserted) {
      if (ids.has(item.id)) throw mismatch(`the id '${item.id}' is there twice`);
      ids.add(item.id);
    }
    return ids;
  }

  /** The step to what a delta document says: changes to this copy, or a whole list. Nothing is changed if it throws. */
  reading(text) {
    return this.following(readDelta(text));
  }

  following(delta) {
    if (delta.kind === "snapshot") {
      const items = Items.from(delta.items.map((entry) => entry.item));
      const after = Copy.of(delta.to, items);
      after.#ids = new Set(Array.from(items, (item) => item.id));
      if (after.#ids.size < items.length) throw malformed("an id is there twice");
      return { ...diff(this.items, items), before: this, after, delta };
    }
    const { count, root } = delta.from;
    if (count !== this.items.length || root !== this.state.root) {
      throw mismatch(`the changes start from the root ${root}, this copy has ${this.state.root}`);
    }
    return { ...this.applying(delta, delta.to), delta };
  }
}

/** The longest time of a timer (24 days): `setTimeout` takes a longer one for none at all. */
export const longestMilliseconds = 2 ** 31 - 1;

/** Waits; ends early when a signal says so. */
export function sleep(seconds, signal) {
  return new Promise((resolve) => {
    // A replica that watches sleeps very often with one signal, so no listener stays.
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(1000 * seconds, longestMilliseconds));
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
