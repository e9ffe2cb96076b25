// The page of a report: one list, whose history is a bundle in the same file. Nothing is shown before all of it was
// verified: the digest of its bytes, and the chain, the changes and the root of each version.

import { merged } from "./charts.js";
import { countsOf, memberChanges, plural } from "./elements.js";
import { contentOf } from "./exact.js";
import { Copy, diff, ListSyncError, readBundle } from "./listsync.js";
import { begin, setStatus } from "./page.js";

/** One list, from what `readBundle` tells of its versions. */
class BundleSource {
  #versions = [];
  #records = [];
  isProved = true;
  isFinal = true;
  alarm = "The history in this file does not have the digest, the roots or the chain that it promises. None of it is " +
    "shown: the file is damaged, or somebody has changed it.";
  advice = "Get the file again, or make it again with listsync report.";
  wordOfItem = "Every change is from a version that this page has verified.";
  only = "report";
  /** What the file says besides its history: the title member, the oldest version, tags and prunings. Nothing proves them. */
  #facts;

  constructor(facts) {
    this.#facts = facts;
  }

  /** Takes in the next version. */
  append(version) {
    this.#versions.push(version);
    this.#records.push({ ...version.record, changes: version.record.changes ?? countsOf(version) });
  }

  get #oldest() {
    return this.#records[0]?.version ?? 1;
  }

  get state() {
    return this.#versions.at(-1)?.after.state ?? Copy.empty.state;
  }

  get versionCount() {
    return this.#versions.length;
  }

  async summary(list) {
    if (list !== this.only) throw new ListSyncError("not-found", `This report is of the list “${this.only}”.`);
    return { list, head: this.state, oldest: this.#oldest, committed_at: this.#records.at(-1)?.committed_at, title: this.#facts.title, kept: this.#facts.oldest };
  }

  async records(list, { before = Infinity, limit = 100 } = {}) {
    const end = Math.min(this.#records.length, before - this.#oldest);
    return this.#records.slice(Math.max(0, end - limit), Math.max(0, end)).reverse();
  }

  async record(list, version) {
    return this.#records[this.#indexOf(version)];
  }

  #indexOf(version) {
    const index = version - this.#oldest;
    if (this.#records[index]) return index;
    throw new ListSyncError("no-such-version", `This report has the versions ${this.#oldest} to ${this.state.version}, and not ${version}.`);
  }

  async groups(list, most) {
    return merged(this.#records.map((record) => ({ ...record, oldest: record.version, newest: record.version })), most);
  }

  async tags() {
    return this.#facts.tags;
  }

  async prunings() {
    return this.#facts.prunings;
  }

  /** The version of a number, `head`, a tag or a date; a date means the last version until its end, in UTC. */
  #version(revision) {
    if (/^\d+$/.test(revision)) return Number(revision);
    if (revision === "head") return this.state.version;
    const tag = this.#facts.tags.find(({ tag }) => tag === revision);
    if (tag) return tag.version;
    const end = Date.parse(/^\d{4}-\d\d-\d\d$/.test(revision) ? `${revision}T23:59:59.999Z` : revision);
    const record = this.#records.findLast(({ committed_at: at }) => Date.parse(at) <= end);
    if (record) return record.version;
    throw new ListSyncError("no-such-version", `This report has no version “${revision}”.`);
  }

  async copy(list, revision) {
    const version = this.#version(revision);
    return version === 0 && this.#oldest === 1 ? Copy.empty : this.#versions[this.#indexOf(version)].after;
  }

  async step(list, from, to) {
    const [before, after] = await Promise.all([this.copy(list, String(from)), this.copy(list, String(to))]);
    const step = this.#versions[this.#indexOf(to)];
    return step.before === before ? step : { ...diff(before.items, after.items), before, after };
  }

  async versions(list, from) {
    return this.#versions.filter(({ record }) => record.version > from);
  }

  async history(list, id) {
    const changes = [];
    this.#versions.forEach(({ removed, moved, inserted, updated, before, after }, i) => {
      const of = (found) => found.find(({ item }) => item.id === id);
      const [gone, shift, come, update] = [of(removed), of(moved), of(inserted), of(updated)];
      const change = { ...this.#records[i], moved: Boolean(shift), members: [] };
      if (before === after) {
        // The base: the item may have been there before.
        const to = indexIn(after.items, id);
        if (to !== undefined) changes.push({ ...change, to, isStart: true, content: contentOf(after.items.at(to)) });
      } else if (gone) changes.push({ ...change, from: gone.from });
      else if (come) changes.push({ ...change, to: come.to, content: contentOf(come.item) });
      else if (shift || update) {
        const members = update ? memberChanges(contentOf(update.before), contentOf(update.item)) : [];
        const { from, to } = shift ?? update;
        changes.push({ ...change, from, to, members, content: contentOf((update ?? shift).item) });
      }
    });
    if (changes.length) return changes.reverse();
    throw new ListSyncError("no-such-item", "No version of this report has this item.");
  }

  async places(list, id) {
    const runs = [];
    let index;
    this.#versions.forEach((step, i) => {
      const isBase = step.before === step.after;
      index = isBase ? indexIn(step.after.items, id) : indexAfter(step, id, index);
      const { version, committed_at: at } = this.#records[i];
      const last = runs.at(-1);
      if (last?.ended_at === null && last.index !== index) last.ended_at = at;
      if (index === undefined) return;
      if (last?.ended_at === null) last.to = version;
      else runs.push({ from: version, to: version, index, began_at: at, ended_at: null });
    });
    return runs.reverse();
  }
}

/** The index of an item in a list; undefined if the list does not have it. */
function indexIn(items, id) {
  const index = [...items].findIndex((item) => item.id === id);
  return index < 0 ? undefined : index;
}

/** The index of an item after a step, from that before it; undefined if the list does not have it. */
function indexAfter({ removed, moved, inserted }, id, index) {
  if (index === undefined) return inserted.find(({ item }) => item.id === id)?.to;
  if (removed.some(({ from }) => from === index)) return undefined;
  const move = moved.find(({ from }) => from === index);
  if (move) return move.to;
  let place = index - [...removed, ...moved].filter(({ from }) => from < index).length;
  for (const to of [...moved, ...inserted].map(({ to }) => to).sort((a, b) => a - b)) if (to <= place) place++;
  return place;
}

/** The text of the bundle, which is in the file as Base64 of a gzip file. */
async function unpacked(base64) {
  try {
    const packed = atob(base64);
    const bytes = Uint8Array.from({ length: packed.length }, (_, i) => packed.charCodeAt(i));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  } catch (error) {
    throw new ListSyncError("mismatch", `the packed history cannot be unpacked: ${error.message}`);
  }
}

const embedded = (id) => document.getElementById(id).textContent;

async function open() {
  const source = new BundleSource(JSON.parse(embedded("facts")));
  setStatus("connecting", "Verifying…");
  try {
    const text = await unpacked(embedded("bundle"));
    source.only = JSON.parse(text.slice(0, text.indexOf("\n"))).list;
    let pause = performance.now() + 100;
    for (const version of readBundle(text)) {
      source.append(version);
      if (performance.now() < pause) continue;
      setStatus("connecting", `Verified ${plural(source.versionCount, "version")}…`);
      await new Promise((resolve) => setTimeout(resolve));
      pause = performance.now() + 100;
    }
    setStatus("live", `Verified: ${plural(source.versionCount, "version")} to ${source.state.cursor}`);
  } catch (error) {
    console.debug(error);
    setStatus("lost", "Not verified");
    source.summary = async () => {
      throw new ListSyncError("mismatch", error.message);
    };
  }
  begin(source);
}

open();
