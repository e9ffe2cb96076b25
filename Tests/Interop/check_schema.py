#!/usr/bin/env python3
"""The package jsonschema judges answers of the verbs by Documentation/CommandLine.schema.json."""

import json

from jsonschema import Draft202012Validator

from interop import ROOT, check, fresh_store, park, run, say

ANSWERS = [
    ("lists", "lists"), ("log", "log parks"), ("log", "log parks -p"),
    ("log", "log parks --item park-00003"), ("log", "log parks --item park-00003 --field /n"),
    ("blame", "blame parks"), ("blame", "blame parks --item park-00003"),
    ("grep", "grep parks № --all-versions"), ("diff", "diff parks 1 2"), ("tag", "tag parks"),
    ("stats", "stats"), ("prune", "prune parks --keep-last 1 --dry-run"), ("verify", "verify"),
    ("revert", "revert parks 1 --dry-run"), ("edit", "edit parks --remove park-00003"),
    ("tag", "tag parks spring"), ("token-create", "token create reader --read parks"),
    ("token-list", "token list"),
]


def body():
    schema = json.loads((ROOT / "Documentation/CommandLine.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    say("the schema is one of the draft 2020-12")

    def judge(name, answer):
        found = Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"}).iter_errors(answer)
        for fault in found:
            check(False, f"{name}: {fault.json_path}: {fault.message}")

    with fresh_store() as store:
        for version in (1, 2, 3):
            store.commit("parks", [park(n, n=version) for n in range(version, 9)])
        for name, words in ANSWERS:
            judge(name, json.loads(store.listsync(*words.split(), "--json")))
        wrong = {**json.loads(store.listsync("log", "parks", "--json"))[0], "extra": 1}
        check(not Draft202012Validator({**schema, "$ref": "#/$defs/log"}).is_valid([wrong]),
              "a member that the schema does not name is not noticed")
    say(f"{len(ANSWERS)} answers fit it; one with another member does not")


if __name__ == "__main__":
    run("JSON Schema", body)
