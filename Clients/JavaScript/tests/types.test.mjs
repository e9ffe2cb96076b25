// The declarations of listsync.d.ts name what the module has, and nothing else. No type checker is needed.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import * as module from "../listsync.js";
import * as proofs from "../proofs.js";
import * as sqlite from "../sqlite.js";

const declarations = await readFile(new URL("../listsync.d.ts", import.meta.url), "utf8");

/** The names that are declared in the body of a class: public ones, with `static` in front of static ones. */
function declaredMembers(name) {
  const body = new RegExp(`export class ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(declarations)[1];
  const members = [...body.matchAll(/^ {2}(static )?(?:readonly )?(\w+)\??(?=[(:<])/gm)];
  return new Set(members.filter(([, , name]) => name !== "constructor").map(([, prefix = "", name]) => prefix + name));
}

/** The names that a class has, and those of an instance. */
function presentMembers(type, instance) {
  const names = [...Object.getOwnPropertyNames(type.prototype), ...Object.keys(instance)].filter((name) => name !== "constructor");
  const own = Object.getOwnPropertyNames(type).filter((name) => !["length", "name", "prototype"].includes(name));
  return new Set([...names, ...own.map((name) => `static ${name}`)]);
}

const declaredValues = (text) =>
  [...text.matchAll(/^export (?:declare )?(?:class|function|const) (\w+)/gm)].map(([, name]) => name).sort();

test("every export is declared, and every declared value is exported", async () => {
  assert.deepEqual(declaredValues(declarations), Object.keys(module).sort());
  // `prove` is for the replica.
  const ofProofs = await readFile(new URL("../proofs.d.ts", import.meta.url), "utf8");
  const ofSQLite = await readFile(new URL("../sqlite.d.ts", import.meta.url), "utf8");
  assert.deepEqual(declaredValues(ofSQLite), Object.keys(sqlite));
  assert.deepEqual(declaredValues(ofProofs), Object.keys(proofs).filter((name) => name !== "prove").sort());
});

// Members that the modules use among themselves.
const internal = {
  Item: ["value"], Items: ["pieces", "with"], Copy: ["applying", "following", "with"], Server: ["url", "token", "fetch", "byteLimit", "idleSeconds", "totalSeconds", "file", "delta", "headers"], Replica: [],
};
const instances = {
  Item: new module.Item("a", "1"), Items: new module.Items(), Copy: module.Copy.empty,
  Server: new module.Server("http://127.0.0.1"), Replica: new module.Replica("http://127.0.0.1", "parks"),
};

for (const [name, instance] of Object.entries(instances)) {
  test(`the members of ${name} are declared`, () => {
    const present = presentMembers(module[name], instance);
    for (const one of internal[name]) assert.ok(present.delete(one), `${name} has no ${one}`);
    assert.deepEqual([...declaredMembers(name)].sort(), [...present].sort());
  });
}
