#!/bin/sh
# MCP over HTTP: tokens, sessions, streams that are resumed, hostile clients.
. "$(dirname "$0")/lib.sh"
exec python3 "$here/http_doors.py" "$loom"
