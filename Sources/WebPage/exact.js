// Contents as values that keep the digits of their numbers: `JSON.parse` would round 12345678901234567892 and 1e400.

import { canonical } from "./listsync.js";

/**
 * A JSON value as a part of a text, read only where it is asked for.
 *
 * The text must be canonical: two values are then equal if and only if their texts are.
 */
export class Value {
  #members;

  constructor(text) {
    this.text = text;
  }

  get isObject() {
    return this.text[0] === "{";
  }

  get isNumber() {
    return /^[-0-9]/.test(this.text);
  }

  /** Whether it has elements or members. */
  get hasParts() {
    return /^[[{]./.test(this.text) && this.text.length > 2;
  }

  /** Whether it is null or has nothing in it, which says nothing to people. */
  get isEmpty() {
    return ["null", '""', "[]", "{}"].includes(this.text);
  }

  /** The text of a string, or undefined. */
  get string() {
    return this.text[0] === '"' ? JSON.parse(this.text) : undefined;
  }

  /** The members of an object as a map, in the order of the text; undefined for other values. */
  get members() {
    if (this.isObject) this.#members ??= new Map(parts(this.text).map(([name, value]) => [JSON.parse(name), new Value(value)]));
    return this.#members;
  }

  /** The elements of an array; undefined for other values. */
  get elements() {
    return this.text[0] === "[" ? parts(this.text).map(([value]) => new Value(value)) : undefined;
  }

  /** The value at a JSON Pointer, or undefined. */
  at(pointer) {
    return pointer.split("/").slice(1).reduce((value, token) => {
      if (value?.elements) return /^(0|[1-9]\d*)$/.test(token) ? value.elements[token] : undefined;
      return value?.members?.get(token.replaceAll("~1", "/").replaceAll("~0", "~"));
    }, this);
  }
}

/**
 * Reads the changes of an item, as a server writes them: their contents as canonical values.
 *
 * Throws a `SyntaxError` for a text that is not JSON, and `malformed` for a content that is refused.
 */
export function readItemHistory(text) {
  JSON.parse(text);
  const readMember = ([name, value]) => [name, name === "path" ? value.string : new Value(canonical(value.text))];
  return new Value(text.trim()).elements.map((change) => Object.fromEntries(Array.from(change.members, ([name, value]) => {
    if (name === "content") return [name, new Value(canonical(value.text))];
    if (name === "members") return [name, value.elements.map((member) => Object.fromEntries(Array.from(member.members, readMember)))];
    return [name, JSON.parse(value.text)];
  })));
}

const contents = new WeakMap();

/** The content of an item. */
export function contentOf(item) {
  if (!contents.has(item)) contents.set(item, new Value(item.text));
  return contents.get(item);
}

/** The texts in an object or array: `[name, value]` of each member, `[value]` of each element. */
function parts(text) {
  const found = [];
  let part = [];
  let [start, depth] = [1, 0];
  const end = (index) => {
    const piece = text.slice(start, index).trim();
    if (piece) part.push(piece);
    start = index + 1;
  };
  for (let index = 1; index < text.length; index++) {
    const mark = text[index];
    if (mark === '"') index = endOfString(text, index);
    else if (mark === "{" || mark === "[") depth++;
    else if ((mark === "}" || mark === "]") && depth > 0) depth--;
    else if (depth === 0 && mark === ":") end(index);
    else if (depth === 0 && (mark === "," || mark === "}" || mark === "]")) {
      end(index);
      if (part.length) found.push(part);
      part = [];
    }
  }
  return found;
}

/** The index of the quotation mark that ends a string: the first one behind an even number of backslashes. */
function endOfString(text, start) {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
