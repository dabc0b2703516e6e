#!/bin/sh
# The public headers: each compiles alone, as C17 and as C++17, and any two of
# them together, in either order.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v cc >/dev/null 2>&1 || { echo '1..0 # SKIP no cc'; exit 0; }
headers=$(cd "$top_srcdir/include" && find stepcost -name '*.h' | LC_ALL=C sort)
mkdir "$tap_tmp/alone" "$tap_tmp/pairs" "$tap_tmp/all" && cd "$tap_tmp" || exit 1

# A file for each header, for each ordered pair, and for all of them in either
# order, as their author would begin it.
# shellcheck disable=SC2086 # a list of paths without spaces
printf '%s\n' $headers | awk '
	function name(h) { sub(/^stepcost\//, "", h); sub(/\.h$/, "", h); gsub("/", ".", h); return h }
	function begin(file) { printf "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n" >file }
	function include(file, h) { print "#include \"" h "\"" >file }
	{ head[++n] = $0 }
	END {
		begin("all/ascending.c"); begin("all/descending.c")
		for (i = 1; i <= n; i++) {
			alone = "alone/" name(head[i]) ".c"
			if (head[i] ~ /exec/) begin(alone)
			include(alone, head[i])
			include("all/ascending.c", head[i])
			include("all/descending.c", head[n + 1 - i])
			for (j = 1; j <= n; j++) if (i != j) {
				pair = "pairs/" name(head[i]) "-" name(head[j]) ".c"
				if (head[i] head[j] ~ /exec/) begin(pair)
				include(pair, head[i]); include(pair, head[j])
				close(pair)
			}
		}
	}'

n=$(printf '%s\n' "$headers" | grep -c .)
t "there are headers ($n)" [ "$n" -ge 20 ]
t 'and every pair of them' [ "$(find pairs -name '*.c' | wc -l)" -eq $((n * (n - 1))) ]
compile() { # FOLDER COMPILER OPTIONS...: no error and no warning in any of its files
	find "$1" -name '*.c' | LC_ALL=C sort >files
	shift
	xargs -n 50 -P 2 "$@" -fsyntax-only -Werror -I"$top_srcdir/include" <files
}
cc='cc -Wall -Wextra -std=c17'
cxx='c++ -x c++ -Wall -Wextra -Wno-missing-field-initializers -std=c++17'
# shellcheck disable=SC2086 # commands and their options
{
t 'each alone, as C' compile alone $cc
t 'every two, in either order, as C' compile pairs $cc
t 'all of them, in either order, as C' compile all $cc
if command -v c++ >/dev/null 2>&1; then
	t 'each alone, as C++' compile alone $cxx
	t 'all of them, in either order, as C++' compile all $cxx
else
	skip 'each alone, as C++' 'no c++'
	skip 'all of them, in either order, as C++' 'no c++'
fi
}
unnamed() { # a header that doc/plugins.md does not name
	for header in $headers; do
		grep -qF "\`${header#stepcost/}\`" "$top_srcdir/doc/plugins.md" || echo "$header"
	done
}
all_named() { left=$(unnamed); [ -z "$left" ] || { echo "$left"; return 1; }; }
t 'doc/plugins.md names each' all_named
tap_done
