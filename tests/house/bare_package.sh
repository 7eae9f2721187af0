#!/bin/sh
# The Debian package in Debians that hold nothing else: apt installs it with what it needs, it works,
# is upgraded while a grove is in use, and is removed without a rest. For root, with debootstrap and a
# mirror; for nights. LOOM_TEST_DEBIANS names other suites, LOOM_TEST_MIRROR a mirror.
# usage: bare_package.sh SOURCE_ROOT BUILD_FOLDER
build=$(cd "${2:?usage: bare_package.sh SOURCE_ROOT BUILD_FOLDER}" && pwd)
. "$(dirname "$0")/lib.sh"
for tool in cpack dpkg-deb debootstrap chroot; do
	command -v $tool >/dev/null || skip "no $tool"
done
[ "$(id -u)" = 0 ] || skip 'not root'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/out" 2>&1 || {
	cat "$work/out"
	say 'cpack makes no package'
}
dpkg-deb -R "$work"/made/*.deb "$work/next"
sed -i 's/^Version: .*/Version: 99.0/' "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/next" "$work/next.deb" >/dev/null

# inside WHAT COMMAND…: runs it there, where HOME is /root.
inside() {
	what=$1
	shift
	checked=$((checked + 1))
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		chroot "$root" "$@" >"$work/out" 2>&1 || {
		tail -n 20 "$work/out"
		say "$suite: $what"
	}
}

for suite in ${LOOM_TEST_DEBIANS:-bookworm trixie}; do
	root=$work/$suite
	debootstrap --variant=minbase "$suite" "$root" ${LOOM_TEST_MIRROR:+"$LOOM_TEST_MIRROR"} >"$work/out" 2>&1 ||
		skip "no $suite can be had"
	cp "$work"/made/*.deb "$root/root/loom.deb"
	cp "$work/next.deb" "$root/root/next.deb"
	inside 'it is not installed' apt-get install -y --no-install-recommends /root/loom.deb
	inside 'it does not run' loom version --json
	inside 'it makes no grove' sh -c 'mkdir /root/grove && cd /root/grove && loom init && loom new --title T --root Once.'
	inside 'it writes nothing by itself' sh -c 'cd /root/grove && loom do continue n:2 tokens:5 && loom export >/root/before'
	inside 'it cannot be upgraded in use' sh -c 'cd /root/grove && { loom events --follow >/dev/null & } &&
		follower=$! && apt-get install -y --no-install-recommends /root/next.deb &&
		kill -0 $follower && loom check && loom export >/root/after && cmp /root/before /root/after; ended=$?
		kill $follower; exit $ended'
	inside 'it cannot be served with what is recommended' sh -c 'apt-get install -y libmicrohttpd12 ||
		apt-get install -y libmicrohttpd12t64; cd /root/grove && { timeout 5 loom mcp --http 127.0.0.1:0 || true; } | grep /mcp'
	inside 'it cannot be removed' apt-get purge -y loom
	inside 'something is left behind' sh -c '! find / -xdev \( -path /proc -o -path /sys -o -path /root -o \
		-path /var/lib/apt -o -path /var/log \) -prune -o -name "*loom*" -print | grep .'
	inside 'the grove is gone' test -s /root/grove/.loom/grove.db
	rm -rf "$root"
done
verdict
