"""The program of the client for many runs: reads the arguments of each as a line of JSON, and answers each with a line: exit code,
output, errors."""
import contextlib
import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from listsync import client  # noqa: E402

for line in sys.stdin:
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = client.main(json.loads(line))
    print(json.dumps([code, output.getvalue(), errors.getvalue()]), flush=True)
