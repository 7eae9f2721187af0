#!/bin/sh
# A rule that cannot fail proves nothing: builds a small house that keeps every rule, then breaks
# one rule at a time. usage: rules_can_fail.sh FOLDER_OF_RULES COMPILER
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
	mkdir -p "$house/include/loom" "$house/model" "$house/tools" "$house/.ci" "$house/tests/house"
	cd "$house"
	printf '#ifndef A_H\n#define A_H\nint loom_a(void);\n#endif\n' >include/loom/a.h
	printf '#ifndef B_H\n#define B_H\nint loom_b(void);\n#endif\n' >include/loom/b.h
	printf '#include <loom/a.h>\n\nint loom_a(void)\n{\n\treturn 1;\n}\n' >model/a.c
	printf '#include <loom/a.h>\n#include <loom/b.h>\n\nint loom_b(void)\n{\n\treturn loom_a();\n}\n' \
		>tools/b.c
	cp "$rules/hosts.txt" tests/house/
	cp "$rules/../../.clang-format" .
	printf '#!/bin/sh\necho "true && ctest"\n' >.ci/run
	chmod +x .ci/run
	cat >README.md <<'EOT'
```sh
true
```
```sh
true && ctest
```
## The map
- `include/loom/a.h`: what a does for others
- `include/loom/b.h`: what b does for others
- `model/a.c`: how a does it, in one line
- `tools/b.c`: how b does it, in one line
EOT
}

# keeps RULE … and breaks RULE WHAT …: the rule's verdict on the house as it stands.
keeps() {
	shown=$((shown + 1))
	"$rules/$1.sh" "$house" "$compiler" >"$work/said" 2>&1 && return 0
	[ $? -ne 77 ] || return 0
	echo "$1 is not content with a house that keeps it:"
	cat "$work/said"
	wrong=$((wrong + 1))
}

breaks() {
	shown=$((shown + 1))
	status=0
	"$rules/$1.sh" "$house" "$compiler" >"$work/said" 2>&1 || status=$?
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
for rule in top_level words includes map readme format sizes headers; do
	keeps "$rule"
done

: >Makefile
breaks top_level 'a file that does not belong at the top'
printf '/* TO%s: later */\n' DO >>model/a.c
breaks words 'left-over work'
printf '/* see /wor%s/here */\n' k/main >>model/a.c
breaks words 'a path of one machine'
printf '/* https:%sunheard-of.net/x */\n' // >>model/a.c
breaks words 'a host that nobody decided on'
printf '#include <loom/b.h>\n' >>model/a.c
breaks includes 'an upward include through a public header'
printf '#include "../tools/b_impl.h"\n' >>model/a.c
breaks includes 'an upward include through a folder'
printf '#include <loom/b.h>\n' >>include/loom/a.h
breaks includes 'an upward include in a header'
printf '#include <sqlite3.h>\n' >>model/a.c
breaks includes 'the store engine outside the store'
printf '#include "store_impl.h"\n' >>model/a.c
breaks includes 'the store engine by way of the store'"'"'s own header'
printf '#include <sys/inotify.h>\n' >>model/a.c
breaks includes 'a call of one system outside its files'
printf '# include <ncursesw/curses.h>\n' >>tools/b.c
breaks includes 'curses outside the screen'
printf '#include <curl/curl.h>\n' >>tools/b.c
breaks includes 'libcurl outside tools/http.c'
printf '#include <libxml/parser.h>\n' >>tools/b.c
breaks includes 'libxml2 in a file that says nothing of XML'
: >model/new.c
breaks map 'a file that is not on the map'
rm tools/b.c
breaks map 'a file on the map that is gone'
echo '- `model/a.c`: twice on the map, in one line' >>README.md
breaks map 'a file twice on the map'
sed -i 's/how a does it.*//' README.md
breaks map 'a line of the map without words'
printf '```sh\ntrue\n```\n' >>README.md
breaks readme 'a third command'
printf '#!/bin/sh\necho "ctest"\n' >.ci/run
breaks readme 'another command in .ci/run'
printf 'int  loom_c( void );\n' >>include/loom/a.h
breaks format 'a file laid out otherwise'
{
	printf 'int loom_long(void)\n{\n'
	yes '	;' | head -n 70
	printf '}\n'
} >>model/a.c
breaks sizes 'a function of 73 lines'
yes '/* */' | head -n 801 >model/a.c
breaks sizes 'a file of 801 lines'
printf 'static int counter = 0;\n' >>model/a.c
breaks sizes 'a mutable variable at file scope'
printf 'size_t loom_c(void);\n' >>include/loom/a.h
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
