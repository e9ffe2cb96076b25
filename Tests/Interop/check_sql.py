#!/usr/bin/env python3
"""sqlite3 of Python, DuckDB, polars, pandas and Datasette read any version out of an export, and frames of pandas and polars
are committed without a change."""

import io
import json
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas
import polars

from interop import BUILD, ROOT, check, check_equal, fresh_store, run, say

sys.path.insert(0, str(ROOT / "Clients/Python"))
from listsync import Store  # noqa: E402

VERSION_COUNT = 12
LARGE = 12345678901234567890


def histories(store):
    """Commits random versions, and returns the items of each."""
    source = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    versions = []
    for number in range(1, VERSION_COUNT + 1):
        ids = source.sample(range(30), 20)
        ids = ids if number % 4 == 0 else sorted(ids)
        items = [{"id": f"i{id}", "value": source.randrange(3), "note": 'a "b",\n c'} for id in ids]
        items.append({"id": "large", "value": LARGE + number})
        store.commit("parks", items)
        versions.append(items)
    return versions


def body():
    with fresh_store() as store:
        versions = histories(store)
        file = store.folder / "history.db"
        lines, cells = store.folder / "rows.ndjson", store.folder / "rows.csv"
        store.listsync("export", "parks", "-o", file, "--members")
        store.listsync("export", "parks", "-o", lines, "--format", "ndjson")
        store.listsync("export", "parks", "-o", cells, "--format", "csv")
        check_sqlite(file, versions)
        check_pandas(file, versions)
        check_duckdb(lines, cells, versions)
        check_polars(lines, cells, versions)
        check_datasette(file, versions)
        check_frames(store.folder)


def check_sqlite(file, versions):
    database = sqlite3.connect(file)
    for number, items in enumerate(versions, 1):
        rows = database.execute(
            "SELECT content FROM items WHERE list = 'parks' AND since <= ?1 AND ?1 < until "
            "ORDER BY place", [number])
        check_equal([json.loads(row[0]) for row in rows], items, f"sqlite3, version {number}")
    digits = database.execute(
        "SELECT value FROM item_members WHERE id = 'large' ORDER BY since").fetchall()
    check_equal([int(row[0]) for row in digits],
                [LARGE + number for number in range(1, VERSION_COUNT + 1)], "digits of a column")
    say(f"sqlite3 {sqlite3.sqlite_version}: {len(versions)} versions")


def check_pandas(file, versions):
    database = sqlite3.connect(file)
    for number, items in enumerate(versions, 1):
        frame = pandas.read_sql_query(
            "SELECT id, content FROM items WHERE list = 'parks' AND since <= ? AND ? < until "
            "ORDER BY place", database, params=[number, number])
        check_equal([json.loads(text) for text in frame.content], items, f"pandas, version {number}")
    say(f"pandas {pandas.__version__}: {len(versions)} versions")


def check_duckdb(lines, cells, versions):
    for file, reader in [(lines, "read_ndjson"), (cells, "read_csv")]:
        for number, items in enumerate(versions, 1):
            rows = duckdb.sql(
                f"SELECT id, CAST(content AS VARCHAR) FROM {reader}('{file}', columns = "
                "{list: 'VARCHAR', place: 'BIGINT', since: 'BIGINT', until: 'BIGINT', "
                "id: 'VARCHAR', content: 'JSON'}"
                + (", header = true" if reader == "read_csv" else "")
                + f") WHERE since <= {number} AND {number} < until ORDER BY place").fetchall()
            check_equal([json.loads(row[1]) for row in rows], items,
                        f"DuckDB, {reader}, version {number}")
        # As it infers the types, it finds the order, too.
        ids = duckdb.sql(f"SELECT id FROM '{file}' WHERE since <= 4 AND 4 < until ORDER BY place")
        check_equal([row[0] for row in ids.fetchall()], [item["id"] for item in versions[3]],
                    f"DuckDB, inferred types of {reader}")
    say(f"DuckDB {duckdb.__version__}: {len(versions)} versions of NDJSON and CSV")


def check_polars(lines, cells, versions):
    frames = [
        ("NDJSON", polars.read_ndjson(lines, infer_schema_length=None)),
        ("CSV", polars.read_csv(cells)),
    ]
    for name, frame in frames:
        for number, items in enumerate(versions, 1):
            rows = frame.filter((polars.col("since") <= number) & (polars.col("until") > number))
            rows = rows.sort("place")
            check_equal(rows["id"].to_list(), [item["id"] for item in items],
                        f"polars, {name}, version {number}")
            if name == "CSV":
                check_equal([json.loads(text) for text in rows["content"]], items,
                            f"polars, contents of version {number}")
    say(f"polars {polars.__version__}: {len(versions)} versions of NDJSON and CSV")


def check_datasette(file, versions):
    """Datasette answers for the tables and views, also for the newest version."""
    query = "/history/head.json?_shape=array&_size=max&_sort=at_index"
    done = subprocess.run(
        [Path(sys.executable).parent / "datasette", file, "--get", query], capture_output=True,
        timeout=60)
    check(done.returncode == 0, f"Datasette: {done.stderr.decode()}")
    rows = json.load(io.BytesIO(done.stdout))
    check_equal([json.loads(row["content"]) for row in rows], versions[-1], "Datasette, head")
    say("Datasette: the view head")


def check_frames(folder):
    """The functions of the page change nothing, and its session runs as it stands."""
    blocks = (ROOT / "Documentation/Python.md").read_text("utf-8").split("```python\n")[1:]
    session = next(block.split("```")[0] for block in blocks if "def pandas_items" in block)
    page = {}
    exec(session.split("store = ")[0], page)
    store = Store(folder / "frames.db", program=BUILD / "listsync")
    items = [{"id": "a", "count": 2**53 + 1, "rate": 0.1, "tags": ["x", "y"]}, {"id": "b", "rate": 1e300, "ok": True},
             {"id": "c", "count": -1, "code": "007", "at": {"x": 0.5, "y": 2}}]
    store.commit("frames", items)
    kept = [*store.items("frames")]
    for name, rows in [
            ("pandas", page["pandas_items"](pandas.DataFrame(kept, dtype=object))),
            ("polars", page["polars_items"](polars.DataFrame(kept, infer_schema_length=None)))]:
        check_equal(store.commit("frames", rows).outcome, "unchanged", f"a frame of {name}")
    large = [{"id": "a", "count": 10**30 + 1}, {"id": "b"}]
    store.commit("large", large)
    frame = pandas.DataFrame([*store.items("large")], dtype=object)
    check_equal(store.commit("large", page["pandas_items"](frame)).outcome, "unchanged", "digits in pandas")

    os.environ["PATH"] = f"{BUILD}:{os.environ['PATH']}"
    os.chdir(folder)
    Path("films.csv").write_text("title,year,code\nAlien,1979,007\nJaws,1975,\n")
    exec(session, page)
    check_equal(page["table"].to_dicts(), [
        {"code": "007", "title": "Alien", "year": "1979"}, {"code": None, "title": "Jaws", "year": "1975"}], "the page's table")
    check_equal(page["frame"]["year"].tolist(), ["1979", "1975"], "the page's frame")
    say("frames of pandas and polars: committed without a change")


if __name__ == "__main__":
    run("other programs on an export", body)
