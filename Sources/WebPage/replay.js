// The replay of a list's history.

import { chips, countsOf, foreign, h, kinds, messageOf, number, renew, time } from "./elements.js";
import { proof } from "./parts.js";
import { itemRow, marksOf, Rows } from "./rows.js";

const longestReplay = 5000;

export async function replayView(context) {
  const { source, list, parameters, signal } = context;
  const entry = await source.summary(list, signal);
  const { oldest, head } = entry;
  const wanted = /^\d+$/.test(parameters.from ?? "") ? Number(parameters.from) : 0;
  const from = Math.max(oldest - 1, wanted, head.version - longestReplay);
  const steps = await source.versions(list, from, signal);
  if (!steps.length) throw Object.assign(new Error("There is nothing to replay."), { kind: "not-found" });
  const rows = new Rows(`Items of ${list}`, signal);
  const [versions, last] = [steps.map(({ record }) => record.version), steps.length - 1];
  let index = Math.max(0, versions.indexOf(Number(parameters.at)));
  let isPlaying = false;
  const title = h("h1", { tabindex: -1 });
  const lead = h("p", { class: "lead" });
  const proved = h("div", {});
  const slider = h("input", { type: "range", min: 0, max: last, value: index, id: "scrub", "aria-label": "Version", oninput: () => jump(Number(slider.value)) });
  const button = h("button", { type: "button", class: "play", onclick: () => (isPlaying ? pause() : play()) });
  const speed = h("select", { id: "speed" }, [["1", "1 version a second"], ["4", "4 a second"], ["15", "15 a second"], ["time", "by time, in 30 s"]].map(([value, text]) =>
    h("option", { value, selected: (parameters.speed ?? (last > 60 ? "15" : "4")) === value }, text)));
  speed.addEventListener("change", () => context.setParameters({ speed: speed.value }));
  const draw = (glides) => {
    const step = steps[index];
    const { record, after } = step;
    const reveal = kinds.flatMap((kind) => step[kind]).map(({ from, to = from }) => to);
    rows.show(after.items.length, (row) => after.items.at(row).id, (row) => itemRow(list, after.items, row, entry.title), { glides, marks: marksOf(step), reveal });
    title.replaceChildren(h("bdi", {}, list), ` at version ${number(record.version)}`);
    lead.replaceChildren(time(record.committed_at), " ", chips(countsOf(step)),
      " ", record.author ? foreign(record.author, 80) : "", " ", record.message ? foreign(messageOf(record).text, 200) : "");
    renew(proved, [proof(after.state)]);
    slider.value = index;
    slider.setAttribute("aria-valuetext", `version ${record.version}, ${after.state.count} items`);
  };
  let saving = null;
  const jump = (next, glides = Math.abs(next - index) === 1 || isPlaying) => {
    index = next;
    draw(glides);
    clearTimeout(saving);
    saving = setTimeout(() => signal.aborted || context.setParameters({ at: versions[index] }), 200);
  };
  // A version with an earlier date than the one before is shown together with it.
  let latest = -Infinity;
  const times = steps.map(({ record }) => (latest = Math.max(latest, Date.parse(record.committed_at))));
  const play = () => {
    if (index === last) jump(0, false);
    isPlaying = true;
    button.replaceChildren("Pause");
    let previous = performance.now();
    let position = index;
    let moment = times[index];
    const frame = (now) => {
      if (!isPlaying || signal.aborted) return;
      // A frame may bear a time before the click.
      const elapsed = Math.max(0, now - previous) / 1000;
      previous = now;
      let next = index;
      if (speed.value === "time") {
        moment += (elapsed * Math.max(1, times[last] - times[0])) / 30;
        while (next < last && times[next + 1] <= moment) next++;
      } else {
        position = Math.max(position, index) + elapsed * Number(speed.value);
        next = Math.min(last, Math.floor(position));
      }
      if (next !== index) jump(next);
      if (index === last) pause();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  const pause = () => {
    isPlaying = false;
    button.replaceChildren("Play");
  };
  pause();
  context.show(h("div", { class: "title" }, title), lead,
    h("div", { class: "bar player" }, button, h("label", { class: "unseen", for: "speed" }, "Speed"), speed, slider, proved),
    from > oldest && h("p", { class: "hint" }, `The replay begins after version ${number(from)}.`), rows.element);
  draw(false);
  signal.addEventListener("abort", () => (isPlaying = false));
  // For measurements of the browser's speed.
  rows.element.addEventListener("scrub", (event) => jump(event.detail, false));
}
