"""Clients that two generators make of /openapi.json, each with a commit, deltas and a log on a running server."""

import importlib
import subprocess
import sys
from pathlib import Path

from interop import check, check_equal, say

HERE = Path(sys.executable).parent
FIRST = [{"id": "zion", "name": "Zion"}, {"id": "acadia", "name": "Acadia"}]
SECOND = [{"id": "acadia", "name": "Acadia", "rating": 5}, {"id": "zion", "name": "Zion"}, {"id": "denali", "name": "Denali"}]
THIRD = SECOND[1:]


def generate(program, *arguments):
    done = subprocess.run([HERE / program, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    told = done.stdout + done.stderr
    check_equal(done.returncode, 0, f"{program}'s exit code ({told[-2000:]})")
    return told


def removal(changes):
    """The document of changes that takes the first item out of the list to which these changes lead."""
    return {"format": "list-delta/1", "kind": "changes", "from": changes["to"], "to": {"count": len(THIRD)},
            "removed": [{"id": "acadia", "from": 0}], "moved": [], "inserted": [], "updated": []}


def check_log(counts, groups):
    check_equal(counts, [2, 3, 2], "the counts of a log's versions, newest first")
    check_equal(sum(group["newest"] - group["oldest"] + 1 for group in groups), 3, "the versions in all groups")


def openapi_python_client(server, folder):
    told = generate("openapi-python-client", "generate", "--url", f"{server.url}/openapi.json", "--meta", "none",
                    "--output-path", folder / "by_openapi_python_client")
    check("Endpoint will not be generated" not in told, f"openapi-python-client leaves out an operation: {told}")
    client = importlib.import_module("by_openapi_python_client")
    models = importlib.import_module("by_openapi_python_client.models")

    def call(operation, *arguments, **options):
        module = importlib.import_module(f"by_openapi_python_client.api.{operation}")
        answer = module.sync_detailed(*arguments, client=client.Client(base_url=server.url), **options)
        check(answer.status_code < 300, f"{operation}: {answer.status_code} {answer.content[:500]!r}")
        return answer.parsed
    name = "by-openapi-python-client"
    first = call("commits.replace", name, body=FIRST, if_none_match=models.ReplaceIfNoneMatch("*"))
    second = call("commits.replace", name, body=SECOND, if_match=f'"{first.head.cursor}"', message="more")
    changes = call("versions.delta", name, since=first.head.cursor)
    check_equal(type(changes).__name__, "Changes", "the type of a delta")
    check_equal([entry.id for entry in changes.inserted], ["denali"], "the inserted items")
    document = models.DeltaToCommit.from_dict(removal(changes.to_dict()))
    third = call("commits.change", name, body=document, if_match=f'"{second.head.cursor}"')
    check_equal(third.head.count, 2, "the count after PATCH")
    merge = call("versions.delta", name, since=first.head.cursor, as_=models.DeltaAs("merge"))
    check_equal((type(merge).__name__, merge.rendering.value), ("Rendering", "merge"), "as=merge")
    whole = call("versions.delta", name, since="0", fallback=models.DeltaFallback("snapshot"))
    check_equal([item.content for item in whole.items], THIRD, "the whole list")
    check_log([record.count for record in call("versions.log", name)],
              [group.to_dict() for group in call("versions.log", name, groups=10)])
    call("commits.drop", name, if_match="*")


def openapi_generator(server, folder):
    generate("openapi-generator-cli", "generate", "-i", f"{server.url}/openapi.json", "-g", "python",
             "-o", folder, "--package-name", "by_openapi_generator")
    client = importlib.import_module("by_openapi_generator")
    configuration = client.Configuration(host=server.url)
    with client.ApiClient(configuration) as connection:
        commits, versions = client.CommitsApi(connection), client.VersionsApi(connection)
        name = "by-openapi-generator"
        first = commits.replace(name, FIRST, if_none_match="*")
        second = commits.replace(name, SECOND, if_match=f'"{first.head.cursor}"', message="more")
        changes = versions.delta(first.head.cursor, name).actual_instance
        check_equal(type(changes).__name__, "Changes", "the type of a delta")
        check_equal([entry.id for entry in changes.inserted], ["denali"], "the inserted items")
        document = client.DeltaToCommit.from_dict(removal(changes.to_dict()))
        third = commits.change(name, document, if_match=f'"{second.head.cursor}"')
        check_equal(third.head.count, 2, "the count after PATCH")
        merge = versions.delta(first.head.cursor, name, var_as="merge").actual_instance
        check_equal((type(merge).__name__, merge.rendering), ("Rendering", "merge"), "as=merge")
        whole = versions.delta("0", name, fallback="snapshot").actual_instance
        check_equal([item.content for item in whole.items], THIRD, "the whole list")
        check_log([record.count for record in versions.log(name).actual_instance],
                  [group.to_dict() for group in versions.log(name, groups=10).actual_instance])
        commits.drop(name, if_match="*")


def generated_clients_work(server, folder):
    sys.path.insert(0, str(folder))
    for one in (openapi_python_client, openapi_generator):
        one(server, folder)
        say(f"{one.__name__.replace('_', '-')}: its client commits, reads deltas and the log, and drops a list")
