#!/bin/sh
# The completions, as the shells themselves would ask for them.
. "$(dirname "$0")/lib.sh"
command -v bash >/dev/null || skip 'no bash here'

"$loom" help --completion bash >"$work/loom.bash"
status 0 'loom help --completion bash'

# offers WORD… -- EXPECTED: completes the last word behind the others.
cat >"$work/ask" <<'ASK'
source "$1"
shift
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_loom
printf '%s\n' "${COMPREPLY[@]}"
ASK
ask() {
	what="completing $*"
	bash "$work/ask" "$work/loom.bash" "$@" >"$work/out" 2>"$work/err"
}

ask loom ''
says out help
says out version
silent err
ask loom vers
says out version
lines out 1
ask loom help --completion ''
says out bash
says out zsh
says out fish
lines out 3
ask loom help --comp
says out --completion
lines out 1
ask loom --json -g /tmp vers
says out version
ask loom version --js
says out --json
ask loom export --format m
says out md-branches
lines out 2
ask loom export --format = m
says out md-branches
lines out 2
ask loom export --format =
says out pyloom
# words from other lists: verbs, commands, scopes, themes
ask loom do ann
says out annotate
lines out 1
ask loom do annotate a
lines out 1
lacks out annotate
ask loom help thread
says out thread
lines out 2
ask loom help driv
says out drive
lines out 1
ask loom help salv
lines out 1
ask loom help prun
says out prune
ask loom payload add gl
says out global
ask loom theme show mo
says out mono
ask loom import --format sill
says out sillytavern
lines out 1
touch "$work/one file"
ask loom -g "$work/one"
says out "$work/one file"
lines out 1

for shell in zsh fish; do
	"$loom" help --completion $shell >"$work/out"
	status 0 "loom help --completion $shell"
	says out version
	if command -v $shell >/dev/null; then
		$shell -n "$work/out"
		status 0 "$shell -n"
	fi
done
if command -v shellcheck >/dev/null; then
	shellcheck -s bash "$work/loom.bash" >"$work/out"
	status 0 'shellcheck of the bash completion'
fi
verdict
