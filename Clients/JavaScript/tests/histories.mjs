// Versions with true headers, for tests.
import { chainAfter, root } from "../listsync.js";

export const zeros = "0".repeat(64);
/** The members of a proven state, in the order in which ListSync writes them. */
const names = ["cursor", "version", "committed_at", "author", "message", "count", "root", "previous"];

/** The proven state of a list at a version, with its chain as a member that JSON does not get. */
export function provenState(version, items, more = {}) {
  const committed_at = new Date(1_795_261_020_000 + 250 * version).toISOString().replace(".000Z", "Z");
  const note = { committed_at, author: "Ann", message: `№ ${version}` };
  const state = { version, ...note, count: items.length, root: root(items), previous: zeros, ...more };
  const chain = chainAfter(state.previous, state);
  state.cursor = `${version}-${chain.slice(0, 32)}`;
  const header = Object.fromEntries(names.map((name) => [name, state[name]]));
  return Object.defineProperty(header, "chain", { value: chain });
}

/** The proven states of lists, each of which follows from the one before. */
export function history(...lists) {
  const states = [];
  for (const items of lists) {
    states.push(provenState(states.length + 1, items, { previous: states.at(-1)?.chain ?? zeros }));
  }
  return states;
}
