#!/bin/sh
# The tool that runs the commands of a page and compares their output finds what
# is wrong; and each page that shows commands has a test in t/pages.
. "${top_srcdir:-.}/t/lib/page.sh"
missing() { # made by tools/lists.sh; doc/plugins.md is followed by t/1090-tutorial.t
	for page in "$top_srcdir"/README.md "$top_srcdir"/doc/*.md; do
		name=$(basename "$page" .md)
		grep -qs '^\$ ' "$page" && [ "$page" != "$top_srcdir/doc/README.md" ] && [ "$name" != plugins ] || continue
		[ -x "$top_srcdir/t/pages/$name.t" ] || echo "no t/pages/$name.t"
		echo "$name" >>"$tap_tmp/shown"
	done
	[ "$(grep -c . "$tap_tmp/shown")" -ge 25 ] || echo 'few pages show commands'
}
none() { bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }; }
t 'each page that shows commands has a test' none missing

# A picture that the commands of a page make.
mkdir "$tap_tmp/pictures"
echo today >"$tap_tmp/pictures/p.svg"
printf '```\n$ echo today >p.svg\n```\n![p](pictures/p.svg)\n' >"$tap_tmp/picture.md"
sed 's/echo today/echo tomorrow/' "$tap_tmp/picture.md" >"$tap_tmp/another.md"
not() { ! "$@"; }
t 'a picture of today' pages "$tap_tmp/picture.md"
t 'another one is found' not pages "$tap_tmp/another.md"
t 'and is written' pages --write "$tap_tmp/another.md"
t 'as it is made' grep -qx tomorrow "$tap_tmp/pictures/p.svg"

# A wrong figure, a line too few, and lines that are left out.
printf '```\n$ printf "one 1\\ntwo 2\\nthree 3\\n"\none 1\n...\nthree 3\n```\n' >"$tap_tmp/good.md"
t 'lines may be left out' pages "$tap_tmp/good.md"
sed 's/^three 3/three 4/' "$tap_tmp/good.md" >"$tap_tmp/wrong.md"
sed '/^three 3/d; s/^\.\.\./two 2/' "$tap_tmp/good.md" >"$tap_tmp/short.md"
t 'a wrong figure is found' not pages "$tap_tmp/wrong.md"
t 'and a line too few' not pages "$tap_tmp/short.md"
printf '```\n$ cat $TRACES/of\nother 1\n```\n' >"$tap_tmp/traces.md"
echo 'one 1' >"$tap_tmp/of"
sed 's/^other/one/' "$tap_tmp/traces.md" >"$tap_tmp/traced.md"
printf '```\n$ false\n...\n```\n' >"$tap_tmp/false.md"
t 'a command that fails and whose output is left out' not pages "$tap_tmp/false.md"
t 'what needs traces is left alone where there are none' sh -c 'unset TRACES; python3 "$@"' sh "$page_top/tools/pages.py" "$tap_tmp/traces.md"
t 'and run where they are' not env TRACES="$tap_tmp" python3 "$page_top/tools/pages.py" "$tap_tmp/traces.md"
t 'as they should' env TRACES="$tap_tmp" python3 "$page_top/tools/pages.py" "$tap_tmp/traced.md"
mended() { python3 "$page_top/tools/pages.py" --write "$tap_tmp/wrong.md" && cmp "$tap_tmp/wrong.md" "$tap_tmp/good.md"; }
t 'both are mended by --write' mended
tap_done
