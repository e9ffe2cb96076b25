#!/usr/bin/env python3
"""Prometheus's own parser on /metrics."""

import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from interop import check, check_equal, fresh_store, park, run, say, serving

REQUESTS = 20


def families(server):
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=5) as answer:
        kind = answer.headers["Content-Type"]
        check(kind.startswith("text/plain") and "version=0.0.4" in kind,
              f"the media type of the text format: {kind!r}")
        text = answer.read().decode()
    check(text.endswith("\n"), "the last line has no end")
    found = list(text_string_to_metric_families(text))
    names = [family.name for family in found]
    check_equal(sorted(set(names)), sorted(names), "families that stand once")
    return found, text


def ask(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        error.read()


def ask_all(server, first):
    """Requests with new addresses."""
    for n in range(first, first + REQUESTS):
        ask(f"{server.url}/v1/lists/parks")
        ask(f"{server.url}/v1/lists/secret-{n}/versions/{n}")
        ask(f"{server.url}/secret-{n}")


def samples(found):
    """Each sample's value by name and labels, which must be unique together."""
    values = {}
    for family in found:
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            check(key not in values, f"{key} stands twice")
            values[key] = sample.value
    return values


def body():
    with fresh_store() as store:
        store.commit("parks", [park(n) for n in range(10)])
        with serving(store) as server:
            ask_all(server, 0)
            families(server)  # counts itself from the second time on
            before = samples(families(server)[0])
            ask_all(server, REQUESTS)
            found, text = families(server)
            after = samples(found)
    for family in found:
        check(family.type != "unknown", f"{family.name} has no TYPE")
        if family.type == "counter":
            for sample in family.samples:
                check(sample.value >= 0, f"{sample.name} counts below zero")
    grown = sum(value - before.get(key, 0) for key, value in after.items()
                if key[0] == "listsync_http_requests_total")
    check(grown >= 3 * REQUESTS,
          f"listsync_http_requests_total grew by {grown} in {3 * REQUESTS} requests: {sorted(after)}")
    check("secret-" not in text,
          "names of lists are labels: anyone can ask for names, and each would be kept")
    check_equal(len(after), len(before), "samples after more requests of the same kinds")
    say(f"{len(found)} families, {len(after)} samples, types: "
        f"{', '.join(sorted({family.type for family in found}))}")
    say(f"listsync_http_requests_total counted {grown:.0f} requests; no list's name is a label")


if __name__ == "__main__":
    run("prometheus_client", body)
