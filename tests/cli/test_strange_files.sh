#!/bin/sh
# Ambiguous files are refused by name: XML in another encoding, duplicate keys, several hard links.
. "$(dirname "$0")/lib.sh"

mkdir project
cd project || exit 1
run 0 init
block='<thread_context thread="t-1" objective="o-1" relations_file=".leslie/thread_relations.json"><asset type="plan" path=".leslie/threads/t-1/plan.md" /></thread_context>'

# XML that declares another encoding than the one used to read it.
for encoding in UTF-7 iso-8859-1 UTF-16 US-ASCII windows-1252 EBCDIC-CP-US; do
	printf '<?xml version="1.0" encoding="%s"?>\n%s\n' "$encoding" "$block" >block.xml
	run 1 thread parse block.xml
	says out "it is XML in $encoding; only UTF-8 is supported"
	says out '"thread":null'
	run 1 import block.xml
done
printf "\357\273\277 <?xml version='1.0' encoding = 'Latin1' ?>\n%s\n" "$block" >block.xml
run 1 thread parse block.xml
says out 'it is XML in Latin1'
if command -v iconv >/dev/null; then
	for encoding in UTF-16 UTF-16LE UTF-16BE UTF-32; do
		printf '<?xml version="1.0"?>\n%s\n' "$block" | iconv -t "$encoding" >block.xml
		run 1 thread parse block.xml
		says out 'it is XML in UTF-'
	done
fi
for head in '' '<?xml version="1.0"?>' '<?xml version="1.0" encoding="UTF-8"?>' "<?xml version='1.0' encoding='utf-8' standalone='yes'?>"; do
	printf '%s\n%s\n' "$head" "$block" >block.xml
	run 0 thread parse block.xml
	says out '"thread":"t-1"'
done

# A duplicate key, escaped or nested, in JSON or JSON Lines: nothing is imported.
good='{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}'
for twice in '{"messages":[{"role":"user","content":"a","content":"z"},{"role":"assistant","content":"b"}]}' \
	'{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"messages":[]}' \
	'{"messages":[{"role":"user","con\u0074ent":"a","content":"z"},{"role":"assistant","content":"b"}]}' \
	'{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"x":{"y":[{"k":1,"k":2}]}}'; do
	printf '%s\n' "$twice" >one.json
	printf '%s\n%s\n%s\n' "$good" "$good" "$twice" >some.jsonl
	run 1 import one.json
	says err 'appears twice'
	run 1 import some.jsonl
	says err 'line 3: '
	says err 'appears twice'
	run 0 trees
	silent out
done
# The other readers of lines.
printf '%s\n' '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"x"}}' \
	'{"type":"user","uuid":"u2","uuid":"u3","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":"y"}}' >code.jsonl
run 1 import code.jsonl
says err 'the key "uuid" appears twice'
printf '%s\n' '{"user_name":"U","character_name":"C","create_date":"x","chat_metadata":{}}' \
	'{"name":"U","is_user":true,"mes":"x","mes":"y"}' >tavern.jsonl
run 1 import tavern.jsonl
says err 'the key "mes" appears twice'
# Many keys in one object, which takes a different code path.
{
	printf '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]'
	for i in $(seq 100) 57; do printf ',"k%d":0' "$i"; done
	printf '}\n'
} >many.json
run 1 import many.json
says err 'the key "k57" appears twice'
sed 's/,"k57":0}/}/' many.json >fewer.json
run 0 import fewer.json
printf '%s\n%s\n' "$good" "$good" >good.jsonl
run 0 import good.jsonl

# A payload reads no file with several hard links.
mkdir -p "$work/outside" .teddy/first/01
echo 'a secret of another place' >"$work/outside/secret"
echo 'harmless' >plain.txt
ln "$work/outside/secret" harmless.txt
printf 'harmless.txt\nplain.txt\n' >.teddy/global.context
run 0 payload
lacks out 'a secret of another place'
says out 'NOT SHOWN: a file with 2 names (hard links)'
says err 'harmless.txt has more than one name (hard links)'
says out '
harmless
'
mkdir folder
ln "$work/outside/secret" folder/inner.txt
echo folder >.teddy/first/session.context
run 0 payload
lacks out 'a secret of another place'
ln "$work/outside/secret" .teddy/memos.yaml
ln "$work/outside/secret" .teddy/first/01/turn.context
run 0 payload
lacks out 'a secret of another place'
lacks out 'another%20place'
says err '.teddy/memos.yaml has more than one name'
says err '.teddy/first/01/turn.context has more than one name'
rm "$work/outside/secret" folder/inner.txt .teddy/memos.yaml .teddy/first/01/turn.context
run 0 payload
says out 'a secret of another place'
verdict
