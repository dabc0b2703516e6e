#!/bin/sh
# Plain English in documents, help, messages and comments: t/lib/words.list has
# the words and constructions that stop a reader, and what to write instead.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v python3 >/dev/null || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
lib=$(cd "$top_srcdir/t/lib" && pwd)
cd "$top_srcdir" || exit 1
words() { PYTHONDONTWRITEBYTECODE=1 python3 "$lib/words.py" "$@"; }
t 'each entry of the list finds its example, and not what it becomes' words --examples
t 'the tree has none of them' words --tree
lengths() { words --lengths && [ "$(words --lengths | wc -l)" -ge 20 ]; }
t 'the pages have sentences' lengths
words --lengths | sed 's/^/# /'

names() { PYTHONDONTWRITEBYTECODE=1 python3 "$lib/names.py" "$1"; }
t 'names of functions, structs and files are the field'"'"'s' names .

# --- planted ------------------------------------------------------------------
cp "$lib/words.py" "$lib/words.list" "$tap_tmp/"
: >"$tap_tmp/words.allow"
mkdir -p "$tap_tmp/doc" "$tap_tmp/etc" "$tap_tmp/src/sim" "$tap_tmp/t"
planted() { # FILE LINE MESSAGE: the only finding in the planted file
	(cd "$tap_tmp" && PYTHONDONTWRITEBYTECODE=1 python3 words.py "$1" >found; [ $? = 1 ]) || return 1
	cat "$tap_tmp/found"
	[ "$(wc -l <"$tap_tmp/found")" = 1 ] && grep -q "^$1:$2: .*$3" "$tap_tmp/found"
}
printf '# Page\n\nA step,\nof\nwhich a part is priced.\n```\nof which\n```\n' >"$tap_tmp/doc/page.md"
t 'a construction in a page, across lines' planted doc/page.md 4 'a sentence of its own'
many() { printf 'One'; for i in $(seq $(($1 - 1))); do printf ' word%s' "$i"; done; echo .; }
{ many 41; echo 'A short one. And another.'; } >"$tap_tmp/doc/long.md"
t 'a long sentence in a page' planted doc/long.md 1 'a sentence of 41 words'
{ echo '# Page'; many 19; many 18; } >"$tap_tmp/doc/even.md"
t 'a page of sentences that are long on average' planted doc/even.md 1 '18.5 words in a sentence on average'
{ echo '# Page'; many 19; many 17; } >"$tap_tmp/doc/even.md"
t 'and one within the limit' words "$tap_tmp/doc/even.md"
printf 'int x; /* a */\n/* Blocks,\n * so many. */\nchar c = 34, *s = "/* so many";\n' >"$tap_tmp/t/x.c"
t 'a word in a comment, and no string of a test' planted t/x.c 3 'the number by its name'
printf 'int x;\nconst char *s = "so "\n\t"many";\n' >"$tap_tmp/src/sim/x.c"
t 'a word in a message of two strings' planted src/sim/x.c 2 'the number by its name'
printf '; Blocks,\n; so many.\n;key = so many\nkey = so many\n' >"$tap_tmp/etc/x.ini"
t 'a word in a comment of an INI, and no value' planted etc/x.ini 2 'the number by its name'
printf '#!/bin/sh\necho "# so many" # likewise\n' >"$tap_tmp/t/x.sh"
t 'a word in a comment behind a command' planted t/x.sh 2 'the same way'
printf '"""Blocks.\n\nLikewise.\n"""\nx = "likewise"\n' >"$tap_tmp/t/x.py"
t 'a word in a docstring, and no other string' planted t/x.py 3 'the same way'
allowed() {
	printf 't/x.py\tLikewise.\ta name\n' >"$tap_tmp/words.allow"
	(cd "$tap_tmp" && PYTHONDONTWRITEBYTECODE=1 python3 words.py t/x.py) || return 1
	printf 't/x.py\tlike\ta part of it\n' >"$tap_tmp/words.allow"
	planted t/x.py 3 'the same way'
}
t 'a finding that is allowed, and one that is so in part' allowed
mkdir -p "$tap_tmp/src/jobs"
printf 'struct misdeed {\n\tint x;\n};\nint job_blame(int x);\n' >"$tap_tmp/src/jobs/x.h"
private() { names "$tap_tmp" >"$tap_tmp/found"; [ $? = 1 ] && [ "$(wc -l <"$tap_tmp/found")" = 2 ]; }
t 'two private names in a header' private
tap_done
