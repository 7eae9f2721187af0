#!/bin/sh
# The Debian package: cpack makes it of what was built; it holds what it should, and dpkg installs it,
# upgrades it while its program runs, and removes it, without leaving anything behind.
# usage: package.sh SOURCE_ROOT BUILD_FOLDER
build=$(cd "${2:?usage: package.sh SOURCE_ROOT BUILD_FOLDER}" && pwd)
. "$(dirname "$0")/lib.sh"
for tool in cpack dpkg dpkg-deb dpkg-shlibdeps gzip; do
	command -v $tool >/dev/null || skip "no $tool"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/out" 2>&1 || {
	cat "$work/out"
	say 'cpack makes no package'
}
package=$(ls "$work"/made/*.deb 2>/dev/null)
[ -n "$package" ] || say 'there is no package'
dpkg-deb -c "$package" >"$work/list"
for file in usr/bin/loom usr/share/man/man1/loom.1 usr/share/doc/loom/copyright \
	usr/share/doc/loom/changelog.gz usr/share/bash-completion/completions/loom \
	usr/share/zsh/site-functions/_loom usr/share/fish/vendor_completions.d/loom.fish \
	usr/share/loom/themes/default.json; do
	checked=$((checked + 1))
	grep -q "[ .]/$file\$" "$work/list" || say "the package has no $file"
done
grep -v ' root/root ' "$work/list" && say 'something belongs to somebody'
dpkg-deb -f "$package" Depends | grep -q libsqlite3-0 || say 'it does not say what it needs'

# The same, as a later version.
dpkg-deb -R "$package" "$work/next"
sed -i 's/^Version: .*/Version: 99.0/' "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/next" "$work/next.deb" >/dev/null

mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates" "$work/root/var/log"
: >"$work/root/var/lib/dpkg/status"
: >"$work/root/var/lib/dpkg/available"
in_root() {
	dpkg --root="$work/root" --force-not-root --force-depends --force-bad-path \
		--force-script-chrootless --log=/dev/null "$@" >"$work/out" 2>&1 || {
		cat "$work/out"
		say "dpkg $*"
	}
	checked=$((checked + 1))
}
in_root -i "$package"
program=$work/root/usr/bin/loom
HOME=$work/home
export HOME
mkdir -p "$work/grove" "$work/home"
cd "$work/grove" || exit 1
"$program" init >/dev/null || say 'the installed program makes no grove'
"$program" new --title T --root 'Once.' >/dev/null || say 'the installed program makes no tree'
"$program" events --follow >"$work/followed" 2>&1 &
follower=$!
in_root -i "$work/next.deb"
kill -0 $follower 2>/dev/null || say 'the program ends when it is upgraded'
"$program" new --title U --root 'Twice.' >/dev/null || say 'the upgraded program makes no tree'
"$program" check >/dev/null || say 'the grove is damaged by an upgrade'
kill $follower
wait $follower 2>/dev/null || true
in_root -P loom
left=$(find "$work/root" -path "*/usr/*" -type f)
[ -z "$left" ] || say "left behind: $left"
verdict
