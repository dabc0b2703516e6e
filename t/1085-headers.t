#!/bin/sh
# The public headers: each compiles alone, and all of them together in either
# order, as C17 and as C++17.  Two things grow with the square of the headers or
# take most of the time: each header before and after each other one, and each
# alone as C++.  They are done for the headers that the last commit or the
# working tree changed; with STEPCOST_HEADERS=all, as tools/thorough.sh sets it,
# for all headers.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v cc >/dev/null 2>&1 || { echo '1..0 # SKIP no cc'; exit 0; }
headers=$(cd "$top_srcdir/include" && find stepcost -name '*.h' | LC_ALL=C sort)
n=$(printf '%s\n' "$headers" | grep -c .)
t "there are headers ($n)" [ "$n" -ge 20 ]
changed_headers() { # by the last commit, or not committed
	cd "$top_srcdir" && { git diff --name-only HEAD~1 -- include/stepcost
	git ls-files --others --exclude-standard -- include/stepcost; } 2>/dev/null |
		sed -n 's|^include/\(.*\.h\)$|\1|p'
}
case ${STEPCOST_HEADERS:-changed} in
all) changed=$headers ;;
*) changed=$(changed_headers) ;;
esac
mkdir "$tap_tmp/alone" "$tap_tmp/changed" "$tap_tmp/pairs" "$tap_tmp/all" && cd "$tap_tmp" || exit 1

# A program is a file that includes headers.  Those of exec want _GNU_SOURCE, and
# their user defines it first; the others must not need it.
is_exec() { case $1 in *exec*) ;; *) false ;; esac; }
program() { # FILE HEADER...
	file=$1; shift
	case $* in *exec*) printf '#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n' ;; esac >"$file"
	printf '#include "%s"\n' "$@" >>"$file"
}
name() { printf '%s' "${1#stepcost/}" | tr / .; }
ascending= descending= plain_ascending= plain_descending=
for header in $headers; do
	program "alone/$(name "$header").c" "$header"
	ascending="$ascending $header" descending="$header $descending"
	is_exec "$header" ||
		plain_ascending="$plain_ascending $header" plain_descending="$header $plain_descending"
done
# shellcheck disable=SC2086 # lists of paths without spaces
for order in ascending descending plain_ascending plain_descending; do
	eval "program all/$order.c \$$order"
done
for one in $changed; do
	[ -e "$top_srcdir/include/$one" ] || continue # it was taken away
	cp "alone/$(name "$one").c" changed
	for other in $headers; do
		[ "$one" != "$other" ] || continue
		program "pairs/$(name "$one")-$(name "$other").c" "$one" "$other"
		program "pairs/$(name "$other")-$(name "$one").c" "$other" "$one"
	done
done

compile() { # FOLDER COMPILER OPTIONS...: no error and no warning in any of its files
	find "$1" -name '*.c' | LC_ALL=C sort >files
	[ -s files ] || { echo "no programs in $1"; return 1; }
	shift
	xargs -n 50 -P 2 "$@" -fsyntax-only -Werror -I"$top_srcdir/include" <files
}
cc='cc -Wall -Wextra -std=c17'
cxx='c++ -x c++ -Wall -Wextra -Wno-missing-field-initializers -std=c++17'
# shellcheck disable=SC2086 # commands and their options
{
t 'each alone, as C' compile alone $cc
t 'all of them, in either order, as C' compile all $cc
if command -v c++ >/dev/null 2>&1; then
	t 'all of them, in either order, as C++' compile all $cxx
else
	skip 'all of them, in either order, as C++' 'no c++'
fi
if [ -z "$(ls changed)" ]; then
	skip 'each before and after each other, as C' 'none has changed'
	skip 'each alone, as C++' 'none has changed'
else
	t 'each before and after each other, as C' compile pairs $cc
	if command -v c++ >/dev/null 2>&1; then t 'each alone, as C++' compile changed $cxx
	else skip 'each alone, as C++' 'no c++'; fi
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
