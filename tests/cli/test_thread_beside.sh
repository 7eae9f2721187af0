#!/bin/sh
# Beside the files of the program whose layout .leslie/ has: reading changes none of them, and
# writing keeps everything that the other program wrote.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
mkdir -p $t/T1/design $t/T1/.meta/transcripts $t/T2/context/inherited/T1/design \
	$t/T2/context/live $t/T3 .leslie/logs/obj-1 .leslie/relations.lock
cat >.leslie/objectives.json <<'END'
{
  "version": "1.0",
  "objectives": {
    "obj-1": {
      "id": "obj-1",
      "title": "Ship",
      "created_at": "2026-03-01T10:00:00.000Z",
      "updated_at": "2026-03-01T10:00:00.000Z",
      "status": "active",
      "thread_ids": ["T1", "T2", "T3"]
    }
  },
  "metadata": {"last_updated": "2026-03-01T10:00:00.000Z", "objective_count": 1}
}
END
record() {
	printf '    "%s": {"id": "%s", "title": "%s", "objective": "obj-1", ' "$1" "$1" "$2"
	printf '"created_at": "2026-03-01T10:00:00.000Z", "updated_at": "2026-03-01T10:00:00.000Z", '
	printf '"status": "%s", "tags": ["a", "b"], "parent_id": %s, ' "$3" "$4"
	printf '"storage_path": ".leslie/threads/%s", "executor": "agent", "session_id": "s-%s"}%s\n' \
		"$1" "$1" "$5"
}
operation() {
	printf '    {"id": "op-%s", "timestamp": "2026-03-01T10:00:0%s.000Z", ' "$1" "$1"
	printf '"command": "%s", "operator": "user", "params": {%s}}%s\n' "$2" "$3" "$4"
}
{
	printf '{\n  "version": "1.0",\n  "metadata": {"last_updated": '
	printf '"2026-03-01T10:00:09.000Z", "thread_count": 3},\n  "threads": {\n'
	record T1 'The interface' waiting_human null ,
	record T2 'The page' active '"T1"' ,
	record T3 'Old & done' frozen null ''
	printf '  },\n  "operations": [\n'
	operation 1 spawn '"thread_id": "T1", "parent_id": null, "inherit": "none", "inherit_scope": []' ,
	operation 2 inject '"thread_id": "T1", "type": "note", "content": "line\n→ \"x\""' ,
	operation 3 reference '"ref_id": "r1", "from_id": "T2", "to_id": "T1", "scope": ["all"], "binding": "frozen"' ,
	operation 4 transfer '"thread_id": "T1", "direction": "request_approval", "scope": ["all"]' ,
	operation 5 merge '"sources": ["T3"], "target": "T1", "conflict_strategy": "ours", "conflicts": []' ''
	printf '  ],\n  "relations": {\n'
	printf '    "T1": {"children": ["T2"], "references_to": [], "referenced_by": ["T2"], "depends_on": []},\n'
	printf '    "T2": {"children": [], "references_to": ["T1"], "referenced_by": [], "depends_on": ["T1"]},\n'
	printf '    "T3": {"children": [], "references_to": [], "referenced_by": [], "depends_on": []}\n  }\n}\n'
} >.leslie/thread_relations.json
cp .leslie/thread_relations.json .leslie/thread_relations.json.bak
cp .leslie/thread_relations.json wrote
echo 'now' >$t/T1/plan.md
echo 'api' >$t/T1/design/api.md
echo 'what was said' >$t/T1/.meta/transcripts/20260301-1000-begin.txt
printf '2026-03-01T10:00:02.000Z type=note content=line\n' >$t/T1/.meta/injections.log
echo 'then' >$t/T2/context/inherited/T1/plan.md
echo 'old api' >$t/T2/context/inherited/T1/design/api.md
echo 'level=info' >.leslie/logs/obj-1/objective.log
echo '{"default":"allow"}' >.leslie/permissions.json

# every file of the other program but those that a change must change
others() {
	find .leslie -type f ! -path '*/.global/*' "$@" -exec sha256sum {} + | sort -k2
}

# reading
others >before
run 0 thread list
says out waiting_human
run 0 objective list
run 0 thread context T2
lacks out transcripts
for id in T1 T2 T3; do
	run 0 thread show $id
	run 0 thread context $id
done
run 0 thread read T2 plan.md
says out then
others >after
checks=$((checks + 1))
cmp -s before after || fail "reading changed: $(diff before after | tail -n 3)"

# writing
kept() {
	others ! -name .loom.lock ! -name 'thread_relations.json*' ! -name 'objectives.json*' "$@"
}
kept >before
run 0 thread lifecycle T1 resume
run 0 thread spawn --objective obj-1 --id T4 --ref T1:plan.md
run 0 thread ref --from T3 --target T1 --binding live --scope design/
run 0 thread unref --from T3 --target T1
run 0 thread lifecycle T4 done
run 0 thread read T2 plan.md
says out then
kept ! -path '*/T4/*' ! -path '*/T3/context/*' >after
checks=$((checks + 1))
cmp -s before after || fail "writing changed: $(diff before after | tail -n 3)"
for word in '"op-1"' '"op-2"' '"op-3"' '"op-4"' '"op-5"'; do
	checks=$((checks + 1))
	line=$(grep -F "\"id\": $word" wrote)
	grep -qF "${line%,}" .leslie/thread_relations.json || fail "operation $word is not as it was"
done
for word in '"session_id": "s-T1"' '"tags": ["a", "b"]' '"depends_on": ["T1"]'; do
	checks=$((checks + 1))
	grep -qF "$word" .leslie/thread_relations.json || fail "$word was lost"
done
checks=$((checks + 1))
[ "$(grep -F '"T2": {"id"' wrote)" = "$(grep -F '"T2": {"id"' .leslie/thread_relations.json)" ] ||
	fail 'the record of a thread that nobody changed is not as it was'
verdict
