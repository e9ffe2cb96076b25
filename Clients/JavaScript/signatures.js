// The part of the client for ListSync that checks who signed a list: keys, notes, and what a replica with a key trusts
// (P51 to P53). `listsync.js` loads it for the option `key`.

import { isListName, isText, ListSyncError, malformed } from "./lists.js";
import { cursorOf, emptyState, Hash } from "./roots.js";

const signatureLimit = 16;
const noteByteLimit = 16_384;
const highestVersion = 2 ** 32 - 2;
const encoder = new TextEncoder();

/** The bytes of a base64 text (RFC 4648, section 4); null for another spelling, such as one without padding. */
function bytesOfBase64(text) {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// --- Ed25519 ---------------------------------------------------------------------------------------------------------

/** The error of a platform that cannot check signatures. */
const unsupported = (cause) => new ListSyncError("unsupported", "a key needs Ed25519 of crypto.subtle, which is not there: open the page in a " +
  "secure context (HTTPS or localhost), with a newer browser (Chrome 137, Firefox 129, Safari 17), or use Node 20 or newer", { cause });

const prime = 2n ** 255n - 19n;

/** Whether a point has the one encoding that RFC 8032 allows. Platforms differ in what else they accept. */
function isCanonical(point) {
  const number = BigInt(`0x${hexOf(point.slice().reverse())}`);
  const y = BigInt.asUintN(255, number);
  const isNegativeZero = number !== y && (y === 1n || y === prime - 1n);
  return y < prime && !isNegativeZero;
}

/** The result of an operation of WebCrypto; null if it refuses a key. */
async function withCrypto(operation) {
  try {
    return await operation(globalThis.crypto.subtle);
  } catch (error) {
    if (error.name === "DataError") return null;
    throw unsupported(error);
  }
}

const imported = ({ point }) => withCrypto((subtle) => subtle.importKey("raw", point, "Ed25519", false, ["verify"]));

/** Whether a signature of a text holds. */
async function holds(key, signature, text) {
  const handle = await imported(key);
  return handle !== null && withCrypto((subtle) => subtle.verify("Ed25519", handle, signature, encoder.encode(text)));
}

// --- Keys and notes --------------------------------------------------------------------------------------------------

const name = "[^\\p{White_Space}\\0-\\x1f+]+";
const keyForm = new RegExp(`^(${name})\\+([0-9a-f]{8})\\+([^\\n]+)$`, "u");
const noteForm = /^(list-head\/1\n([^\n]+)\n(0|[1-9]\d{0,15})\n([0-9a-f]{64})\n([0-9a-f]{64})\n(?:([^\n]+)\n)?)\n((?:[^\n]+\n)+)$/u;
const lineForm = new RegExp(`^\\u2014 (${name}) ([^\\n]+)$`, "u");

/** Reads a key, `NAME+ID+BASE64`; null for another text. */
export function readKey(text) {
  const [, name, id, base64] = (isText(text) && keyForm.exec(text)) || [];
  const bytes = bytesOfBase64(base64 ?? "");
  if (bytes?.length !== 33 || bytes[0] !== 1 || !isCanonical(bytes.subarray(1))) return null;
  const found = new Hash().text(`${name}\n`).bytes(bytes).hex().slice(0, 8);
  if (found !== id) return null;
  return { text, label: `${name}+${found}`, point: bytes.subarray(1) };
}

/** Reads a note: what it states, and its signatures by the labels of their keys (`NAME+ID`); null for another text. */
export function readNote(note) {
  if (!isText(note) || encoder.encode(note).length > noteByteLimit) return null;
  const [, text, list, digits, root, chain, successorText, lines] = noteForm.exec(note) ?? [];
  const version = Number(digits);
  if (!text || !isListName(list) || version > highestVersion) return null;
  if (version === 0 && !(root === emptyState.root && chain === emptyState.chain)) return null;
  const successor = successorText === undefined ? null : readKey(successorText);
  if (successorText !== undefined && !successor) return null;
  const signatures = lines.split("\n").slice(0, -1).map((line) => {
    const [, name, base64] = lineForm.exec(line) ?? [];
    const bytes = bytesOfBase64(base64 ?? "");
    return bytes?.length > 4 ? { label: `${name}+${hexOf(bytes.subarray(0, 4))}`, bytes: bytes.subarray(4) } : null;
  });
  if (signatures.length > signatureLimit || signatures.includes(null)) return null;
  return { text, list, version, root, chain, successor, signatures };
}

const refused = (list, kind, why, more) => new ListSyncError(kind, `the head of ${list} is refused (${kind}): ${why}`, more);

/** What a note states about a list, if a key has signed it, and the key that takes over, too. Throws the kind of P53 if not. */
export async function checkNote(note, key, list) {
  const read = readNote(note);
  if (!read) throw refused(list, "false-signature", "its note has another form");
  const labels = [...new Set(read.signatures.map(({ label }) => label))];
  if (!labels.includes(key.label)) {
    throw refused(list, "other-key", `it is signed by ${labels.join(", ").slice(0, 200)}, not by ${key.label}`);
  }
  for (const signer of read.successor ? [key, read.successor] : [key]) {
    const own = read.signatures.filter(({ label }) => label === signer.label);
    const verdicts = await Promise.all(own.map(({ bytes }) => holds(signer, bytes, read.text)));
    if (!own.length || verdicts.includes(false)) throw refused(list, "false-signature", `the signature of ${signer.label} does not hold`);
  }
  if (read.list !== list) throw refused(list, "other-list", `it is signed as that of ${read.list}`);
  return read;
}

// --- Trust -----------------------------------------------------------------------------------------------------------

/** Whether a note states this state. The chain of a saved state is known by its cursor only. */
const isOf = ({ version, root, chain }, state) => version === state.version && root === state.root &&
  (state.chain === undefined ? cursorOf(version, chain) === state.cursor : chain === state.chain);

/** The key that a replica trusts. It makes the copies that the replica may show: those with a note of the key. */
export class Trust {
  #list;
  #given;
  /** The given key, or the one that has taken over from it. */
  #key;

  constructor(key, list) {
    [this.#list, this.#given, this.#key] = [list, key, key];
  }

  /** Throws `malformed` for a text that is no key, and `unsupported` if the platform has no Ed25519. */
  static async of(text, list) {
    const key = readKey(text);
    if (!key || !(await imported(key))) throw malformed("a key is a text such as NAME+ID+BASE64, as its owner has published it");
    return new Trust(key, list);
  }

  /** Goes on with the key that has taken over from the given one, by what is saved with a copy. */
  resume({ given, key }) {
    if (given === this.#given.text) this.#key = readKey(key) ?? this.#key;
  }

  /** The saved copy with its note; null if it has none of the key. */
  async restored(copy, saved) {
    try {
      return await this.signed(copy, saved?.note, copy.state, copy);
    } catch (error) {
      if (error.kind === "unsupported") throw error;
      return null;
    }
  }

  /**
   * A copy with its note, which has the state of the copy, and its chain. Throws the kind of P53 if the note is refused.
   *
   * @param before the copy that the replica shows.
   * @param isDiverged whether the server has told that this one is of another history.
   */
  async signed(copy, note, state, before, isDiverged = false) {
    const list = this.#list;
    if (note == null) throw refused(list, "unsigned", "it has no signature");
    const read = await checkNote(note, this.#key, list);
    if (!isOf(read, state)) throw refused(list, "false-signature", `it is signed for another state than ${state.cursor}`);
    const last = before.signed && readNote(before.signed.note);
    if (last && read.version < last.version) {
      throw refused(list, "older", `it is version ${read.version}, and this copy has version ${last.version}`);
    }
    if (last && read.version === last.version && !(read.root === last.root && read.chain === last.chain)) {
      const notes = [before.signed.note, note];
      throw refused(list, "forked", `its owner has signed two histories up to version ${read.version}`, { notes });
    }
    if (last && read.version > last.version && isDiverged) {
      throw refused(list, "rewritten", `it does not continue the history of ${before.state.cursor}`);
    }
    this.#key = read.successor ?? this.#key;
    const signed = { note, given: this.#given.text, key: this.#key.text };
    const isKnown = Object.entries(signed).every(([name, value]) => copy.signed?.[name] === value);
    return isKnown ? copy : copy.with(signed);
  }
}
