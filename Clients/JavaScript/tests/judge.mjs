// Judges proofs and notes, as Clients/Python/tests/judge.py does: judge.mjs FILE
import { readFileSync } from "node:fs";
import { ListSyncError } from "../listsync.js";
import { checkProof } from "../proofs.js";
import { checkNote, readKey } from "../signatures.js";

/** The error's word. Another error than one of the client ends the program. */
const refusal = (error, word) => {
  if (error instanceof ListSyncError) return word;
  throw error;
};

function judgeProof({ proof, cursor }) {
  try {
    const { list, item, index, count, header } = checkProof(proof, cursor);
    return `${list} ${item.id} ${item.text} ${index} ${count} ${header.cursor} ${header.committed_at}`;
  } catch (error) {
    return refusal(error, "refused");
  }
}

async function judgeNote({ note, key, list }) {
  const trusted = readKey(key);
  if (!trusted) return "malformed";
  try {
    const { version, root, chain, successor } = await checkNote(note, trusted, list);
    return `${version} ${root} ${chain} ${successor?.text ?? "None"}`;
  } catch (error) {
    return refusal(error, error.kind);
  }
}

const found = [];
for (const one of JSON.parse(readFileSync(process.argv[2], "utf8"))) found.push("proof" in one ? judgeProof(one) : await judgeNote(one));
console.log(JSON.stringify(found));
