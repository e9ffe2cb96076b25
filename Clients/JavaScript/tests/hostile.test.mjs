// What a server may send: bodies without an end, slow ones, damaged ones, events that are none.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { Copy, Item, ListSyncError, readBundle, Replica, Server } from "../listsync.js";
import { checkProof } from "../proofs.js";
import { provenState } from "./histories.mjs";

const kilobyte = Buffer.alloc(1024, 0x20);
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** A server that calls `answer(socket, target)` for each request, and ends the connection after it. */
async function serving(answer, use) {
  const sockets = new Set();
  const paths = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.once("data", async (data) => {
      const path = String(data).split(" ")[1];
      paths.push(path);
      await answer(socket, path, paths.length);
      socket.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}`, paths, sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

const head = (status, ...headers) => ["HTTP/1.1 " + status, "Connection: close", ...headers, "", ""].join("\r\n");

/** Sends pieces until the client leaves. */
async function forever(socket, piece, seconds = 0) {
  while (!socket.destroyed && socket.writable) {
    if (!socket.write(piece)) await new Promise((resolve) => (socket.once("drain", resolve), socket.once("close", resolve)));
    await pause(seconds);
  }
}

const empty = Copy.empty.state;
const nothing = JSON.stringify({ format: "list-delta/1", kind: "changes", list: "parks", from: empty, to: empty,
  removed: [], moved: [], inserted: [], updated: [] });

function respond(socket, body, status = "200 OK", ...headers) {
  socket.write(head(status, "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`, ...headers));
  socket.write(body);
}

async function failure(url, options) {
  const replica = new Replica(url, "parks", { watch: false, tries: 1, ...options });
  try {
    for await (const update of replica) assert.fail(JSON.stringify(update));
  } catch (error) {
    return error;
  }
}

test("an answer without an end is refused at the byte limit", async () => {
  const heads = { plain: head("200 OK", "Content-Type: application/json"), long: head("200 OK", "Content-Length: 9007199254740991") };
  for (const start of Object.values(heads)) {
    await serving(async (socket) => (socket.write(start), forever(socket, kilobyte)), async (url, paths) => {
      const error = await failure(url, { byteLimit: 100_000 });
      assert.deepEqual([error.name, error.kind, paths.length], ["ListSyncError", "too-long", 1]);
    });
  }
});

test("the byte limit counts the bytes after unpacking", async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000, 0x20));
  const answer = (socket) => respond(socket, bomb, "200 OK", "Content-Encoding: gzip");
  await serving(answer, async (url) => assert.equal((await failure(url, { byteLimit: 9_000_000 })).kind, "too-long"));
});

test("a problem without an end keeps its status, and has no members", async () => {
  for (const [status, kind] of [["404 Not Found", "refused"], ["503 Unavailable", "unavailable"]]) {
    const start = head(status, "Content-Type: application/problem+json");
    await serving(async (socket) => (socket.write(start), forever(socket, kilobyte)), async (url) => {
      const error = await failure(url);
      assert.deepEqual([error.kind, error.status, error.problem], [kind, Number.parseInt(status), {}]);
    });
  }
});

test("a redirection is not followed, and its error names the new address", async () => {
  const answer = (socket) => respond(socket, "", "301 Moved Permanently", "Location: https://b.example/lists");
  await serving(answer, async (url) => {
    const error = await failure(url);
    assert.deepEqual([error.kind, error.message], ["refused", "it has moved to https://b.example/lists"]);
  });
});

test("an answer has a time between its pieces and a time in all", async () => {
  const start = head("200 OK", "Content-Type: application/json");
  const cases = [[["", 0.05], { totalSeconds: 0.4 }, /0.4 s/], [[start, 0.05], { totalSeconds: 0.4 }, /0.4 s/],
    [["", 2], { idleSeconds: 0.3 }, /0.3 s/], [[start, 2], { idleSeconds: 0.3 }, /0.3 s/]];
  for (const [[text, seconds], options, words] of cases) {
    const answer = (socket) => (socket.write(text), forever(socket, text ? " " : "", seconds));
    await serving(answer, async (url) => {
      const error = await failure(url, options);
      assert.deepEqual([error.name, error.kind], ["ListSyncError", "unavailable"]);
      assert.match(error.message, words);
    });
  }
});

