#!/usr/bin/env python3
"""How many requests a second the server answers, against a handler in the same server that returns
the very same bytes from memory.

    python3 Benchmarks/Server/Load/rates.py          # make benchmark-server runs it
    CONNECTIONS=128 ROUNDS=9 SECONDS_A_ROUND=5 …     # other measures
"""

from measuring import (
    CHANGE_COUNT, CONNECTIONS, ITEM_COUNT, ROUNDS, SECONDS, THREADS, check, cursor_of, fetch,
    fresh_store, interleaved, put, serving, table, versions)

KEPT = ("content-type", "etag", "cache-control", "content-location", "vary", "link")


def fill(url, name="parks"):
    """Commits the versions and gives the cursor of each."""
    etag, cursors = None, []
    for items in versions():
        etag = put(f"{url}/v1/lists/{name}", items, etag)
        cursors.append(cursor_of(etag))
    return cursors


def requests(url, cursors, name="parks"):
    """The rows: an address and header fields each."""
    parks, head = f"{url}/v1/lists/{name}", cursors[-1]
    return {
        f"pinned delta, {CHANGE_COUNT} changes":
            (f"{parks}/delta?since={cursors[-2]}&to={head}", []),
        "poll since head, If-None-Match: 304":
            (f"{parks}/delta?since={head}&fallback=snapshot", [f'If-None-Match: "{head}"']),
        "poll since head, without: 200":
            (f"{parks}/delta?since={head}&fallback=snapshot", []),
        "delta since head~10": (f"{parks}/delta?since=head~10", []),
        "delta since the cursor of head~10": (f"{parks}/delta?since={cursors[-11]}", []),
        f"head snapshot, {ITEM_COUNT:,} items": (parks, []),
    }


def remember(url, row, number):
    """Has the program keep a row's answer, and gives the address that returns it from memory."""
    address, headers = row
    answer = fetch(address, headers)
    copy = f"{url}/memory/{number}"
    kept = [f"{name}: {value}" for name, value in answer.headers.items() if name in KEPT]
    done = fetch(copy, [*kept, f"X-Status: {answer.status}"], "PUT", answer.body)
    check(done.status == 204, f"PUT {copy}: {done.status} {done.body[:300]!r}")
    again = fetch(copy, headers)
    check((again.status, again.body) == (answer.status, answer.body), f"{copy}: other bytes")
    for name in KEPT:
        check(again.headers.get(name) == answer.headers.get(name), f"{copy}: another {name}")
    return copy, headers, len(answer.body)


def main():
    with fresh_store() as store, serving(store, program="ServerBenchmarks") as server:
        rows = requests(server.url, fill(server.url))
        subjects, sizes = {}, {}
        for number, (name, row) in enumerate(rows.items()):
            copy, headers, sizes[name] = remember(server.url, row, number)
            subjects[name, "server"] = row
            subjects[name, "memory"] = (copy, headers)
        found = interleaved(subjects, lambda name: server.process.pid)
    lines = []
    for name in rows:
        ours, memory = found[name, "server"], found[name, "memory"]
        ratios = [a / b for a, b in zip(ours.rounds, memory.rounds)]
        ratio = ours.median / memory.median
        goal = "≥ 0.50" if "pinned" in name or "poll" in name else ""
        verdict = "" if not goal else "reached" if ratio >= 0.5 else "**missed**"
        lines.append([name, f"{sizes[name]:,}", goal,
                      f"{ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f})", verdict,
                      f"{memory.cost / ours.cost:.2f}", ours, memory])
    table(f"Requests a second, wrk -t{THREADS} -c{CONNECTIONS} -d{SECONDS}s, {ROUNDS} rounds",
          ["request", "bytes of the body", "goal", "ratio of rates", "",
           "ratio of processor times", "server", "from memory"], lines)


if __name__ == "__main__":
    main()
