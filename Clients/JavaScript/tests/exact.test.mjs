// Numbers keep each digit from the server to the next commit, also in contents that were changed.
import assert from "node:assert/strict";
import test from "node:test";
import * as client from "../listsync.js";

const { canonical, Item, Server } = client;
const text = '{"id":"a","n":1234567890123456789,"deep":[{"ratio":0.1234567890123456789,"huge":1e400}],"small":1.5}';
const item = new Item("a", canonical(text));

/** The body of a commit. */
async function committed(contents) {
  let body;
  const fetch = async (url, options) => {
    body = options.body;
    return new Response("{}", { headers: { "Content-Type": "application/json" } });
  };
  await new Server("http://lists.example", { fetch }).commit("parks", contents);
  return body;
}

test("contents that nobody touched are committed as they were", async () => {
  assert.equal(await committed([item.content]), `[${item.text}]`);
  assert.equal(await committed([item]), `[${item.text}]`);
});

test("the members that a spread takes over keep their digits, nested ones too", async () => {
  assert.equal(await committed([{ ...item.content, name: "B2" }]), `[${canonical(text.replace('"small"', '"name":"B2","small"'))}]`);
  const [{ ratio }] = item.content.deep;
  assert.equal(await committed([{ id: "b", ratio, small: item.content.small }]), '[{"id":"b","ratio":0.1234567890123456789,"small":1.5}]');
});

test("numbers that JavaScript holds are its own, others are exact", () => {
  const { ExactNumber, readJSON, writeJSON } = client;
  for (const text of ["0", "-1", "0.1", "1.5", "9007199254740992", "1e21", "1e+300", "5e-324", "123456789012345680000"]) {
    assert.equal(typeof readJSON(text), "number", text);
    assert.equal(writeJSON(readJSON(text)), canonical(text));
  }
  for (const text of ["9007199254740993", "1e400", "-1e-400", "12345678901234567890.1", "0.1000000000000000055511151231257827"]) {
    const number = readJSON(text);
    assert.ok(number instanceof ExactNumber, text);
    assert.deepEqual([String(number), writeJSON([number]), +number], [canonical(text), `[${canonical(text)}]`, Number(text)]);
  }
  assert.equal(writeJSON({ n: 12345678901234567890n }), '{"n":12345678901234567890}');
  assert.equal(new ExactNumber("1.50").digits, "1.5");
  for (const text of ["", "01", "1.", "NaN", "0x1", " 1", "1 ", "1e", "1e1000000000000000"]) {
    assert.throws(() => new ExactNumber(text), { kind: "malformed" }, text);
  }
});

test("JSON.stringify writes an exact number or throws, and never rounds it", () => {
  const number = client.readJSON("12345678901234567892");
  if (JSON.rawJSON) assert.equal(JSON.stringify([number]), "[12345678901234567892]");
  else assert.throws(() => JSON.stringify([number]), { kind: "malformed", message: /12345678901234567892/ });
});

test("values that JSON cannot hold are refused in place of being changed", async () => {
  const round = [];
  round.push(round);
  for (const value of [NaN, Infinity, undefined, [undefined], [, 1], { a: "\ud800" }, { "\ud800": 1 }, () => 1, Symbol("a"), round]) {
    await assert.rejects(committed([value]), { name: "ListSyncError", kind: "malformed" }, String(typeof value));
  }
  const date = new Date(0);
  assert.equal(client.writeJSON({ b: undefined, date, a: new String("x") }), '{"a":"x","date":"1970-01-01T00:00:00.000Z"}');
});

test("a member __proto__ is one like the others", () => {
  const text = '{"__proto__":{"n":12345678901234567890},"a":1}';
  assert.equal(client.writeJSON({ ...client.readJSON(text) }), text);
  assert.deepEqual(Object.keys(client.readJSON('{"__proto__":1}')), ["__proto__"]);
});
