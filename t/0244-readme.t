#!/bin/sh
# The first pages: the README is short, its picture shows today's errors, the index
# has every page, and links lead somewhere.  Of the picture, numbers are compared
# and not pixels.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v python3 >/dev/null 2>&1 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
picture() { python3 -B "$top_srcdir/tools/measured/picture.py" "$@"; }
not() { ! "$@" >/dev/null; }
shown=$top_srcdir/doc/pictures
t 'the picture is of today' picture --check "$shown"
named() {
	for name in light dark; do
		grep -q "doc/pictures/measured-$name.svg" "$top_srcdir/README.md" || return 1
	done
}
t 'the README shows both' named
copy() { rm -rf "$tap_tmp/p" && mkdir "$tap_tmp/p" && cp "$shown"/measured-*.svg "$tap_tmp/p/" && chmod u+w "$tap_tmp/p"/*; }
copy
sed -i 's/ runs, TPOT / runs, TPOT 9/; s/M\([0-9]*\)\.\([0-9]\) \([0-9.]*\)h0/M1\1.\2 \3h0/' "$tap_tmp/p/measured-dark.svg"
t 'a number that is wrong is found' not picture --check "$tap_tmp/p"
copy
sed -i 's/M[0-9.]* [0-9.]*h0//' "$tap_tmp/p/measured-light.svg"
t 'a dot that is missing is found' not picture --check "$tap_tmp/p"
t 'it is made by the same tool' picture "$tap_tmp/p"
t 'and is then of today' picture --check "$tap_tmp/p"

readme=$top_srcdir/README.md
short() { [ "$(wc -l <"$readme")" -le 100 ]; }
t 'the README has at most 100 lines' short
begins() { awk '/^(sh|\$) / { ok = NR <= 40; exit } END { exit !ok }' "$readme"; }
t 'its first command is within 40 lines' begins
indexed() { # FOLDER: every page is named by the index
	for page in "$1"/*.md; do
		page=${page##*/}
		[ "$page" = README.md ] || grep -q "]($page)" "$1/README.md" || { echo "$page"; return 1; }
	done
}
t 'the index has every page' indexed "$top_srcdir/doc"
mkdir "$tap_tmp/doc"
cp "$top_srcdir"/doc/*.md "$tap_tmp/doc"
: >"$tap_tmp/doc/forgotten.md"
t 'a page that it lacks is found' not indexed "$tap_tmp/doc"
links() { # PAGE...: their links to files of the tree
	for page; do
		grep -o '](\([^):#]*\)[#)]' "$page" | sed 's/^](//; s/[#)]$//' | sort -u | while read -r to; do
			[ -z "$to" ] || [ -e "$(dirname "$page")/$to" ] || echo "$page: $to"
		done
	done >"$tap_tmp/lost"
	cat "$tap_tmp/lost"
	[ ! -s "$tap_tmp/lost" ]
}
t 'links lead somewhere' links "$readme" "$top_srcdir"/*.md "$top_srcdir"/doc/*.md "$top_srcdir"/plugins/*/*.md
echo '[a](nowhere.md#there)' >"$tap_tmp/lost.md"
t 'one that does not is found' not links "$tap_tmp/lost.md"
tap_done
