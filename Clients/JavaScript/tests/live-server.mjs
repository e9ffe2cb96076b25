// A store in a folder of its own, with the built listsync and listsyncd.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const build = process.env.LISTSYNC_BUILD ?? fileURLToPath(new URL("../../../.build/debug", import.meta.url));

/** A free port that the system gives to nobody who asks for any: a client meets no other server there after a restart. */
async function freePort() {
  const port = 20_000 + Math.floor(12_768 * Math.random());
  const server = createServer();
  const isFree = await new Promise((resolve) => server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true)));
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class LiveServer {
  folder = mkdtempSync(join(tmpdir(), "listsync-js-"));
  file = join(this.folder, "store.db");

  listsync(args, input) {
    return execFileSync(join(build, "listsync"), [...args, "--store", this.file], { input, encoding: "utf8" });
  }

  /** Commits contents as another process does, and returns the new cursor. */
  commit(list, contents, ...args) {
    const answer = this.listsync(["commit", list, "-", "--json", ...args], JSON.stringify(contents));
    return JSON.parse(answer).head.cursor;
  }

  /** Waits until the server shows what the store has: it looks every 50 ms whether another process has changed it. */
  async settled() {
    const states = (lists) => JSON.stringify(lists.map(({ list, head, oldest }) => [list, head.cursor, oldest]));
    const shown = async () => states((await (await fetch(`${this.url}/v1/lists`)).json()).lists);
    while (await shown() !== states(JSON.parse(this.listsync(["lists", "--json"])))) await pause(20);
  }

  async start() {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.process = spawn(join(build, "listsyncd"), ["--store", this.file, "--port", String(this.port)], { stdio: "ignore" });
    for (let tries = 0; tries < 400; tries++) {
      const isReady = await fetch(`${this.url}/readyz`).then((answer) => answer.ok, () => false);
      if (isReady) return this;
      await pause(50);
    }
    throw new Error("listsyncd does not start");
  }

  async stop() {
    if (!this.process) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGTERM");
    await ended;
    this.process = null;
  }

  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
