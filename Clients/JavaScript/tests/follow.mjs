// Follows a list, as Tests/Conformance/README.md asks of a client:
// follow.mjs URL LIST --copy FILE --json [--prove] [--key KEY] [--until VERSION [--watch]]
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Replica } from "../listsync.js";

const { values, positionals: [address, list] } = parseArgs({
  allowPositionals: true, options: { copy: { type: "string" }, json: { type: "boolean" }, until: { type: "string" }, watch: { type: "boolean" },
    prove: { type: "boolean" }, key: { type: "string" } },
});
const storage = {
  async load() {
    try {
      return JSON.parse(readFileSync(values.copy, "utf8"));
    } catch (error) {
      if (error.code === "ENOENT" || error instanceof SyntaxError) return null;
      throw error;
    }
  },
  async save({ state, items, signed }) {
    writeFileSync(`${values.copy}.new`, JSON.stringify({ state, items: Array.from(items, ({ id, text }) => [id, text]), signed }));
    renameSync(`${values.copy}.new`, values.copy);
  },
};
const watch = values.watch ? "events" : values.until ? "poll" : false;
const { prove, key } = values;
const replica = new Replica(address, list, { storage, watch, prove, key, tries: 4, token: process.env.LISTSYNC_TOKEN });
try {
  await replica.start();
  if (!(replica.state.version >= Number(values.until))) {
    for await (const update of replica) if (update.after.state.version >= Number(values.until)) break;
  }
  console.log(JSON.stringify({ ...replica.state, ids: Array.from(replica.items, ({ id }) => id) }));
} catch (error) {
  console.error(`follow: ${error.message}`);
  process.exitCode = 1;
}
