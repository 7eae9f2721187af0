#!/bin/sh
# A rule that cannot fail proves nothing: this builds a small house that keeps every rule, then
# breaks one rule at a time. usage: rules_can_fail.sh FOLDER_OF_RULES COMPILER
set -eu
rules=${1:?usage: rules_can_fail.sh FOLDER_OF_RULES COMPILER}
compiler=${2:?usage: rules_can_fail.sh FOLDER_OF_RULES COMPILER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
house=$work/house
wrong=0
shown=0

build_house() {
	rm -rf "$house"
	mkdir -p "$house/include/loom/low" "$house/include/loom/high" "$house/model/low" \
		"$house/tools/high" "$house/.ci" "$house/tests/house"
	cd "$house"
	printf '/* What a does for others. */\n#ifndef A_H\n#define A_H\nint loom_a(void);\n#endif\n' >include/loom/low/a.h
	printf '/* What b does for others. */\n#ifndef B_H\n#define B_H\nint loom_b(void);\n#endif\n' >include/loom/high/b.h
	printf '/* How a does it. */\n#include <loom/low/a.h>\n\nint loom_a(void)\n{\n\treturn 1;\n}\n' \
		>model/low/a.c
	printf '/* How b does it. */\n#include <loom/high/b.h>\n#include <loom/low/a.h>\n\nint loom_b(void)\n{\n\treturn loom_a();\n}\n' \
		>tools/high/b.c
	: >tests/house/answers.txt
	printf '/* What b is for. */\nint loom_b(void);\n' >tests/test_b.c
	yes 'A line about a room.' | head -n 20 | tee model/low/README.md >tools/high/README.md
	printf 'model/low:\ntools/high: model/low\n' >tests/house/rooms.txt
	cp "$rules/hosts.txt" "$rules/glossary.txt" tests/house/
	cp "$rules/../../.clang-format" .
	printf '#!/bin/sh\necho .ci/test\n' >.ci/run
	printf '#!/bin/sh\nctest\n' >.ci/test
	cp .ci/test .ci/install
	chmod +x .ci/*
	cat >README.md <<'EOT'
```sh
.ci/install && true && build/loom
```
```sh
.ci/test
```
Its file is `tools/high/b.c`.
EOT
	for page in include/loom tests model tools; do
		yes '' | head -n 20 >"$page/README.md"
	done
}

# Builds the objects of the small house where a build would put them, for the rules that read calls.
compile() {
	rm -rf build
	for file in model/*/*.c tools/*/*.c; do
		mkdir -p "build/CMakeFiles/x.dir/${file%/*}"
		"$compiler" -w -Iinclude -c "$file" -o "build/CMakeFiles/x.dir/$file.o"
	done
}

# Runs a rule on the house in its present state; some rules read its objects.
judge() {
	case $1 in
	circles) compile && "$rules/circles.sh" "$house" "$house/build" model 1 ;;
	rooms | unused | answers) compile && "$rules/$1.sh" "$house" "$house/build" ;;
	*) "$rules/$1.sh" "$house" "$compiler" ;;
	esac >"$work/said" 2>&1
}

# Adds a room of commands, and functions that print.
commands() {
	mkdir -p include/loom/cli tools/commands
	printf 'void loom_out_text(void); /* prints */\nvoid cli_say(void);\n' >include/loom/cli/results.h
	printf 'void loom_answer_text(void);\nvoid cmd_x(void);\nvoid cmd_x(void)\n{\n\tloom_answer_text();\n}\n' \
		>tools/commands/c.c
}

# keeps RULE: the rule passes. breaks RULE WHAT: it fails, and the house is repaired afterwards.
keeps() {
	shown=$((shown + 1))
	judge "$1" && return 0
	[ $? -ne 77 ] || return 0
	echo "$1 is not content with a house that keeps it:"
	cat "$work/said"
	wrong=$((wrong + 1))
}

breaks() {
	shown=$((shown + 1))
	status=0
	judge "$1" || status=$?
	case $status in
	1 | 77) ;;
	*)
		echo "$1 lets pass: $2 (exit $status)"
		cat "$work/said"
		wrong=$((wrong + 1))
		;;
	esac
	build_house
}

