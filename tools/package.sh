#!/bin/sh
# Makes the release and from it the Debian packages, which lintian must find
# sound; as root, uses them in a bare Debian and removes them without a trace.
#   sh tools/package.sh [--no-install] [FOLDER]    FOLDER: build-package; gets
# the files of dpkg-buildpackage, and the bare Debian.  --no-install: makes the
# packages with the tools that are installed here, and checks them; exit code 77: a tool
# is missing.
set -eu
install=1
[ "${1:-}" != --no-install ] || { install=; shift; }
place=${1:-build-package}
mkdir -p "$place"
place=$(cd "$place" && pwd)
more_packages='debhelper dh-python lintian dpkg-dev xz-utils'
[ -z "$install" ] || [ "$(id -u)" -ne 0 ] || more_packages="$more_packages debootstrap"
. "$(dirname "$0")/setup.sh"

release() { # the tarball alone, without git
	configured "$place/release"
	make -s dist-xz >&2
	rm -rf "$place"/stepcost-*
	tar -xf stepcost-*.tar.xz -C "$place"
}

packages() {
	cd "$place"/stepcost-*/
	rm -f "$place"/*.deb
	DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} noautodbgsym" dpkg-buildpackage -us -uc -b
	lintian --fail-on error,warning "$place"/stepcost_*.changes
}

# ---- a bare Debian -------------------------------------------------------------
root=$place/root
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
apt_get() { inside apt-get -qq -y --no-install-recommends "$@" >"$place/apt.log" 2>&1 || { cat "$place/apt.log" >&2; return 1; }; }
# What may differ after a package came and went: what dpkg and apt write down.
files() {
	find "$root" -xdev \( -path "$root/proc" -o -path "$root/sys" -o -path "$root/dev" -o -path "$root/tmp" \
		-o -path "$root/var/cache" -o -path "$root/var/lib/apt" -o -path "$root/var/lib/dpkg" \
		-o -path "$root/var/log" \) -prune -o -print | sort
}
bare() {
	[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" >&2
	trap 'umount "$root/proc"' EXIT
	mount -t proc proc "$root/proc"
	apt_get update
	# Those of the test, and not of the packages.
	apt_get install gcc libc6-dev make pkg-config python3-minimal
	remove # of a run before that was cut short
}
remove() {
	inside dpkg --remove python3-stepcost stepcost stepcost-data libstepcost-dev
	inside dpkg --purge python3-stepcost stepcost stepcost-data libstepcost-dev
	# Also what another package only recommends, as python3.11-minimal does python3.11.
	apt_get -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false autoremove --purge
}
use_and_remove() {
	files >"$place/before"
	mkdir -p "$root/tmp/packages"
	cp "$place"/*.deb "$place"/stepcost-*/debian/tests/installed "$root/tmp/packages"
	apt_get install $(cd "$root" && ls -d tmp/packages/*.deb | sed 's|^|/|')
	inside sh /tmp/packages/installed
	remove
	rm -rf "$root/tmp/packages"
	files | diff "$place/before" - || { echo 'package.sh: the packages left something behind' >&2; exit 1; }
	! inside dpkg -l | grep stepcost
}

missing=$(missing_packages)
[ -n "$install" ] || [ -z "$missing" ] || { echo package.sh: needs $missing; exit 77; }
release
packages
[ -n "$install" ] || { echo 'package.sh: built, lintian finds nothing'; exit 0; }
[ "$(id -u)" -eq 0 ] || { echo 'package.sh: not root: built, and not installed'; exit 0; }
bare
use_and_remove
echo 'package.sh: built, installed, used, removed, and nothing is left'
