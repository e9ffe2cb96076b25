#!/usr/bin/env python3
"""Tools read a list and write it again: what each changes by default, and the way that changes nothing.

Compares the results with the table in Documentation/DataTools.md; with --update it writes the table.
"""

import subprocess
import tempfile
import warnings
from importlib import metadata
from pathlib import Path

import duckdb
import pandas
import polars

from interop import BUILD, ROOT, check, check_equal, check_table, run

PAGE = ROOT / "Documentation/DataTools.md"
LINES = [
    '{"id":"001","name":"Zion","rating":8.123456789012,"weight":1.5e-11,"opened":"2026-01-05",'
    '"checked_at":1767600000,"day":"01-02-2026","seen":"2026-01-05T10:00:00Z",'
    '"big":1234567890123456789,"large":9223372036854775808,"flag":true,'
    '"tags":["a"],"note":"red","hours":"10:20","key":"4F0A1B2C-0000-4000-8000-00000000000A",'
    '"code":"1e3","A":1,"a":2}',
    '{"id":"002","name":"Arches","rating":7.5,"weight":2,"opened":"2026-02-05",'
    '"checked_at":1767600060,"day":"02-02-2026","seen":"2026-02-05T10:00:00Z",'
    '"big":5,"large":1,"flag":false,"tags":[],"hours":"11:20",'
    '"key":"4F0A1B2C-0000-4000-8000-00000000000B","code":"0o7","A":3,"a":4}',
    '{"id":"x3","name":"Denali","rating":9.25,"weight":0.5,"opened":"2026-03-05",'
    '"checked_at":1767600120,"day":"03-02-2026","seen":"2026-03-05T10:00:00Z",'
    '"big":6,"large":2,"flag":true,"tags":["c"],"note":null,"hours":"12:20",'
    '"key":"4F0A1B2C-0000-4000-8000-00000000000C","code":"x","A":5,"a":6}',
]
ROWS = ["id,hours,month,state,code,price,flag", "007,10:20,January,NA,1e3,1.50,true",
        "008,11:20,March,none,7,2.00,false", "x9,,May,N/A,8,3.25,true"]


def shell(command):
    """A way that is a command of the shell: it reads `list.*` and writes its output."""
    def way(folder):
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True,
                              env={"PATH": f"{ROOT}/.build/interop/bin:/usr/bin:/bin",
                                   "LC_ALL": "C.UTF-8", "TZ": "Europe/Berlin"})
        check(done.returncode == 0, f"{command}: {done.stderr}")
        return done.stdout
    way.text = command
    return way


