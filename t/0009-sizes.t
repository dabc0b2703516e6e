#!/bin/sh
# Functions, files and folders stay small.  A rule reads names of files and prints
# those that are too big; it is also tried on the largest that is allowed, and on
# one that is larger.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
counter=$PWD/t/lib/complexity.awk
code() { find bench fuzz include plugins src t -name '*.[ch]'; }
# The ABI is one header that includes none of ours (t/0005), and it only grows: nothing
# in it may move or go.
abi=include/stepcost/plugin.h
written() { # by hand: sources, tests, tools
	ls Makefile.am configure.ac
	find bench fuzz include plugins src t tools \( -name '*.[ch]' -o -name '*.inc' -o -name '*.t' -o -name '*.sh' \
		-o -name '*.py' -o -name '*.awk' \) ! -path "$abi" -print
}
long_functions() { # more than 50 lines between the braces
	xargs awk 'FNR == 1 { start = 0 } /^\{/ { start = FNR }
		/^\}/ && start { lines = FNR - start - 1
			if (lines > 50) print FILENAME ":" start ": " lines " lines"
			start = 0 }'
}
complex_functions() { xargs awk -v limit=25 -f "$counter"; }
long_files() { xargs awk 'FNR == 601 { print FILENAME }'; }
crowded_folders() { # more than 50 files of its own
	sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 50 { print $2 }'
}
none() { # COMMAND RULE: the rule finds nothing among the files of the command
	bad=$($1 | "$2"); [ -z "$bad" ] || { echo "$bad"; return 1; }
}
only() { # RULE FINDING: for the names in the file "given"
	got=$("$1" <"$tap_tmp/given"); [ "$got" = "$2" ] || { echo "found: $got"; return 1; }
}
ours() { code | grep -E '^(include|plugins|src)/'; }
modules() { find src plugins -type f ! -name '.*' ! -name '*.[ao]' ! -name '*.l[ao]'; }

functions() { code | xargs awk -v limit=1000 -v count=1 -f "$counter"; }
there_are() { [ "$(functions | sed 's/ .*//')" -ge 5000 ] && [ "$(written | wc -l)" -ge 700 ]; }
t 'there are functions and files' there_are
t 'a function fits a screen' none ours long_functions
t 'and has few branches' none code complex_functions
t 'a file has at most 600 lines' none written long_files
t 'a folder has at most 50 files of its own' none modules crowded_folders

# --- planted: found ---------------------------------------------------------
lines() { yes "$2" | head -"$1"; } # COUNT TEXT
body() { printf 'int f(int x)\n{\n'; cat; printf '}\n'; }
cd "$tap_tmp" || exit 1
lines 50 '	x++;' | body >50.c
lines 51 '	x++;' | body >51.c
printf '50.c\n51.c\n' >given
t 'a function of 51 lines' only long_functions '51.c:2: 51 lines'
{ lines 24 '	x = x ? x : 1;'; echo '	x = "? && if ("[0]; /* for (;;) || */'; } | body >25.c
{ cat <<'C'; lines 20 '	if (x) x++;'; } | body >26.c
	for (; x < 3 && x > 1;)
		while (x || x)
			x = '?';
	switch (x) {
	case 1:
		x++;
	default:
		x--;
	}
C
cat 25.c 26.c >both.c
printf '25.c\n26.c\nboth.c\n' >given
t 'a function of complexity 26' only complex_functions "26.c:2: complexity 26
both.c:$(($(wc -l <25.c) + 2)): complexity 26"
lines 600 x >600.c
lines 601 x >601.c
printf '600.c\n601.c\n' >given
t 'a file of 601 lines' only long_files 601.c
{ lines 50 src/50/x.c; lines 51 src/50/51/x.c; } >given
t 'a folder of 51 files' only crowded_folders src/50/51
tap_done
