// Follows a list, as Tests/Conformance/README.md asks of a client:
// follow.mjs URL LIST --copy FILE --json [--prove] [--key KEY] [--until VERSION [--watch]]
// Without arguments, it reads those of each run as a line of JSON, and answers each with a line: exit code, output, errors.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Replica } from "../listsync.js";

async function follow(args) {
  const { values, positionals: [address, list] } = parseArgs({
    args, allowPositionals: true, options: { copy: { type: "string" }, json: { type: "boolean" }, until: { type: "string" },
      watch: { type: "boolean" }, prove: { type: "boolean" }, key: { type: "string" } },
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
    return [0, `${JSON.stringify({ ...replica.state, ids: Array.from(replica.items, ({ id }) => id) })}\n`, ""];
  } catch (error) {
    return [1, "", `follow: ${error.message}\n`];
  }
}

if (process.argv.length > 2) {
  const [code, output, errors] = await follow(process.argv.slice(2));
  process.stdout.write(output);
  process.stderr.write(errors);
  process.exitCode = code;
} else {
  for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await follow(JSON.parse(line))));
}
