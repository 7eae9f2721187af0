#!/bin/sh
# Frozen copies hold: what cannot be copied is left out with a warning, a changed copy is not given
# out, and `loom check` finds and mends what can be derived.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
copy=$t/B/context/inherited
run 0 init
run 0 new --title First --root 'Begin.'
run 0 objective new --title Goal --id obj
run 0 thread spawn --objective obj --id A
mkdir -p $t/A/design
echo v1 >$t/A/plan.md
echo api >$t/A/design/api--x.md
ln -s plan.md $t/A/latest.md
mkfifo $t/A/pipe

# a link and a pipe do not keep the rest from being shared
run 0 thread spawn --objective obj --id B --ref A
says err 'latest.md of A was not copied: it is a symbolic link'
says err 'pipe of A was not copied: it is neither a file nor a folder'
[ "$(cat $copy/plan.md)" = v1 ] || fail 'the plan was not copied'
[ ! -e $copy/latest.md ] || fail 'a link was copied'
run 0 thread context B
says out "<!-- frozen copy: $copy/plan.md -->"
run 0 check

# stale: the source has changed; that is no damage
echo v2 >$t/A/plan.md
run 0 thread context B
says out "<!-- frozen copy, stale: $copy/plan.md -->"
run 0 thread show B
says out 'A (frozen copies, stale'
run 0 check
run 0 thread read B plan.md
says out v1

# forged: the copy itself was changed
chmod u+w $copy/plan.md
echo v3 >$copy/plan.md
run 1 thread read B plan.md
says err forged
silent out
run 0 thread context B
says out "<!-- frozen copy, forged: $copy/plan.md -->"
run 1 check
says out "$copy/plan.md: the frozen copy was changed after it was made"
run 1 check --repair
[ "$(cat $copy/plan.md)" = v3 ] || fail 'a copy was mended from another text'
echo v1 >$t/A/plan.md
run 0 check --repair
says out "mended: $copy/plan.md"
run 0 thread read B plan.md
says out v1
run 0 check

# lost, and brought back
rm -f $copy/design/api--x.md
run 1 check
says out "$copy/design/api--x.md: the frozen copy is missing"
run 0 check --repair
run 0 thread read B design/api--x.md
says out api

# a check writes nothing, whoever asks for it; --repair writes the list of threads anew
registry=$t/.global/registry.json
run 0 agent add Ana --permissions analyst
unchanged() {
	cp $registry before
	run "$1" check
	LOOM_AGENT=Ana run "$1" check
	checks=$((checks + 1))
	cmp -s before $registry || fail "a check wrote $registry"
}
cp .leslie/thread_relations.json moved
mv moved .leslie/thread_relations.json
unchanged 0
run 0 check --repair
cmp -s before $registry && fail 'an outdated list of threads was not written anew'
echo damage >>$registry
unchanged 1
says out "$registry: the list of threads is damaged"
run 0 check --repair
says out "mended: $registry"
sed -i 's/"status": "active"/"status": "archived"/' $registry
unchanged 1
run 0 check --repair
unchanged 0
grep -q archived $registry && fail 'a false list of threads was kept'

# the source is gone: the copies can still be read
rm -r $t/A
run 0 thread context B
says err 'Referenced Thread A not found'
lacks out '<ref'
says out "<!-- frozen copy, source gone: $copy/plan.md -->"
run 0 thread read B plan.md
says out v1
run 1 check
says out "$t/A/: the folder of the thread is missing"

# a list that cannot be read
echo '{ bad' >$copy/.refs.json
run 1 check
says out "$copy/.refs.json: the list of what the thread was given cannot be read"
verdict
