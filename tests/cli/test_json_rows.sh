#!/bin/sh
# Every command of the table answers JSON with --json, and so does every refusal.
. "$(dirname "$0")/lib.sh"

cat >answers.json <<'EOT'
["→ bookmark r001\n", "Done.\n"]
EOT
play "$here/model.py"
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000}},
 "collaborator_model":"m", "summary_model":"m"'
mkdir grove
cd grove || exit 1
checks=$((checks + 1))
python3 "$here/json_rows.py" "$loom" || fail 'some commands do not answer in JSON'
verdict
