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
    ("token-list", "token list"), ("delta", "delta parks --since 1"),
    ("show", "show parks"), ("prove", "prove parks park-00005"),
]


def closed(schema):
    """The schema of a value of its own that allows no member that it does not describe."""
    schema = strict(schema)
    if schema.keys() & {"properties", "$ref", "allOf", "anyOf"}:
        return {**schema, "unevaluatedProperties": False}
    return schema


def strict(schema):
    """As closed(), for a schema that another one may refer to and extend."""
    parts = {
        "items": closed,
        "properties": lambda members: {name: closed(member) for name, member in members.items()},
        "$defs": lambda members: {name: strict(member) for name, member in members.items()},
        "anyOf": lambda branches: [strict(branch) for branch in branches],
        "allOf": lambda branches: [strict(branch) for branch in branches],
    }
    return {word: parts.get(word, lambda same: same)(part) for word, part in schema.items()}


def body():
    schema = json.loads((ROOT / "Documentation/CommandLine.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    say("the schema is one of the draft 2020-12")

    def validator(name, form):
        return Draft202012Validator(form({**schema, "$ref": f"#/$defs/{name}"}))

    def judge(name, answer):
        for fault in validator(name, closed).iter_errors(answer):
            check(False, f"{name}: {fault.json_path}: {fault.message}")

    with fresh_store() as store:
        for version in (1, 2, 3):
            store.commit("parks", [park(n, n=version) for n in range(version, 9)])
        for name, words in ANSWERS:
            judge(name, json.loads(store.listsync(*words.split(), "--json")))
        wrong = {**json.loads(store.listsync("log", "parks", "--json"))[0], "extra": 1}
        check(not validator("log", closed).is_valid([wrong]),
              "a member that the schema does not name is not noticed")
        check(validator("log", dict).is_valid([wrong]), "a newer version could add no member")
    say(f"{len(ANSWERS)} answers fit its strict form; a member more fits only the published one")


if __name__ == "__main__":
    run("JSON Schema", body)
