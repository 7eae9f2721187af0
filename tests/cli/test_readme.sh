#!/bin/sh
# The commands in README.md work: every block, in order, in one shell, unchanged; and every
# configuration is accepted.
. "$(dirname "$0")/lib.sh"

readme=$here/../../README.md
# blocks KIND: prints the fenced blocks of that kind.
blocks() {
	awk -v kind="$1" '$0 == "```" kind { inside = 1; next } /^```$/ { inside = 0 } inside' "$readme"
}

mkdir bin
ln -s "$loom" bin/loom
PATH=$work/bin:$PATH
export PATH
# each line unchanged, followed by a record of its exit status
blocks console | awk '{ print; print "echo $? " NR " >>\"$statuses\"" }' >shown.sh
checks=$((checks + 1))
[ "$(wc -l <shown.sh)" -ge 40 ] || fail 'README.md shows commands'
# the export that the README assumes
mkdir novel && cp "$here/../imports/chatgpt-list.json" novel/conversations.json
statuses=$work/statuses sh -u shown.sh >out 2>err
what='the commands of README.md'
lacks err '✗'
# all exit with 0, except the turn of an agent that must wait for a person
asks=$(blocks console | grep -n '^printf.*A door opened.*loom run' | cut -d: -f1)
checks=$((checks + 1))
[ "$(grep -v '^0 ' statuses)" = "1 $asks" ] || fail "$what: $(grep -v '^0 ' statuses)"
says out '✗ PERMISSION_DENIED: not done: a person has to approve it'
says out '  → respond r001 "A door opened."'
says out '<thread_context'
says out 'The house at the end of the lane stood empty.'
checks=$((checks + 1))
python3 -m json.tool novel/marie.json >json.out 2>&1 || fail 'marie.json is no JSON'

mkdir -p config/loom
awk '/^```json$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside { print > "config" n ".json" }' "$readme"
for file in config[0-9]*.json; do
	cp "$file" config/loom/config.json
	chmod 600 config/loom/config.json
	run 0 models
	lacks err '✗'
done
says out llama
cp config1.json config/loom/config.json
run 0 -g novel subject marie
run 0 -g novel subject
says out 'marie continues "Marie"'
verdict
