#!/bin/sh
# Remove any one of the security checks, and a test fails.
#
# usage: removed_checks.sh look SOURCE BUILD         is the list right? (a second)
#        removed_checks.sh run SOURCE [NUMBER…]      remove them one by one; NUMBER: only these lines
#
# Each line of removed_checks.txt, beside this script, is one check: FILE, a piece of one line of it
# that stands there once, what takes its place with the check removed, and a regular expression of
# the names of the tests that must fail then; tabs between them. # begins a comment. `run` works on a
# copy of SOURCE with a build folder of its own, below $TMPDIR; LOOM_GREATEST_DIR, if it is set, has
# greatest.h. It ends with 1 when a check can go and no test sees it.
set -eu
usage="usage: $0 look SOURCE BUILD | run SOURCE [NUMBER…]"
mode=${1:?$usage}
source=$(cd "${2:?$usage}" && pwd)
list=$source/tests/faults/removed_checks.txt

# Says of the list what is wrong with it, and puts the checks down as files: WORK/NUMBER.{file,old,new,
# tests}. `known` is ctest's list of tests, or nothing.
read_list() {
	python3 - "$source" "$list" "$1" "$2" <<'EOT'
import json, os, re, sys
source, path, work, known = sys.argv[1:]
names = []
if known:
    with open(known, encoding="utf-8") as file:
        names = [test["name"] for test in json.load(file)["tests"]]
bad = count = 0

def wrong(number, what):
    global bad
    bad += 1
    print("removed_checks.txt:%d: %s" % (number, what))

for number, line in enumerate(open(path, encoding="utf-8"), 1):
    line = line.rstrip("\n")
    if not line or line.startswith("#"):
        continue
    fields = line.split("\t")
    if len(fields) != 4 or not all(fields):
        wrong(number, "not FILE, text, replacement, tests with single tabs between them")
        continue
    file, old, new, tests = fields
    count += 1
    try:
        text = open(os.path.join(source, file), encoding="utf-8").read()
    except OSError as error:
        wrong(number, str(error))
        continue
    if text.count(old) != 1:
        wrong(number, "in %s %d times, not once: %s" % (file, text.count(old), old))
    if old == new:
        wrong(number, "the replacement changes nothing")
    if known and not any(re.search(tests, name) for name in names):
        wrong(number, "no test is called %s" % tests)
    for kind, value in (("file", file), ("old", old), ("new", new), ("tests", tests)):
        with open(os.path.join(work, "%d.%s" % (number, kind)), "w", encoding="utf-8") as out:
            out.write(value)
print("%d checks, %d lines wrong" % (count, bad))
sys.exit(1 if bad else 0)
EOT
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
chmod a+x "$work" # a test runs the program as somebody else
mkdir "$work/list"

if [ "$mode" = look ]; then
	ctest --test-dir "${3:?$usage}" --show-only=json-v1 >"$work/known"
	read_list "$work/list" "$work/known"
	exit
fi
[ "$mode" = run ] || {
	echo "$usage" >&2
	exit 2
}
shift 2
read_list "$work/list" ""

# --- a copy, and a build of it ---

# Wherever the copy lies, ccache knows what it has compiled before.
CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=true
export CCACHE_BASEDIR CCACHE_NOHASHDIR

tree=$work/loom
build=$work/loom/build
mkdir "$tree"
(cd "$source" && tar -cf - --exclude=./.git --exclude='./build*' .) | tar -xf - -C "$tree"
[ ! -d "$source/../shared" ] || ln -s "$(cd "$source/../shared" && pwd)" "$work/shared"
set -- -- "$@"
! command -v ninja >/dev/null || set -- -G Ninja "$@"
! command -v ccache >/dev/null || set -- -DCMAKE_C_COMPILER_LAUNCHER=ccache "$@"
[ -z "${LOOM_GREATEST_DIR:-}" ] || set -- -DLOOM_GREATEST_DIR="$LOOM_GREATEST_DIR" "$@"
options=
while [ "$1" != -- ]; do
	options="$options $1"
	shift
done
shift
# shellcheck disable=SC2086
cmake -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo $options >"$work/said" 2>&1 &&
	cmake --build "$build" -j 2 --target loom >"$work/said" 2>&1 || {
	tail -n 40 "$work/said"
	echo "the copy cannot be built"
	exit 1
}

# The programs that the tests of a name start, and those that these start, as targets: nothing else
# is built. ctest itself knows no commands of programs that are not there yet.
targets() {
	python3 - "$build" "$1" <<'EOT'
import glob, os, re, subprocess, sys
build, tests = sys.argv[1:]
if not os.path.exists(os.path.join(build, "build.ninja")): # make knows no files by name
    print("all")
    sys.exit()
made = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True).stdout
made = {line.rsplit(":", 1)[0] for line in made.splitlines()}
found = {"loom"}
for path in glob.glob(build + "/**/CTestTestfile.cmake", recursive=True):
    for name, command in re.findall(r'^add_test\(\[=\[(.*?)\]=\] (.*)\)$', open(path, encoding="utf-8").read(), re.M):
        for word in re.findall(r'"([^"]*)"', command) if re.search(tests, name) else []:
            if word.startswith(build + "/") and os.path.relpath(word, build) in made:
                found.add(os.path.relpath(word, build))
print(" ".join(sorted(found)))
EOT
}

# try TESTS: builds what they start and runs them: 0 all pass, 1 one fails, 2 it does not compile.
try() {
	# shellcheck disable=SC2046
	cmake --build "$build" -j 2 --target $(targets "$1") >"$work/said" 2>&1 || return 2
	ctest --test-dir "$build" -R "$1" --no-tests=error --stop-on-failure --timeout 600 \
		>"$work/said" 2>&1 || return 1
}

put() {
	python3 - "$tree/$(cat "$1.file")" "$1.old" "$1.new" <<'EOT'
import sys
path, old, new = sys.argv[1:]
text = open(path, encoding="utf-8").read()
old, new = open(old, encoding="utf-8").read(), open(new, encoding="utf-8").read()
assert text.count(old) == 1
open(path, "w", encoding="utf-8").write(text.replace(old, new))
EOT
}

# --- one by one ---

survived=0
say() {
	printf '%5s  %-28s  %-24s  %s\n' "$1" "$2" "$3" "$4"
}
say line file result check
for check in $(cd "$work/list" && ls -- *.file | sed 's/\.file$//' | sort -n); do
	[ $# -eq 0 ] || case " $* " in *" $check "*) ;; *) continue ;; esac
	one=$work/list/$check
	file=$(cat "$one.file")
	tests=$(cat "$one.tests")
	result=
	if ! grep -qxF -e "$tests" "$work/sound" 2>/dev/null; then
		if try "$tests"; then
			printf '%s\n' "$tests" >>"$work/sound"
		else
			result='FAILS WITH THE CHECK'
		fi
	fi
	if [ -z "$result" ]; then
		cp -p "$tree/$file" "$work/kept"
		put "$one"
		status=0
		try "$tests" || status=$?
		case $status in
		0) result='NO TEST FAILS' ;;
		1) result=seen ;;
		*) result='DOES NOT COMPILE' ;;
		esac
		cp "$work/kept" "$tree/$file" # newer than what was built of the other one
	fi
	say "$check" "$file" "$result" "$(cat "$one.old")"
	[ "$result" = seen ] && continue
	survived=$((survived + 1))
	sed 's/^/    /' "$work/said" | tail -n 20
done
echo "$survived survived"
[ "$survived" -eq 0 ]
