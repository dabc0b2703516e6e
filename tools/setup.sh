# setup.sh -- sourced by the other scripts here: installs missing packages with
# apt (Debian 12, Ubuntu), and builds out of tree in a clean folder.
#   setup FOLDER [CONFIGURE-OPTION...]         leaves the shell in FOLDER
#   setup_make FOLDER                          builds in a configured folder
#   where_to_find FOLDER                       names its plugins, and the tree's data
#   configured FOLDER [CONFIGURE-OPTION...]    the same, without building
# more_packages: other packages that the caller needs.
set -eu
tools_top=$(cd "$(dirname "$0")/.." && pwd)

missing_packages() {
	for package in gcc make autoconf automake libtool pkg-config perl python3 \
		libinih-dev libcsv-dev libjansson-dev libmicrohttpd-dev libmd-dev \
		libsqlite3-dev libyaml-dev libzmq5 ${more_packages:-}; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
			grep -q 'ok installed' || echo "$package"
	done
}

install_missing() {
	packages=$(missing_packages)
	[ -n "$packages" ] || return 0
	as_root=
	[ "$(id -u)" -eq 0 ] || as_root=sudo
	echo "installing:" $packages >&2
	$as_root apt-get update -q >&2
	# shellcheck disable=SC2086 # a list of names
	DEBIAN_FRONTEND=noninteractive $as_root apt-get install -q -y \
		--no-install-recommends $packages >&2
}

configured() { # leaves the shell in FOLDER, nothing built
	folder=$1; shift
	install_missing
	[ -x "$tools_top/configure" ] ||
		(cd "$tools_top" && autoreconf -fi) >&2
	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder"
	"$tools_top/configure" -q "$@" >&2
}

where_to_find() { # the plugins that are built in FOLDER, and the data of the tree
	STEPCOST_DATA_PATH=$tools_top STEPCOST_PLUGIN_PATH=$1/.libs
	export STEPCOST_DATA_PATH STEPCOST_PLUGIN_PATH
}

setup_make() {
	make -C "$1" -s -j "$(nproc)" >&2
}

setup() {
	configured "$@"
	setup_make .
}
