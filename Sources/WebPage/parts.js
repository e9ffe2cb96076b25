// What several views show: addresses, proofs, authors; and how a view stays up to date.

import { foreign, h, messageOf, plural } from "./elements.js";

/** The address of a view. Parameters that are empty are left out. */
export function address(segments = [], parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value != null && value !== false));
  return `#/${segments.map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
}

/** Says that what is shown has the root that the server promises: it was computed here. */
export function proof(state, what = plural(state.count, "item")) {
  return h("details", { class: "proof", open: showsRoots, ontoggle: (event) => (showsRoots = event.target.open) },
    h("summary", {}, h("span", { class: "seal", "aria-hidden": "true" }, "✓"), ` ${what}, root verified`),
    h("span", { class: "digest", title: "The root that this page computed of the shown items" }, state.root));
}

/** Whether proofs show the digits of their roots: on a phone, these fill the lines in which the content begins. */
let showsRoots = matchMedia("(min-width: 46rem)").matches;

export function author({ author, message }) {
  const { text, base } = messageOf({ message });
  return [author && h("span", { class: "author" }, foreign(author, 120)), text && [" ", foreign(text, 400)],
    base !== null && [" ", h("span", { class: "tag", title: `Changes to version ${base} were merged with those of others since` }, `merged from ${base}`)]];
}

export const fact = (name, value) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value));

/** The least time between two loads, when a list has many versions in a short time. */
export const pauseMilliseconds = 200;

/** Calls `load` now, and again whenever the list has a new head: one call after the other, so that no older answer is shown last. */
export async function following(context, load) {
  const { source, list, announce, signal } = context;
  let [isLoading, isOld] = [true, false];
  const loadAgain = async () => {
    isLoading = true;
    try {
      while (isOld && !signal.aborted) {
        isOld = false;
        await load();
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      }
    } catch (error) {
      if (!signal.aborted) context.fail(error);
    } finally {
      isLoading = false;
    }
  };
  context.onHead((head) => {
    if (list && head.list !== list) return;
    announce(`${head.list} is at version ${head.version}`);
    isOld = true;
    if (!isLoading) loadAgain();
  });
  context.onCheck(async () => {
    // Then the next answer says what became of it.
    isOld ||= await source.isGone(list, signal).catch(() => false);
    if (!isLoading) loadAgain();
  });
  await load().finally(() => (isLoading = false));
  loadAgain();
}
