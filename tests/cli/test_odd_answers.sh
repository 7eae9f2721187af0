#!/bin/sh
# Model answers that look complete but are not, are empty, or have rare characters: each is kept as it
# was, and the reader is told.
. "$(dirname "$0")/lib.sh"

cat >answers.json <<'EOT'
[{"text": "Cut short", "finish": "length"},
 {"text": "Held ba", "finish": "content_filter"},
 "",
 "A \u0000 and half a pair \ud83d\n→ respond r001 \"x\u0000y\"\n",
 "Kept.\n",
 "→ think first\nthen second\n←\n",
 "→ view r001\n"]
EOT
play "$here/model.py"

run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 agent add Claude --permissions all --approval auto
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000}},
 "collaborator_model":"m"'

run 0 chat --input one
says out 'Cut short'
says err 'warning: the answer was cut at its token limit'
run 0 chat --input two
says err 'warning: the provider withheld the rest of the answer'
run 0 chat --input three
silent out
says err 'warning: the answer is empty'

# A lone surrogate swallows nothing after it; U+0000 is an ordinary character.
run 0 chat --input four
says out '✓ created ['
says out 'Kept.'
silent err
run 0 thread log -a Claude --json
says out '"text":"A \u0000 and half a pair �\n→ respond r001 \"x\u0000y\"'
says out '"content":"A \u0000 and half a pair �"'

# A thought over several lines is one action; a turn that never ends is told where it was ended.
run 0 chat --input five
says err 'the turn ends here, at its limit of 8 rounds: 8 calls · '
run 0 context -a Claude
lacks out 'then second'
run 0 thread log -a Claude --json
says out '"thinking":"first\nthen second"'

# A turn gets what is left of the window after the agent's prompt.
run 0 context -a Claude --format json
python3 - out >sizes <<'EOT'
import json, sys
d = json.load(open(sys.argv[1]))
print("Context: %s tokens used · %s available" %
      (format(d["total"], ","), format(d["budget"] - d["total"], ",")))
EOT
run 0 do -a Claude memory
says out "$(cat sizes)"

verdict