build_house
for rule in top_level words libraries rooms circles unused map readme format sizes assertions glossary headers; do
	keeps "$rule"
done

: >Makefile
breaks top_level 'a file that does not belong at the top'
printf '/* TO%s: later */\n' DO >>model/low/a.c
breaks words 'left-over work'
printf '/* see /wor%s/here */\n' k/main >>model/low/a.c
breaks words 'a path of one machine'
printf '/* https:%sunheard-of.net/x */\n' // >>model/low/a.c
breaks words 'a host that nobody decided on'
printf 'const char *loom_said = "it holds a lease";\n' >>tools/high/b.c
breaks glossary 'a word of the engine in a message'
printf 'const char *loom_said = "the color is red";\n' >>tools/high/b.c
breaks glossary 'a second spelling'
printf '#include <sqlite3.h>\n' >>model/low/a.c
breaks libraries 'the store engine outside the store'
printf '#include <loom/grove/sql.h>\n' >>model/low/a.c
breaks libraries 'the store engine by way of the store'"'"'s own header'
printf '#include <sys/inotify.h>\n' >>model/low/a.c
breaks libraries 'a call of one system outside its files'
printf '# include <ncursesw/curses.h>\n' >>tools/high/b.c
breaks libraries 'curses outside the terminal'
printf '#include <curl/curl.h>\n' >>tools/high/b.c
breaks libraries 'libcurl outside its room'
printf '#include <libxml/parser.h>\n' >>tools/high/b.c
breaks libraries 'libxml2 outside its room'
printf 'int loom_b(void);\nint loom_c(void);\nint loom_c(void)\n{\n\treturn loom_b();\n}\n' >>model/low/a.c
breaks rooms 'a call of a room that may not be called'
printf '#include <loom/high/b.h>\n' >>model/low/a.c
breaks rooms 'an include of a room that may not be included'
printf '#include <loom/high/b.h>\n' >>include/loom/low/a.h
breaks rooms 'such an include in a header'
: >tools/high/inside.h
printf '#include "../../tools/high/inside.h"\n' >>model/low/a.c
breaks rooms 'the inside of another room'
printf 'model/low: tools/high\ntools/high: model/low\n' >tests/house/rooms.txt
printf 'int loom_b(void);\nint loom_c(void);\nint loom_c(void)\n{\n\treturn loom_b();\n}\n' >>model/low/a.c
breaks rooms 'a circle'
printf 'tools/high: model/low\nmodel/low:\n' >tests/house/rooms.txt
breaks rooms 'a list that is not in order'
printf 'model/low:\ntools/high: model/low\nmodel/more: model/low\n' >tests/house/rooms.txt
breaks rooms 'a room that is not there'
mkdir model/more
printf '/* More. */\n' >model/more/m.c
breaks rooms 'a folder that is no room'
printf 'int loom_b(void)\n{\n\treturn 1;\n}\n' >tools/high/b.c
breaks rooms 'a call that is allowed and never made'
printf 'int loom_c(void);\n' >>include/loom/low/a.h
breaks unused 'a function that no file defines'
printf 'int loom_c(void);\n' >>include/loom/low/a.h
printf 'int loom_c(void)\n{\n\treturn 1;\n}\n' >>model/low/a.c
breaks unused 'a function that no other file needs'
yes '' | head -n 60 >>model/low/a.c
breaks assertions 'a room that asserts nothing'
rm tools/high/README.md
breaks rooms 'a room without a README.md'
printf '`gone.c`\n' >>model/low/README.md
breaks rooms 'a README.md that names a file that is not there'
for i in $(seq 26); do : >"model/low/f$i.h"; done
breaks rooms 'a room of 27 files'
printf '/* How b does it. */\n' >model/low/b.c
breaks rooms 'two files of one name'
commands
keeps answers
build_house
for call in loom_out_text cli_say puts; do
	commands
	printf 'int %s();\nvoid cmd_y(void);\nvoid cmd_y(void)\n{\n\t%s("");\n}\n' "$call" "$call" \
		>>tools/commands/c.c
	breaks answers "a command that calls $call"