def python(function, text):
    """A way that is a line of Python."""
    def way(folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(str(folder))
    way.text = text
    return way


def through_duckdb(folder):
    out = f"{folder}/out.ndjson"
    duckdb.sql(f"COPY (SELECT * FROM read_json_auto('{folder}/list.ndjson')) TO '{out}' (FORMAT json)")
    return Path(out).read_text()


def whole_through_duckdb(folder):
    out = f"{folder}/out.ndjson"
    duckdb.sql(f"COPY (SELECT json FROM read_ndjson_objects('{folder}/list.ndjson')) TO '{out}' "
               "(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01')")
    return Path(out).read_text()


def lines(folder):
    return Path(f"{folder}/list.ndjson").read_text().splitlines()


def version_of(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    return done.stdout.strip().split()[-1].removeprefix("jq-")


# The name and version of a tool, the file that it reads, its usual way and the one that keeps all.
TOOLS = [
    (f"pandas {pandas.__version__}", "ndjson",
     python(lambda folder: pandas.read_json(f"{folder}/list.ndjson", lines=True)
            .to_json(orient="records", lines=True),
            'read_json(FILE, lines=True).to_json(orient="records", lines=True)'),
     python(lambda folder: "\n".join(pandas.Series(lines(folder))) + "\n",
            'pandas.Series(open(FILE).read().splitlines())')),
    (f"polars {polars.__version__}", "ndjson",
     python(lambda folder: polars.read_ndjson(f"{folder}/list.ndjson").write_ndjson(),
            "read_ndjson(FILE).write_ndjson()"),
     python(lambda folder: "\n".join(polars.Series(lines(folder))) + "\n",
            "polars.Series(open(FILE).read().splitlines())")),
    (f"DuckDB {duckdb.__version__}", "ndjson",
     python(through_duckdb, "COPY (SELECT * FROM read_json_auto(FILE)) TO OUT (FORMAT json)"),
     python(whole_through_duckdb,
            "COPY (SELECT json FROM read_ndjson_objects(FILE)) TO OUT "
            "(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\\x01')")),
    (f"jq {version_of('jq --version')}", "ndjson",
     shell("jq -c . list.ndjson"), shell("jq -Rr 'select(fromjson.id != null)' list.ndjson")),
    (f"Miller {version_of('mlr --version')}", "ndjson",
     shell("mlr --ijsonl --ojsonl cat list.ndjson"),
     shell("mlr --inidx --ifs '\\001' --onidx cat list.ndjson")),
    (f"sqlite-utils {metadata.version('sqlite-utils')}", "ndjson",
     shell("sqlite-utils insert a.db list list.ndjson --nl && sqlite-utils rows a.db list --nl"),
     shell("sqlite-utils insert b.db list list.ndjson --lines && "
           "sqlite-utils query b.db 'SELECT line FROM list ORDER BY rowid' --raw-lines")),
    ("yq 3.1.0 (Debian), through YAML", "ndjson",
     shell("jq -s . list.ndjson | yq -y . > list.yaml && yq -c '.[]' list.yaml"), None),
    (f"csvkit {metadata.version('csvkit')}", "csv",
     shell("csvsort -c price list.csv"), shell("csvsort -I --blanks -c price list.csv")),
    (f"Miller {version_of('mlr --version')}, CSV to JSON", "csv",
     shell("mlr --icsv --ojsonl cat list.csv"), shell("mlr --icsv --ojsonl -S cat list.csv")),
]


def write_lists(folder, name):
    """Writes the lists for a tool. sqlite-utils gets one that it can store."""
    (folder / "list.csv").write_text("\n".join(ROWS) + "\n")
    text = "\n".join(LINES) + "\n"
    if name.startswith("sqlite-utils"):
        text = text.replace("9223372036854775808", "0").replace('"a":', '"b":')
    (folder / "list.ndjson").write_text(text)


def difference(folder, kind, output):
    """What `listsync compare --stat` says of the list and the output."""
    before = folder / f"list.{kind}"
    with tempfile.TemporaryDirectory() as folder:
        after = Path(folder) / f"out.{'csv' if kind == 'csv' and output[:1] != '{' else 'ndjson'}"
        after.write_text(output)
        done = subprocess.run(
            [BUILD / "listsync", "compare", before, after, "--text", "--stat"],
            capture_output=True, text=True)
        check(done.returncode == 0, f"compare: {done.stderr}\n{output}")
        return done.stdout.splitlines()


def table():
    result = ["| Tool | Its usual way | What nobody edited | A way that changes nothing |",
              "|---|---|---|---|"]
    for name, kind, usual, careful in TOOLS:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write_lists(folder, name)
            found = difference(folder, kind, usual(folder))
            if careful:
                kept = difference(folder, kind, careful(folder))
                check_equal(len(kept), 1, f"{name}, {careful.text}: {kept}")
        changes = [line.split("  ", 2) for line in found if line.startswith("~ ")]
        cells = [f"`{path}` {values.removeprefix('such as ')}" for _, path, values in changes]
        check(cells, f"{name}, {usual.text}: it changes nothing: {found}")
        if max(int(count[2:]) for count, _, _ in changes) > 1:
            check(any("like a tool's rewriting" in line for line in found), f"{name}: {found}")
        cells = [name, f"`{usual.text}`", ", ".join(cells),
                 f"`{careful.text}`" if careful else "none was found"]
        result.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return result


def body():
    check_table(PAGE, table())


run("data tools: what they change in a list that nobody edited", body)
