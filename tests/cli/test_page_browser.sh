#!/bin/sh
# The page in a real browser, where one is installed.
. "$(dirname "$0")/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "skipped: no chromium is installed"
	exit 77
}
exec python3 "$here/page_browser.py" "$loom" "$browser"