test("a time without a limit, and one that no timer can hold, do not end a request", async () => {
  const answer = async (socket) => {
    await pause(0.05);
    respond(socket, '{"outcome":"committed"}');
  };
  await serving(answer, async (url) => {
    for (const options of [{ totalSeconds: Infinity }, { idleSeconds: Infinity }, { totalSeconds: 3e6 }, { idleSeconds: 3e6 }]) {
      assert.deepEqual(await new Server(url, options).commit("parks", []), { outcome: "committed" }, JSON.stringify(options));
    }
  });
});

test("a pause that no timer can hold does not end at once", async () => {
  const asked = [];
  const fetch = async () => {
    asked.push(Date.now());
    return new Response("", { status: 503, headers: { "Retry-After": "999999999" } });
  };
  const server = new Server("http://lists.example", { fetch });
  const replica = new Replica(server, "parks", { firstSeconds: 0.001, highestRetryAfterSeconds: Infinity });
  setTimeout(() => replica.stop(), 200);
  await drained(replica);
  assert.equal(asked.length, 1);
});

test("problems that are no objects do not change what a status means", async () => {
  const bodies = ["null", "[]", "7", '"x"', "{", "", '{"type":7,"detail":{}}', "[".repeat(5000), "\ud800", "{}",
    '{"type":"urn:listsync:problem:unavailable"}', '{"type":"urn:listsync:problem:mismatch"}',
    '{"type":"urn:listsync:problem:too-old"}', '{"type":"too-old"}'];
  for (const body of bodies) {
    await serving((socket) => respond(socket, body, "404 Not Found"), async (url, paths) => {
      const error = await failure(url, { tries: 3, firstSeconds: 0.001 });
      const asked = paths.filter((path) => !path.endsWith("/head.json"));
      assert.deepEqual([error.name, error.status, asked.length], ["ListSyncError", 404, 1], body);
    });
  }
});

/** Events that are none, and heads that are not whole. */
const oddEvents = ["data: null", "data: 7", "data: []", "data: {", "data: ", "data", "data: {}", 'data: {"list":"parks"}',
  'data: {"list":"parks","cursor":7,"count":0,"root":""}', "data: " + "[".repeat(50_000), "data: " + '{"a":'.repeat(9000),
  `data: {"list":"parks","cursor":"${"9".repeat(5000)}-${"0".repeat(32)}"}`, "data: \u0000", "data: NaN", "event: head\ndata: x", "id: \ud800"];

test("a replica that watches events survives events that are none", async () => {
  for (const event of [...oddEvents, null]) {
    const answer = async (socket, path) => {
      if (!path.includes("/events")) return respond(socket, nothing);
      socket.write(head("200 OK", "Content-Type: text/event-stream"));
      if (event === null) return socket.destroy();
      socket.write(Buffer.concat([Buffer.from(`${event}\n\n`), Buffer.from([0xff, 0xfe, 0x0a])]));
    };
    await serving(answer, async (url, paths) => {
      const replica = new Replica(url, "parks", { watch: "events", firstSeconds: 0.001 });
      const ended = (async () => {
        for await (const update of replica) assert.fail(JSON.stringify(update));
      })();
      for (let n = 0; n < 3000 && !paths.some((path) => path.includes("wait=")); n++) await Promise.race([ended, pause(0.02)]);
      replica.stop();
      await ended;
      assert.ok(paths.some((path) => path.includes("wait=")), `after ${event?.slice(0, 40)} a request is held`);
    });
  }
});

