#!/bin/sh
# clang-tidy finds nothing of .clang-tidy in the program, its plugins and fuzz
# targets.  Versions differ in what they find: only the one of Debian 12 is asked.
. "${top_srcdir:-.}/t/lib/tap.sh"
case $(clang-tidy --version 2>/dev/null) in
*'version 14.'*) ;;
*) echo '1..0 # SKIP clang-tidy 14 is not installed'; exit 0 ;;
esac
build=$(cd "$top_builddir" && pwd)
cd "$top_srcdir" || exit 1
export build own
tidy() { # FOLDER FILE...: a plugin's files include by their path in its folder
	own=$1; shift
	printf '%s\n' "$@" | xargs -n 60 -P 2 sh -c 'clang-tidy --quiet "$@" -- -std=c17 -Iinclude -Isrc -I"$own" \
		-It/lib -I"$build" -include config.h -DSC_PLUGINDIR="\"\"" -DSC_DATADIR="\"\""' sh 2>&1 |
		grep -E ' (warning|error): ' && return 1
	return 0
}
t 'what is wrong is found' sh -c "printf 'int f(const char *, int);\nint f(const char *s, int n)\n{\n\tfor (char i = 0; i < n; i++)\n\t\tif (s[0])\n\t\t\treturn 1;\n\treturn 0;\n}\n' >'$tap_tmp/x.c'
	cp .clang-tidy '$tap_tmp' && clang-tidy --quiet '$tap_tmp/x.c' -- 2>&1 | grep -q too-small-loop-variable"
# shellcheck disable=SC2046 # lists of paths without spaces
t 'nothing is found' tidy src $(find src fuzz -name '*.c')
# shellcheck disable=SC2046
plugins() { for folder in plugins/*/; do tidy "$folder" $(find "$folder" -name '*.c') || return 1; done; }
t 'nor in plugins' plugins
tap_done
