"""Draws part of the cases from lists, versions and ids that are there, so that answers with
content are judged too, not only 404s."""

import os
import random

import schemathesis

CURSORS = os.environ["LISTSYNC_CURSORS"].split()
LISTS = ["parks", "parks", "fuzzed", "none"]
REVISIONS = [*CURSORS, "head", "head~2", "0", "3", "7", "99", "spring"]
ITEMS = ["park-00008", "park-00020", "none"]


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and random.random() < 0.7:
        known = {"list": LISTS, "version": REVISIONS, "rev": REVISIONS, "revision": REVISIONS,
                 "item": ITEMS, "id": ITEMS}
        for name in path_parameters:
            if name in known:
                path_parameters[name] = random.choice(known[name])
    return path_parameters


@schemathesis.hook
def map_query(context, query):
    if query:
        for name in ("since", "to"):
            if name in query and random.random() < 0.7:
                query[name] = random.choice(REVISIONS)
        # A long-poll at the head is held for its time: one second shows as much as sixty.
        if query.get("wait") in range(2, 10_000):
            query["wait"] = 1
    return query