test("a line of events has a bound", async () => {
  const answer = async (socket) => {
    socket.write(head("200 OK", "Content-Type: text/event-stream"));
    await forever(socket, kilobyte);
  };
  await serving(answer, async (url) => {
    await assert.rejects(new Server(url).heads("parks").next(), { name: "ListSyncError", kind: "malformed" });
  });
});

test("a replica that watches events goes on after its server was killed", async () => {
  let isDead = false;
  const answer = async (socket, path) => {
    if (isDead) return socket.destroy();
    if (!path.includes("/events")) return respond(socket, nothing);
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n: alive\n\r\n");
    await pause(0.2);
    isDead = true;
    socket.destroy();
  };
  await serving(answer, async (url, paths) => {
    const errors = [];
    const onStatus = ({ error }) => error && errors.push(error);
    const replica = new Replica(url, "parks", { watch: "events", firstSeconds: 0.001, highestSeconds: 0.01, onStatus });
    const ended = (async () => {
      for await (const update of replica) assert.fail(JSON.stringify(update));
    })();
    while (errors.length < 5) await Promise.race([ended, pause(0.02)]);
    isDead = false;
    const count = paths.length;
    while (!paths.slice(count).some((path) => path.includes("/events"))) await Promise.race([ended, pause(0.02)]);
    replica.stop();
    await ended;
    assert.ok(errors.every((error) => error instanceof ListSyncError && error.kind === "unavailable"));
  });
});

/** Texts near to a sound one: each byte spoiled in turn, and parts left out or doubled. */
function* mutations(text, seed) {
  const random = (end) => (seed = (seed * 48271) % 2147483647) % end;
  const pieces = ["null", "{}", "[]", "-1", "1e400", '""', "01", '"\\ud800"', "{", "[[", "9".repeat(400), '"__proto__":{},', "\u0000", "\ufeff", "true"];
  for (let n = 0; n < 1000; n++) {
    const [from, count, piece] = [random(text.length), random(4) ? random(3) : random(60), pieces[random(pieces.length)]];
    yield text.slice(0, from) + (random(3) ? piece : "") + text.slice(from + count);
  }
}

test("an answer with a spoiled head is refused with an error of the client", async () => {
  const type = "Content-Type: application/json";
  const answers = [head("200 OK", type, `Content-Length: ${nothing.length}`) + nothing, head("304 Not Modified", `ETag: "${empty.cursor}"`),
    head("200 OK", type, "Transfer-Encoding: chunked") + `${nothing.length.toString(16)}\r\n${nothing}\r\n0\r\nA: b\r\n\r\n`,
    head("503 Busy", "Retry-After: 1", "Content-Length: 2") + "{}"];
  const pieces = ["", "\xff", "\0", "\r\n", "\n", "-1", "9".repeat(20), ":", " ", "gzip", ";", "0x10", "Content-Encoding: gzip\r\n"];
  let seed = 11;
  const random = (end) => (seed = (seed * 48271) % 2147483647) % end;
  let text;
  await serving((socket) => void socket.write(Buffer.from(text, "latin1")), async (url) => {
    for (let n = 0; n < 500; n++) {
      const sound = answers[random(answers.length)];
      const at = random(120);
      text = sound.slice(0, at) + pieces[random(pieces.length)] + sound.slice(at + [0, 1, 3, 20][random(4)]);
      const replica = new Replica(url, "parks", { watch: false, tries: 1, idleSeconds: 0.5 });
      await drained(replica).catch((error) => assert.ok(error instanceof ListSyncError, `${error.stack} at ${JSON.stringify(text)}`));
    }
  });
});

test("a large unknown member is checked, and makes no values", () => {
  const member = `"x":[${"[],".repeat(3_000_000)}[]]`;
  const before = process.memoryUsage().heapUsed;
  const { after } = Copy.empty.reading(nothing.replace('"removed"', `${member},"removed"`));
  assert.equal(after.state.version, 0);
  assert.ok(process.memoryUsage().heapUsed - before < 60_000_000);
  assert.throws(() => Copy.empty.reading(nothing.replace('"removed"', `${member.slice(0, -1)}01],"removed"`)), { kind: "malformed" });
});

