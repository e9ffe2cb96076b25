import type { Item, ProvenState, VersionRecord } from "./listsync.js";

/**
 * Whether versions follow from a cursor with 8 to 64 digits: headers that ascend without a gap from the next version.
 * Throws `malformed` for a header that does not lead to its own cursor.
 */
export function follows(cursor: string, headers: Iterable<ProvenState>): boolean;

export interface ProvenItem<Content = unknown> {
  /** The name of the list in the document. Nothing proves it. */
  readonly list: string;
  readonly item: Item<Content>;
  readonly index: number;
  /** The number of items of the list. */
  readonly count: number;
  /** That of the version which has the item there. */
  readonly header: VersionRecord;
}

/**
 * Proves an item by a `list-proof/1` document and a cursor that the caller trusts, with 8 to 32 digits.
 * Throws `malformed` for a text that is not a proof, and `mismatch` if a step of the proof fails.
 */
export function checkProof<Content = unknown>(text: string, cursor: string): ProvenItem<Content>;
