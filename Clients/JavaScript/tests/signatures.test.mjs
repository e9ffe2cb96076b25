// Keys and notes, and a replica with a key (P51 to P53).
import assert from "node:assert/strict";
import test from "node:test";
import { Copy, diff, Item, Items, ListSyncError, Replica, Server } from "../listsync.js";
import { checkNote, readKey, readNote } from "../signatures.js";
import { history, zeros } from "./histories.mjs";
import { headText, keyText, note, signer } from "./signers.mjs";

const owner = signer("lists.example");
const heir = signer("lists.example", "the second key");
const stranger = signer("cdn.example");

/** Made by openssl: `openssl pkeyutl -sign -rawin`. */
const golden = {
  key: "lists.example+494a72f9+AUI0R1TOjejOqixLB7fTrQPSXsYPpnZ1giYvKUoqox7G",
  note: "list-head/1\nparks\n7\na696d111a4e0a318bcc6f012758aa76a8e9c92c0bea73c34ba4733e08768331f\n" +
    "9414886b1ebf025db067a4cbd13a0903fbd9733a5372bba1b58bd72c1699b798\n\n" +
    "— lists.example SUpy+dGRTuUwSohXQwf+tszX6kENcFPuBF7pH9y657ha0Afr1EWBDx7/rdJICxX88Jp46p9jgBxosj0OzB7d84IjyQA=\n",
};
const state = { version: 7, root: golden.note.split("\n")[3], chain: golden.note.split("\n")[4] };
const check = (text, { key } = owner, list = "parks") => checkNote(text, readKey(key), list);
const refused = (kind, text, one, list) =>
  assert.rejects(check(text, one, list), (error) => error instanceof ListSyncError && error.kind === kind && error.message.includes(`(${kind})`),
    text);

// --- Keys and notes ---

test("a note that another program has signed is read", async () => {
  assert.equal(owner.key, golden.key);
  const { list, version, root, chain, successor } = await check(golden.note, golden);
  assert.deepEqual({ list, version, root, chain, successor }, { list: "parks", ...state, successor: null });
  assert.equal(note(state, [owner]), golden.note);
});

test("a text of another form is no key", () => {
  const { key } = owner;
  const [name, id, base64] = [key.slice(0, 13), key.slice(14, 22), key.slice(23)];
  assert.ok(readKey(signer("Ænne/№1").key));
  const point = Buffer.from(base64, "base64").subarray(1);
  const texts = ["", name, `${name}+${id.toUpperCase()}+${base64}`, `${name}+${id}`, `${name}+${id}+`, `+${id}+${base64}`,
    `${name}+${id}0+${base64}`, `${name}+00000000+${base64}`, `${key}\n`, ` ${key}`, `${name}+${id}+${base64.slice(0, -4)}`, key.replace("example", "exampl"),
    keyText("two words", point), keyText("a+b", point), keyText("a", point, 2), keyText("a", point.subarray(1)),
    keyText("a\u0085b", point), keyText("a\u3000b", point), keyText("a\0b", point), keyText("", point), null, undefined, 7,
    key.replace("+AU", "+Ak"), `${key}=`];
  for (const text of texts) assert.equal(readKey(text), null, text);
});

test("a point has one encoding in a key", () => {
  const encoded = (number) => Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse();
  const prime = 2n ** 255n - 19n;
  const sign = 2n ** 255n;
  for (const number of [prime, prime + 1n, prime + 18n, 1n + sign, prime - 1n + sign, prime + sign, 2n ** 256n - 1n]) {
    assert.equal(readKey(keyText("a", encoded(number))), null);
  }
  for (const number of [4n, prime - 2n, 4n + sign]) assert.ok(readKey(keyText("a", encoded(number))));
});