test("a header may have a long message, and an object with many values is none", () => {
  for (const message of ["x".repeat(200_000), '\\"\n'.repeat(1_000_000), '","'.repeat(100_000)]) {
    const to = provenState(1, [], { message });
    const { after } = Copy.empty.reading(JSON.stringify({ ...JSON.parse(nothing), to }));
    assert.equal(after.state.cursor, to.cursor);
  }
  const to = { ...provenState(1, []), x: Array(70_000).fill("") };
  assert.throws(() => Copy.empty.reading(JSON.stringify({ ...JSON.parse(nothing), to })), { kind: "malformed" });
});

test("every damaged document, event, problem and bundle is refused with an error of the client", async () => {
  const item = (id, more = "") => `{"id":"${id}","to":0,"content":{"id":"${id}","n":1${more}}}`;
  const delta = nothing.replace('"inserted":[]', `"inserted":[${item("a")}]`).replace('"moved":[]', '"moved":[{"id":"a","from":0,"to":1}]');
  const whole = JSON.stringify({ format: "list-delta/1", kind: "snapshot", list: "parks", to: empty, oldest: 1, reason: "first", items: [] });
  const { previous, ...state } = provenState(1, [new Item("a", "1")]);
  const to = { ...state, previous };
  const record = { format: "list-delta/1", kind: "changes", from: Copy.empty.state, to, removed: [], moved: [],
    inserted: [{ id: "a", to: 0, content: 1 }], updated: [] };
  const header = { format: "list-bundle/1", list: "parks", kind: "full", id_rule: null, from: Copy.empty.state, to };
  const bundle = `${JSON.stringify(header)}\n${JSON.stringify(record)}\n{"lines":2,"sha256":""}\n`;
  const isOwn = (error) => error instanceof ListSyncError;
  const check = (text, read) => {
    try {
      read(text);
    } catch (error) {
      if (!isOwn(error)) throw new Error(`${error.name} at ${JSON.stringify(text)}`, { cause: error });
    }
  };
  const proven = delta.replace('"to":{"cursor"', `"to":${JSON.stringify({ ...state, previous })},"x":{"cursor"`);
  for (const text of [delta, whole, proven]) for (const one of mutations(text, 7)) check(one, (text) => Copy.empty.reading(text));
  for (const one of mutations(bundle, 8)) check(one, (text) => [...readBundle(text)]);
  const group = { count: 1, position: 0, hashes: [state.root] };
  const proof = JSON.stringify({ format: "list-proof/1", list: "parks", item: { id: "a", index: 0, content: 1 },
    path: [group, { ...group, before: [] }, { ...group, after: [] }], headers: [{ ...state, previous }] });
  for (const one of mutations(proof, 10)) check(one, (text) => checkProof(text, state.cursor));
  const answers = [["application/json", 200, delta],
    ["application/problem+json", 410, '{"type":"urn:listsync:problem:too-old","title":"Too old","status":410,"oldest":4}'],
    ["text/event-stream", 200, `event: head\ndata: ${JSON.stringify({ list: "parks", ...empty, oldest: 1 })}\n\n`]];
  for (const [type, status, text] of answers) {
    for (const one of [...mutations(text, 9)].slice(0, 400)) {
      const fetch = async () => new Response(one, { status, headers: { "Content-Type": type } });
      const server = new Server("http://lists.example", { fetch });
      const values = type === "text/event-stream" ? server.heads("parks") : new Replica(server, "parks", { watch: false, tries: 1 });
      await drained(values).catch((error) => assert.ok(isOwn(error), `${error.stack} at ${JSON.stringify(one)}`));
    }
  }
});

async function drained(values) {
  for await (const value of values) void value;
}
