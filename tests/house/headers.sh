#!/bin/sh
# Each public header compiles alone, and included twice, as strict C11 without extensions.
# usage: headers.sh SOURCE_ROOT COMPILER [BUILD_FOLDER]
compiler=${2:?usage: headers.sh SOURCE_ROOT COMPILER}
build=$(cd "${3:-.}" && pwd)
. "$(dirname "$0")/lib.sh"

for header in $(files | grep -E '^include/loom/.*\.h$'); do
	checked=$((checked + 1))
	name=${header#include/}
	if ! printf '#include <%s>\n#include <%s>\ntypedef int only_the_header;\n' "$name" "$name" |
		"$compiler" -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -I"$build/include" -x c -; then
		say "$header does not compile alone"
	fi
done
verdict
