// Keys and signed notes (P51), made by Node's own cryptography, and the files of a publication, for tests.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const derHead = Buffer.from("302e020100300506032b657004220420", "hex");
const labelOf = (name, point, type = 1) => sha256(name, "\n", Buffer.of(type), point).subarray(0, 4);

/** The text of a key: of its name, and the 32 bytes of a point. */
export const keyText = (name, point, type = 1) =>
  `${name}+${labelOf(name, point, type).toString("hex")}+${Buffer.concat([Buffer.of(type), point]).toString("base64")}`;

/** Somebody who signs: a key, made of the digest of its name. */
export function signer(name, seed = name) {
  const secret = createPrivateKey({ key: Buffer.concat([derHead, sha256(seed)]), format: "der", type: "pkcs8" });
  const point = createPublicKey(secret).export({ format: "der", type: "spki" }).subarray(-32);
  const id = labelOf(name, point);
  const line = (signature) => `— ${name} ${Buffer.concat([id, signature]).toString("base64")}\n`;
  const signature = (text) => sign(null, Buffer.from(text), secret);
  return { key: keyText(name, point), label: `${name}+${id.toString("hex")}`, line, signature, lineOf: (text) => line(signature(text)) };
}

/** The text of a note, without its signatures. */
export const headText = ({ version, root, chain }, { list = "parks", successor } = {}) =>
  ["list-head/1", list, version, root, chain, ...(successor ? [successor.key] : [])].map((line) => `${line}\n`).join("");

/** The note of a state, signed by each of some. */
export function note(state, signers, options) {
  const text = headText(state, options);
  return [text, "\n", ...signers.map((one) => one.lineOf(text))].join("");
}
