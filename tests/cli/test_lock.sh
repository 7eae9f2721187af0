#!/bin/sh
# Waiting for the writer lock ends, even if no timer can be created to interrupt it.
. "$(dirname "$0")/lib.sh"
command -v flock >/dev/null || skip 'no flock to hold the lock'
command -v prlimit >/dev/null || skip 'no prlimit to take the timers away'
run 0 init
run 0 new --root once
exec 9>>.loom/lock
flock 9
timeout 30 prlimit --sigpending=0 "$loom" do tag r001 waits >"$work/out" 2>"$work/err"
status 3 'a write where no signal can be queued'
says out '✗ BUSY'
run 3 do tag r001 waits
says out '✗ BUSY'
exec 9>&-
timeout 30 prlimit --sigpending=0 "$loom" do tag r001 waits >"$work/out" 2>"$work/err"
status 0 'a write once the lock is free'
verdict