test("a note of another form is refused, although its signature holds", async () => {
  const lines = (text) => text + "\n" + owner.lineOf(text);
  const { version, root, chain } = state;
  const head = headText(state);
  const line = owner.lineOf(head);
  const base64 = line.split(" ")[2].trim();
  const withBits = `${base64.slice(0, -2)}B=`;
  assert.deepEqual(Buffer.from(withBits, "base64"), Buffer.from(base64, "base64"));
  const empty = Copy.empty.state.root;
  const notes = ["", head, `${head}\n`, lines(head).slice(0, -1), `${lines(head)}\n`, `\n${lines(head)}`, `${head}${line}`,
    `${head}\n\n${line}`, lines(head).replaceAll("\n", "\r\n"), lines(head).replace(/\n$/, "\r\n"), `${lines(head)}${line}`.repeat(9),
    `${head}\n${line.repeat(17)}`,
    `\ufeff${lines(head)}`, lines(head).replace("—", "-"), lines(head).replace("— ", "—"), lines(head).replace("— ", "—  "),
    lines(head).replace(base64, base64.slice(0, -1)), lines(head).replace(base64, withBits), lines(head).replace(base64, `${base64} `),
    lines(head).replace(base64, base64.replace(/\+|\//, "-")), `${head}\n${line}— a\n`, `${head}\n${line}— a AAAA\n`,
    `${head}\n${line}— a+b AAAAAAAA\n`,
    `${head}\n${line}— a\u00a0b AAAAAAAA\n`, `${head}\n${line}— a\u2028 AAAAAAAA\n`, `${head}\n${line}no signature\n`,
    ...["07", "+7", "7.0", "-7", " 7", "", "9007199254740993", "0"].map((version) => lines(headText({ version, root, chain }))),
    lines(headText({ version: 0, root: empty, chain })), lines(headText({ version: 0, root, chain: zeros })),
    lines(headText({ version, root: root.toUpperCase(), chain })), lines(headText({ version, root, chain: chain.slice(1) })),
    lines(head.replace("/1", "/2")), lines(head.replace("list-head/1\n", "")), lines(`${head}a key\n`), lines(`${head}${heir.key}=\n`),
    note(state, [owner, heir], { successor: { key: heir.key.replace(/[0-9a-f]{8}/, (id) => id.toUpperCase()) } }),
    lines(`${head}${heir.key}\n${heir.key}\n`), lines(headText(state, { list: "two words" })), lines(headText(state, { list: ".parks" })),
    null, 7, {}];
  for (const text of notes) {
    assert.equal(readNote(text), null, text);
    await refused("false-signature", text);
  }
  assert.ok(await check(lines(headText({ version: 0, root: empty, chain: zeros }))));
});

test("a note has at most 16 signatures and 16,384 bytes", async () => {
  const head = headText(state);
  const line = owner.lineOf(head);
  assert.ok(await check(`${head}\n${line.repeat(16)}`));
  await refused("false-signature", `${head}\n${line.repeat(17)}`);
  await refused("false-signature", `${head}\n${line}${stranger.lineOf(head).repeat(16)}`);
  const rest = 16_384 - Buffer.byteLength(`${head}\n${line}—  AAAAAAAA\n`);
  const long = (count) => `${head}\n${line}— ${"é".repeat(count / 2)}${"a".repeat(count % 2)} AAAAAAAA\n`;
  assert.equal(Buffer.byteLength(long(rest)), 16_384);
  assert.ok(await check(long(rest)));
  await refused("false-signature", long(rest + 1));
});

test("signatures of other keys are ignored, before and behind, whatever they hold", async () => {
  const head = headText(state);
  const line = owner.lineOf(head);
  const lie = stranger.line(Buffer.alloc(64));
  const others = [lie, stranger.lineOf(head), "— witness.example/№1 AAAAAAA=\n", heir.line(Buffer.alloc(72, 1)),
    signer("Lists.example").line(Buffer.alloc(64))];
  for (const other of others) {
    assert.ok(await check(`${head}\n${other}${line}`));
    assert.ok(await check(`${head}\n${line}${other}`));
    await refused("other-key", `${head}\n${other}`);
  }
  await assert.rejects(check(`${head}\n${lie}`), { message:
    `the head of parks is refused (other-key): it is signed by ${stranger.label}, not by ${owner.label}` });
});

test("each line of the key must hold", async () => {
  const head = headText(state);
  const line = owner.lineOf(head);
  assert.ok(await check(`${head}\n${line}${line}`));
  const false64 = Buffer.from(owner.signature(head));
  false64[3] ^= 1;
  for (const bytes of [false64, Buffer.alloc(64), owner.signature(head).subarray(1), Buffer.concat([owner.signature(head), Buffer.of(0)]),
    owner.signature(`${head}\n`), owner.signature(head.slice(0, -1)), heir.signature(head)]) {
    await refused("false-signature", `${head}\n${owner.line(bytes)}`);
    await refused("false-signature", `${head}\n${line}${owner.line(bytes)}`);
    await refused("false-signature", `${head}\n${owner.line(bytes)}${line}`);
  }
});

test("the number of a signature is below the order of the group", async () => {
  const head = headText(state);
  const signature = Buffer.from(owner.signature(head));
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const sum = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
  Buffer.from(sum.toString(16).padStart(64, "0"), "hex").reverse().copy(signature, 32);
  await refused("false-signature", `${head}\n${owner.line(signature)}`);
});

test("each changed character of a note is refused", async () => {
  const at = golden.note.indexOf("\n\n") + 2;
  for (let i = 0; i < golden.note.length; i++) {
    const other = golden.note[i] === "A" ? "B" : golden.note[i] === "0" ? "1" : golden.note[i] === "B" ? "A" : "0";
    const text = golden.note.slice(0, i) + other + golden.note.slice(i + 1);
    // Another name, or another id, is that of another key.
    const isName = i > at + 1 && i < at + 15 || i > at + 15 && i < at + 22;
    await assert.rejects(check(text, golden), ({ kind }) => kind === "false-signature" || (isName && kind === "other-key"), text);
  }
});

test("a note of another list is refused", () => refused("other-list", note(state, [owner], { list: "lakes" })));

test("a key that takes over has signed, too", async () => {
  const options = { successor: heir };
  assert.equal((await check(note(state, [heir, owner], options))).successor.text, heir.key);
  assert.ok(await check(note(state, [heir, owner], options), heir));
  assert.ok(await check(note(state, [heir], options), heir));
  const head = headText(state, options);
  await refused("false-signature", note(state, [owner], options));
  await refused("false-signature", note(state, [owner, stranger], options));
  await refused("false-signature", `${head}\n${owner.lineOf(head)}${heir.line(owner.signature(head))}`);
  await refused("other-key", note(state, [heir], options));
});

// --- A replica with a key ---

const listOf = (...names) => Items.from(names.map((name) => new Item(name, "1")));
/** Versions 0 to 7 of the parks; version n has n items. */
const lists = Array.from({ length: 8 }, (_, count) => listOf(..."abcdefg".slice(0, count)));
const states = [Copy.empty.state, ...history(...lists.slice(1))];
/** Another history, from version 6 on. */
const otherLists = [...lists.slice(0, 6), listOf(..."uvwxyz"), listOf(..."tuvwxyz")];
const otherStates = [Copy.empty.state, ...history(...otherLists.slice(1))];
const plain = ({ cursor, version, count, root }) => ({ cursor, version, count, root });
const chained = (state) => ({ ...state, chain: state.chain ?? zeros });
const signed = (version, signers = [owner], options, of = states) => note(chained(of[version]), signers, options);

function changes(from, to, more = {}, [items, of] = [lists, states]) {
  const entry = ({ item: { id, content }, ...places }) => ({ id, content, ...places });
  const { removed, inserted } = diff(items[from], items[to]);
  return { format: "list-delta/1", kind: "changes", list: "parks", from: plain(of[from]), to: of[to], removed: removed.map(({ from, item }) =>
    ({ id: item.id, from })), moved: [], inserted: inserted.map(entry), updated: [], ...more };
}

function whole(version, reason, more = {}, [items, of] = [lists, states]) {
  const from = reason === "first" ? { from: Copy.empty.state } : {};
  return { format: "list-delta/1", kind: "snapshot", list: "parks", to: of[version], oldest: 1, reason, ...from,
    items: Array.from(items[version], ({ id, content }) => ({ id, content })), ...more };
}

/** A storage in memory. */
function memory(kept = null) {
  return { saves: 0, kept, async load() {
    return this.kept && JSON.parse(this.kept);
  }, async save({ state, items, signed }) {
    this.saves++;
    this.kept = JSON.stringify({ state, items: Array.from(items, ({ id, text }) => [id, text]), signed });
  } };
}

const json = (body, init) => new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" }, ...init });
const problem = (status, kind) => json({ type: `urn:listsync:problem:${kind}`, detail: kind }, { status });

async function run(replica) {
  const updates = [];
  try {
    for await (const update of replica) updates.push(update);
    return { replica, updates };
  } catch (error) {
    return { replica, updates, error };
  }
}
const quick = { watch: false, firstSeconds: 0.001, highestRetryAfterSeconds: 0.001, tries: 6, key: owner.key };

/** A replica of a server that gives one answer after the other. */
async function follow(answers, options) {
  const asked = [];
  const fetch = async (url, { headers }) => {
    asked.push({ since: Number(/(?:since|before)=(\d+)/.exec(url)[1]), tag: headers["If-None-Match"] });
    const answer = answers.shift();
    if (answer === undefined) throw new ListSyncError("over", "the script is over");
    return answer instanceof Response ? answer : json(answer);
  };
  return { asked, ...(await run(new Replica(new Server("http://lists.example", { fetch }), "parks", { ...quick, ...options }))) };
}

const delta = (from, to, of = [lists, states]) => `delta/${to - from}/${of[1][to].cursor}.json`;

/** The files of a publication with base 2 whose head is a version, and whose whole list is one. */
function files(version, note, { wholeVersion = version, of = [lists, states] } = {}) {
  const head = { format: "list-publication/1", list: "parks", head: of[1][version], oldest: 1, base: 2,
    levels: [1, 2, 4].map((length) => ({ count: Math.max(Math.floor(version / length) - 1, 0), bytes: 100 })).filter(({ count }) => count),
    whole: { ...of[1][wholeVersion], file: "whole.json", bytes: 5000 }, note };
  const made = { "head.json": head, "whole.json": whole(wholeVersion, "first", {}, of) };
  for (const length of [1, 2, 4]) {
    for (let start = length; start + length <= version; start += length) {
      made[delta(start, start + length, of)] = changes(start, start + length, {}, of);
    }
  }
  return made;
}

/** A replica of a publication. `missing` has how often a file is not there. */
async function followFiles(files, options, missing = {}) {
  const asked = [];
  const fetch = async (url) => {
    const name = url.slice("http://lists.example/parks/".length);
    asked.push(name);
    if (missing[name]-- > 0) return new Response("", { status: 404 });
    return files[name] ? json(files[name], { headers: { "Cache-Control": "max-age=1" } }) : new Response("", { status: 404 });
  };
  return { asked, ...(await run(new Replica("http://lists.example", "parks", { ...quick, fetch, ...options }))) };
}

/** A storage with the signed version 1, or another one. */
async function saved(version = 1, note = signed(version), options) {
  const storage = memory();
  const { error, replica } = await follow([whole(version, "first", { note })], { storage, ...options });
  assert.equal(error, undefined);
  assert.equal(replica.state.version, version);
  storage.saves = 0;
  return storage;
}

/** Expects that a run has ended with an error, and has kept its copy. */
function ended({ error, replica, updates }, kind, storage, version = 1) {
  assert.equal(error?.kind, kind, error?.stack);
  assert.ok(error instanceof ListSyncError);
  if (!["mismatch", "unavailable"].includes(kind)) assert.ok(error.message.includes(`(${kind})`), error.message);
  assert.equal(updates.length, 0);
  assert.equal(replica.state.version, version);
  assert.equal(storage.saves, 0);
}

const refusals = {
  unsigned: undefined, "false-signature": signed(2), "other-key": signed(3, [stranger]), "other-list": signed(3, [owner], { list: "lakes" }),
};
for (const [kind, text] of Object.entries(refusals)) {
  test(`an answer of a server is refused: ${kind}`, async () => {
    const storage = await saved();
    for (const more of kind === "unsigned" ? [false] : [false, true]) {
      const found = await follow([changes(1, 3, { note: text, more }), changes(1, 3, { note: signed(3) })], { storage });
      ended(found, kind, storage);
      assert.equal(found.asked.length, 1);
    }
    ended(await follow([whole(3, "smaller", { from: plain(states[1]), note: text })], { storage }), kind, storage);
  });

  test(`the head of a publication is refused: ${kind}`, async () => {
    const storage = await saved();
    const found = await followFiles(files(3, text), { storage });
    ended(found, kind, storage);
    assert.deepEqual(found.asked, ["head.json", delta(2, 3), delta(1, 2)]);
    // The same head, with its note.
    assert.equal((await followFiles(files(3, signed(3)), { storage })).replica.state.version, 3);
  });
}

test("a note is of the version, the root and the chain that were sent", async () => {
  const storage = await saved();
  const { version, root, chain } = states[3];
  const spoiled = chain.slice(0, -1) + (chain.endsWith("0") ? "1" : "0");
  for (const other of [{ version: 4, root, chain }, { version, root: states[2].root, chain }, { version, root, chain: spoiled }]) {
    ended(await follow([changes(1, 3, { note: note(other, [owner]) })], { storage }), "false-signature", storage);
    ended(await followFiles(files(3, note(other, [owner])), { storage }), "false-signature", storage);
  }
});

test("a note that is null is none, and one that is no text is of another form", async () => {
  const storage = await saved();
  ended(await follow([changes(1, 3, { note: null })], { storage }), "unsigned", storage);
  for (const note of [7, "", [signed(3)], true]) ended(await follow([changes(1, 3, { note })], { storage }), "false-signature", storage);
});

test("without a key, notes are ignored", async () => {
  const { updates, replica } = await follow([whole(1, "first", { note: 7, more: true }), changes(1, 3, { note: "no" })], { key: undefined });
  assert.equal(updates.length, 2);
  assert.equal(replica.copy.signed, null);
});

test("pages with a note are shown one by one", async () => {
  const storage = memory();
  const { updates } = await follow([whole(1, "first", { note: signed(1), more: true }), changes(1, 2, { note: signed(2), more: true }),
    changes(2, 3, { note: signed(3) })], { storage });
  assert.deepEqual(updates.map(({ after, reason }) => [after.state.version, reason]), [[1, "first"], [2, "changes"], [3, "changes"]]);
  assert.equal(storage.saves, 3);
  assert.deepEqual(updates[2].after.signed, { note: signed(3), given: owner.key, key: owner.key });
});

test("pages without a note are one step with the one that has it", async () => {
  const storage = await saved();
  const pages = [changes(1, 2, { more: true }), changes(2, 4, { more: true }), changes(4, 5, { note: signed(5) })];
  const { updates, asked } = await follow(pages, { storage });
  assert.deepEqual(asked.map(({ since, tag }) => [since, tag]), [1, 2, 4].map((version) => [version, `"${states[version].cursor}"`]));
  const [{ before, after, inserted, reason }] = updates;
  assert.deepEqual([updates.length, before.state.version, after.state.version, reason], [1, 1, 5, "changes"]);
  assert.deepEqual(inserted.map(({ to }) => to), [1, 2, 3, 4]);
  assert.equal(storage.saves, 1);
});

test("changes have no reason of their own", async () => {
  const { updates } = await follow([changes(1, 2, { note: signed(2), reason: "diverged" })], { storage: await saved() });
  assert.deepEqual(updates.map(({ reason }) => reason), ["changes"]);
});

test("the reason of a held step is that of its first answer", async () => {
  const cases = {
    first: [[whole(1, "first", { more: true })], memory()],
    "too-old": [[whole(2, "too-old", { more: true })], await saved()],
    smaller: [[whole(2, "smaller", { more: true, from: plain(states[1]) })], await saved()],
    mismatch: [["{", whole(2, "first", { more: true })], await saved()],
  };
  cases.changes = [[changes(1, 2, { more: true })], await saved()];
  for (const [reason, [answers, storage]] of Object.entries(cases)) {
    const last = changes(reason === "first" ? 1 : 2, 4, { note: signed(4) });
    const { updates, error } = await follow([...answers, last], { storage });
    assert.equal(error, undefined, error?.stack);
    assert.deepEqual(updates.map((update) => [update.reason, update.inserted.length]), [[reason, reason === "first" ? 4 : 3]]);
  }
});

test("a state that is held back, and has no more, is unsigned", async () => {
  const storage = await saved();
  ended(await follow([changes(1, 2, { more: true }), new Response(null, { status: 304 })], { storage }), "unsigned", storage);
  ended(await follow([changes(1, 2, { more: true }), changes(2, 2)], { storage }), "unsigned", storage);
  const { replica } = await follow([changes(1, 2, { more: true }), changes(2, 2, { note: signed(2) })], { storage });
  assert.equal(replica.state.version, 2);
});

test("a loop after an error begins with the saved copy", async () => {
  const answers = [changes(1, 2, { more: true }), new Response(null, { status: 304 }), changes(1, 3, { note: signed(3) })];
  const { asked, replica, error } = await follow(answers, { storage: await saved() });
  assert.equal(error.kind, "unsigned");
  assert.deepEqual((await run(replica)).updates.map(({ after }) => after.state.version), [3]);
  assert.deepEqual(asked.map(({ since }) => since), [1, 2, 1]);
});

test("where nothing is new, 304 needs no note, and another answer does", async () => {
  const storage = await saved();
  assert.equal((await follow([new Response(null, { status: 304 })], { storage })).error, undefined);
  assert.equal((await follow([changes(1, 1, { note: signed(1) })], { storage })).error, undefined);
  assert.equal(storage.saves, 0);
  ended(await follow([changes(1, 1)], { storage }), "unsigned", storage);
  ended(await followFiles(files(1), { storage }), "unsigned", storage);
  ended(await followFiles(files(1, signed(1, [stranger])), { storage }), "other-key", storage);
  assert.equal((await followFiles(files(1, signed(1)), { storage })).error, undefined);
});

test("the empty list of version 0 needs a note, too", async () => {
  const storage = memory();
  for (const answer of [new Response(null, { status: 304 }), changes(0, 0)]) {
    ended(await follow([answer], { storage }), "unsigned", storage, 0);
  }
  const { replica } = await follow([changes(0, 0, { note: signed(0) })], { storage });
  assert.equal(replica.copy.signed.note, signed(0));
  assert.equal((await follow([new Response(null, { status: 304 })], { storage })).error, undefined);
});

test("pages without a change do not go on for ever while they are held back", async () => {
  const storage = await saved();
  const same = Array.from({ length: 140 }, () => lists[1]);
  const empty = history(...same);
  const pages = same.slice(1, 110).map((_, i) => changes(i + 1, i + 2, { more: true }, [[null, ...same], [null, ...empty]]));
  const found = await follow(pages, { storage, tries: 1 });
  assert.deepEqual(found.asked.map(({ since }) => since), [...Array.from({ length: 101 }, (_, i) => i + 1), 0]);
  ended(found, "unavailable", storage);
});

test("the way through a publication is one step", async () => {
  const storage = await saved();
  const { updates, asked, replica } = await followFiles(files(7, signed(7)), { storage });
  assert.deepEqual(asked, ["head.json", delta(6, 7), delta(4, 6), delta(2, 4), delta(1, 2)]);
  assert.deepEqual(updates.map(({ before, after, reason }) => [before.state.version, after.state.version, reason]), [[1, 7, "changes"]]);
  assert.equal(storage.saves, 1);
  assert.deepEqual(Array.from(replica.items, ({ id }) => id), [..."abcdefg"]);
  const first = await followFiles(files(7, signed(7), { wholeVersion: 4 }));
  assert.deepEqual(first.asked, ["head.json", "whole.json", delta(6, 7), delta(4, 6)]);
  assert.deepEqual(first.updates.map(({ after, reason }) => [after.state.version, reason]), [[7, "first"]]);
});

test("nothing of a publication is shown before its note was verified", async () => {
  const storage = await saved();
  const spoiled = files(7, signed(7));
  spoiled[delta(6, 7)].inserted[0].content = 2;
  spoiled["whole.json"].items[0].content = 2;
  const found = await followFiles(spoiled, { storage });
  ended(found, "mismatch", storage);
  assert.deepEqual(found.asked.slice(-3), [delta(1, 2), "head.json", "whole.json"]);
  const forged = files(7, signed(7).replace("a", "b"));
  ended(await followFiles(forged, { storage }), "false-signature", storage);
  ended(await followFiles(forged, { storage: Object.assign(memory()) }), "false-signature", { saves: 0 }, 0);
});

test("after damage, the whole list replaces what was held back", async () => {
  const storage = await saved();
  const spoiled = files(7, signed(7));
  spoiled[delta(6, 7)].inserted[0].content = 2;
  const { updates } = await followFiles(spoiled, { storage });
  assert.deepEqual(updates.map(({ before, after, reason, inserted }) => [before.state.version, after.state.version, reason, inserted.length]),
    [[1, 7, "mismatch", 6]]);
});

test("after a temporary failure, the replica goes on from what is held back", async () => {
  const { updates, asked } = await followFiles(files(7, signed(7), { wholeVersion: 4 }), {}, { [delta(4, 6)]: 2 });
  // What has come of the way is not asked for again.
  assert.deepEqual(asked, ["head.json", "whole.json", delta(6, 7), ...Array(2).fill([delta(4, 6), "head.json"]).flat(), delta(4, 6)]);
  assert.deepEqual(updates.map(({ after, reason }) => [after.state.version, reason]), [[7, "first"]]);
  const answers = [changes(1, 2, { more: true }), new Response("", { status: 503 }), changes(2, 3, { note: signed(3) })];
  const server = await follow(answers, { storage: await saved() });
  assert.deepEqual(server.asked.map(({ since }) => since), [1, 2, 2]);
  assert.equal(server.replica.state.version, 3);
});

test("a head that comes to be what is held back counts for it", async () => {
  const newer = files(7, signed(7), { wholeVersion: 6 });
  const older = files(6, signed(6));
  let isOlder = false;
  const answer = (name) => (name === delta(6, 7) ? ((isOlder = true), undefined) : name === "head.json" && isOlder ? older[name] : newer[name]);
  const { updates } = await followFiles(new Proxy({}, { get: (_, name) => answer(name) }));
  assert.deepEqual(updates.map(({ after, reason }) => [after.state.version, reason]), [[6, "first"]]);
});

test("a copy that was saved without a key is not shown, and the whole list is asked for", async () => {
  const storage = await saved(7, undefined, { key: undefined });
  const kept = storage.kept;
  const asleep = new Replica("http://lists.example", "parks", { ...quick, storage });
  await asleep.start();
  assert.equal(asleep.state.version, 0);
  const bad = await follow([whole(3, "first", { note: signed(3, [stranger]) })], { storage });
  ended(bad, "other-key", storage, 0);
  assert.equal(storage.kept, kept);
  // Rules 5 to 7 do not hold: the version may be lower.
  const { asked, updates, replica } = await follow([whole(3, "first", { note: signed(3) })], { storage });
  assert.deepEqual(asked, [{ since: 0, tag: `"${states[0].cursor}"` }]);
  assert.deepEqual(updates.map(({ reason }) => reason), ["first"]);
  assert.equal(replica.state.version, 3);
  assert.equal((await follow([new Response(null, { status: 304 })], { storage })).replica.state.version, 3);
});

test("a saved copy whose note does not fit it, or is of another key, is not trusted", async () => {
  const storage = await saved(3);
  for (const change of [(copy) => (copy.signed.note = signed(2)), (copy) => (copy.signed.note = signed(3, [stranger])), (copy) => delete copy.signed,
    (copy) => (copy.signed = null), (copy) => (copy.signed = 7), (copy) => (copy.state.cursor = `3-${"0".repeat(32)}`)]) {
    const copy = JSON.parse(storage.kept);
    change(copy);
    const replica = new Replica("http://lists.example", "parks", { ...quick, storage: memory(JSON.stringify(copy)) });
    await replica.start();
    assert.equal(replica.state.version, 0);
  }
  const other = new Replica("http://lists.example", "parks", { ...quick, storage, key: stranger.key });
  await other.start();
  assert.equal(other.state.version, 0);
});

test("a lower version is refused, also after starting over", async () => {
  const storage = await saved(6);
  for (const answers of [[problem(409, "diverged"), whole(5, "first", { note: signed(5) })], [whole(5, "diverged", { note: signed(5) })],
    ["{", whole(5, "first", { note: signed(5) })], [problem(404, "no-such-version"), changes(0, 0, { note: signed(0) })]]) {
    ended(await follow(answers, { storage }), "older", storage, 6);
  }
  const found = await followFiles(files(5, signed(5)), { storage });
  ended(found, "older", storage, 6);
  assert.deepEqual(found.asked, ["head.json", "head.json", "head.json", "head.json", "whole.json"]);
});

test("a lower version is refused, also by a loop that begins while the saved copy is loaded", async () => {
  const storage = await saved(6);
  const load = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return JSON.parse(storage.kept);
  };
  const server = new Server("http://lists.example", { fetch: async () => json(whole(5, "diverged", { note: signed(5) })) });
  const replica = new Replica(server, "parks", { ...quick, storage: { load, save: storage.save.bind(storage) } });
  const started = replica.start();
  ended(await run(replica), "older", storage, 6);
  assert.equal(await started, replica);
});

test("two signed histories of a version are a fork, and the error has both notes", async () => {
  const storage = await saved(6);
  const [mine, other] = [signed(6), signed(6, [owner], {}, otherStates)];
  const lie = whole(6, "diverged", { note: other }, [otherLists, otherStates]);
  const again = { ...lie, reason: "first", from: Copy.empty.state };
  for (const found of [await follow([lie], { storage }), await follow([problem(409, "diverged"), again], { storage }),
    await followFiles(files(6, other, { of: [otherLists, otherStates] }), { storage })]) {
    ended(found, "forked", storage, 6);
    assert.deepEqual(found.error.notes, [mine, other]);
  }
});

test("a later version of another history is rewritten", async () => {
  const storage = await saved(6);
  const lie = whole(7, "diverged", { note: signed(7, [owner], {}, otherStates) }, [otherLists, otherStates]);
  ended(await follow([lie], { storage }), "rewritten", storage, 6);
  ended(await follow([problem(409, "diverged"), { ...lie, reason: "first", from: Copy.empty.state }], { storage }), "rewritten", storage, 6);
  // The version of the copy's own note is of its history.
  assert.equal((await follow([problem(409, "diverged"), whole(6, "first", { note: signed(6) })], { storage })).error, undefined);
  const { updates } = await follow([whole(7, "too-old", { note: signed(7) })], { storage });
  assert.deepEqual(updates.map(({ reason }) => reason), ["too-old"]);
});

test("another history of what is held back is none of the copy", async () => {
  const storage = await saved(5);
  const { updates } = await follow([changes(5, 6, { more: true }), problem(409, "diverged"),
    whole(7, "first", { note: signed(7, [owner], {}, otherStates) }, [otherLists, otherStates])], { storage });
  assert.deepEqual(updates.map(({ before, after, reason }) => [before.state.version, after.state.version, reason]), [[5, 7, "mismatch"]]);
});

const both = [owner, heir];
const successor = { successor: heir };

test("a replaced key: the replica trusts the new one alone from then on", async () => {
  const storage = await saved(1);
  const pages = [changes(1, 2, { note: signed(2, both, successor), more: true }), changes(2, 3, { note: signed(3, [heir]) })];
  const { replica } = await follow(pages, { storage });
  assert.deepEqual(replica.copy.signed, { note: signed(3, [heir]), given: owner.key, key: heir.key });
  storage.saves = 0;
  ended(await follow([changes(3, 4, { note: signed(4) })], { storage }), "other-key", storage, 3);
  ended(await follow([changes(3, 4, { note: signed(4) })], { storage, key: heir.key }), "other-key", storage, 3);
  for (const key of [owner.key, heir.key]) {
    const kept = memory(storage.kept);
    const { replica } = await follow([changes(3, 4, { note: signed(4, [heir]) })], { storage: kept, key });
    assert.deepEqual(replica.copy.signed, { note: signed(4, [heir]), given: key, key: heir.key });
  }
  const never = memory();
  ended(await follow([whole(4, "first", { note: signed(4, [heir]) })], { storage: never }), "other-key", never, 0);
  assert.equal((await follow([whole(4, "first", { note: signed(4, [heir]) })], { key: heir.key })).replica.state.version, 4);
  assert.equal((await follow([whole(2, "first", { note: signed(2, both, successor) })], { key: heir.key })).replica.state.version, 2);
});

test("a key that takes over without having signed is refused", async () => {
  const storage = await saved(1);
  ended(await follow([changes(1, 2, { note: signed(2, [owner], successor) })], { storage }), "false-signature", storage);
  ended(await follow([changes(1, 2, { note: signed(2, [heir], successor) })], { storage }), "other-key", storage);
  assert.equal((await follow([changes(1, 2, { note: signed(2) })], { storage })).replica.state.version, 2);
});

test("a key is also replaced where nothing is new", async () => {
  const storage = await saved(1);
  const { updates } = await followFiles(files(1, signed(1, both, successor)), { storage });
  assert.deepEqual([updates.length, storage.saves, JSON.parse(storage.kept).signed.key], [0, 1, heir.key]);
  storage.saves = 0;
  ended(await follow([changes(1, 2, { note: signed(2) })], { storage }), "other-key", storage);
});

test("the new key stays where the saved copy is damaged", async () => {
  const storage = await saved(1, signed(1, both, successor));
  storage.kept = storage.kept.replace('"a","1"', '"a","2"');
  ended(await follow([whole(3, "first", { note: signed(3) })], { storage }), "other-key", storage, 0);
  assert.equal((await follow([whole(3, "first", { note: signed(3, [heir]) })], { storage })).replica.state.version, 3);
});

test("headers prove each step of what is held back", async () => {
  const storage = await saved(1);
  const answers = () => [changes(1, 3, { more: true }), [states[3], states[2]], changes(3, 5, { note: signed(5) }), [states[5], states[4]]];
  const { updates, asked } = await follow(answers(), { storage: memory(storage.kept), prove: true });
  assert.deepEqual([updates.length, asked.map(({ since }) => since)], [1, [1, 4, 3, 6]]);
  const lies = answers();
  lies[3] = [otherStates[7], otherStates[6]];
  const { error } = await follow(lies, { storage, prove: true });
  assert.equal(error.kind, "rewritten");
  assert.equal(storage.saves, 0);
});

test("a text that is no key, and a platform without signatures, end the replica before its first request", async () => {
  for (const key of ["", "lists.example", owner.key.slice(1), 7]) assert.equal((await follow([], { key })).error.kind, "malformed");
  const { crypto } = globalThis;
  const importKey = () => Promise.reject(Object.assign(new Error("no"), { name: "NotSupportedError" }));
  for (const none of [undefined, {}, { subtle: { importKey } }]) {
    Object.defineProperty(globalThis, "crypto", { value: none, configurable: true });
    try {
      const replica = new Replica("http://lists.example", "parks", { ...quick, fetch: () => assert.fail("it asks") });
      for (let i = 0; i < 2; i++) {
        const { error } = await run(replica);
        assert.equal(error.kind, "unsupported");
        assert.match(error.message, /secure context.*newer/);
      }
    } finally {
      Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
    }
  }
});

test("a server cannot claim a kind of these errors", async () => {
  for (const kind of ["unsigned", "false-signature", "other-key", "other-list", "older", "forked", "unsupported"]) {
    assert.equal((await follow([problem(400, kind)])).error.kind, "refused");
  }
});