done
commands
echo tools/commands >tests/house/answers.txt
breaks answers 'a room that is listed as printing and does not'
# A header of a room whose comments are read.
contract() {
	mkdir -p include/loom/low
	printf '/* Opens it; the caller closes it. */\nint loom_d(void);\n/* %s */\nint loom_e(void);\n' "$1" \
		>include/loom/low/e.h
}
contract 'Closes it, whoever asks.'
keeps english
build_house
for comment in 'Closes it. Who asks twice is refused.' 'What closes it again.' 'T601.' 'The same for trees and for nodes.'; do
	contract "$comment"
	breaks english "the comment \"$comment\""
done
printf 'int loom_c;\n' >include/loom/low/c.h
breaks map 'a file that begins with no comment'
sed -i '1s/How a does it/a/' model/low/a.c
breaks map 'a file that begins with a letter'
sed -i '1s/does it\./does it/' model/low/a.c
breaks map 'a file that begins with no sentence'
printf '/* How c does it. */\nint loom_a(void);\nint loom_c(void);\nint loom_c(void)\n{\n\treturn loom_a();\n}\n' >model/low/c.c
printf 'int loom_c(void);\nint loom_d(void);\nint loom_d(void)\n{\n\treturn loom_c();\n}\n' >>model/low/a.c
breaks circles 'objects that reach each other'
yes '' | head -n 250 >>README.md
breaks readme 'a README of more lines than are read'
rm tools/high/b.c
breaks readme 'a file in README.md that is gone'
echo '[a page](of.md)' >>README.md
breaks readme 'a link in README.md that leads nowhere'
yes '' | head -n 200 >include/loom/README.md
breaks readme 'a page of more lines than it may have'
rm tests/README.md
breaks readme 'a page that is gone'
echo '`c.c` does it' >>tools/README.md
breaks readme 'a file in a page that is gone'
printf '```sh\ntrue\n```\n' >>README.md
breaks readme 'a third command'
printf '#!/bin/sh\necho ctest\n' >.ci/run
breaks readme 'another command in .ci/run'
sed -i 's/ && build.loom//' README.md
breaks readme 'a first command that does not open the program'
printf '#!/bin/sh\ntrue\n' >.ci/test
breaks readme 'a .ci/test that runs no tests'
printf '#!/bin/sh\nctest --repeat until-pass:3\n' >.ci/test
breaks readme 'tests that are repeated until they pass'
chmod -x .ci/install
breaks readme 'a script that may not be executed'
printf 'int  loom_c( void );\n' >>include/loom/low/a.h
breaks format 'a file laid out otherwise'
{
	printf 'int loom_long(void)\n{\n'
	yes '	;' | head -n 70
	printf '}\n'
} >>model/low/a.c
breaks sizes 'a function of 73 lines'
yes '/* */' | head -n 801 >model/low/a.c
breaks sizes 'a file of 801 lines'
printf 'static int counter = 0;\n' >>model/low/a.c
breaks sizes 'a mutable variable at file scope'
printf 'size_t loom_c(void);\n' >>include/loom/low/a.h
breaks headers 'a header that leans on others'
printf 'int model(void)\n{\n\treturn 1;\n}\n' >"$work/lower.c"
printf 'int model(void);\nint tool(void)\n{\n\treturn model();\n}\n' >"$work/upper.c"
printf 'int tool(void);\nint model(void)\n{\n\treturn tool();\n}\n' >"$work/climbs.c"
cd "$work"
"$compiler" -c lower.c upper.c climbs.c
ar rc lower.a lower.o
ar rc upper.a upper.o
ar rc climbs.a climbs.o
shown=$((shown + 2))
"$rules/upward_call.sh" "$compiler" '' '' "$work/lower.a" "$work/upper.a" || {
	echo 'upward_call is not content with two rooms that keep it'
	wrong=$((wrong + 1))
}
if "$rules/upward_call.sh" "$compiler" '' '' "$work/climbs.a" "$work/upper.a"; then
	echo 'upward_call lets an upward call pass'
	wrong=$((wrong + 1))
fi
echo "rules_can_fail: $shown shown, $wrong wrong"
[ "$wrong" -eq 0 ]
