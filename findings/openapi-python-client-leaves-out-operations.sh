#!/usr/bin/env bash
# openapi-python-client 0.29.1: an operation with a header parameter of the schema {"const": "*"} is not in the generated
# client, and the generator exits 0.
#
# Guessed: a constant without "type" is allowed (JSON Schema 2020-12, which OpenAPI 3.1 uses), so the parameter becomes a
# literal; what a generator cannot do makes it fail.
# Seen: the client has the GET of the path and no PUT. A warning is printed ("Endpoint will not be generated"), the exit code
# is 0. With {"type": "string", "enum": ["*"]} both are there.
# Why it matters: `If-None-Match: *` is how a program makes a list only where there is none, so a description of such a
# service has this parameter. The generated client can read and not write, and a build that only looks at the exit code does
# not notice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install openapi-python-client==0.29.1
cd "$folder"

# The operations of the client generated for a schema of the header parameter.
operations() {
  cat >api.json <<JSON
{"openapi": "3.1.0", "info": {"title": "Lists", "version": "1"}, "paths": {"/lists/{list}": {
  "parameters": [{"name": "list", "in": "path", "required": true, "schema": {"type": "string"}}],
  "get": {"operationId": "head", "responses": {"204": {"description": "there"}}},
  "put": {"operationId": "commit",
    "parameters": [{"name": "If-None-Match", "in": "header", "schema": $1}],
    "responses": {"201": {"description": "made"}}}}}}
JSON
  rm -rf lists-client
  v/bin/openapi-python-client generate --path api.json --meta none --output-path lists-client >log 2>&1
  (cd lists-client/api/default && printf '%s\n' [a-z]*.py | paste -sd' ')
}

constant=$(operations '{"const": "*"}')
grep 'Endpoint will not be generated' log
echo "with a constant:       $constant"
[ "$constant" = head.py ]
enumeration=$(operations '{"type": "string", "enum": ["*"]}')
echo "with an enumeration:   $enumeration"
[ "$enumeration" = 'commit.py head.py' ]
