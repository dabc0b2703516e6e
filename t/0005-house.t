#!/bin/sh
# Who may include whom, and who may print.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
# FILE... : the headers of this project that they include
ours() { sed -n 's/^#include "\(.*\)"/\1/p' "$@" | sort -u; }
only() { # ALLOWED FILE...: includes nothing of ours but what the pattern has
	allowed=$1; shift
	for file; do
		own=$(echo "${file%.*}.h" | sed 's|^src/||')
		bad=$(ours "$file" | grep -vE "^($allowed|$own)\$" || true)
		[ -z "$bad" ] || { echo "$file includes" $bad; return 1; }
	done
}
t 'plugin.h includes nothing of ours' \
	sh -c '! grep -l "#include \"" include/stepcost/plugin.h'
t 'public headers include public headers' \
	only 'stepcost/.*' include/stepcost/*.h
plugins_only() { # public headers, and those of their own folder
	for file in plugins/*/*.[ch]; do
		for header in $(ours "$file" | grep -v '^stepcost/'); do
			[ -e "$(dirname "$file")/$header" ] || { echo "$file includes $header"; return 1; }
		done
	done
}
t 'plugins include public headers' plugins_only
for module in problem filetype number nearest searchpath outfile; do
	t "$module stands alone" only 'base/problem\.h' "src/base/$module.c" "src/base/$module.h"
done
t 'ini needs next to nothing' only 'base/(problem|filetype)\.h' src/base/ini.[ch]
t 'json_writer, csv and cmdline need next to nothing' \
	only 'base/(problem|number|nearest|filetype)\.h' src/base/json_writer.[ch] src/base/csv.[ch] src/base/cmdline.[ch]
integer_only() {
	for file in src/sim/scheduler.c src/sim/kv.c; do
		[ -e "$file" ] || continue
		! grep -nE '(double|float) [a-z_]*(_ns|_us|time|clock)' "$file" || return 1
	done
}
t 'the scheduler and the cache keep time in integers' integer_only
no_registry() {
	! ours src/sim/*.[ch] | grep -E '^(plugin|arm)/'
}
t 'the simulation does not know where cost models come from' no_registry
prints() { # files of the library that write to stdout or stderr by themselves
	grep -lE '(^|[^a-z_])(printf|puts|putchar) ?\(|std(out|err)\b' $(find src -name '*.c') |
		grep -vE '^src/(cmd/|report/|base/outfile\.c|jobs/)'
}
silent() { bad=$(prints); [ -z "$bad" ] || { echo "$bad"; return 1; }; }
t 'only commands print' silent
no_exit() { ! sed 's|/\*.*||; s|"[^"]*"||g' $(find src -name '*.c' | grep -v '^src/cmd/') | grep -E '(^|[^_a-z])exit ?\('; }
t 'library code does not exit' no_exit
no_cycle() { # headers: a sort that fails on a cycle
	for file in $(find src -name '*.h'); do
		ours "$file" | sed "s|^|${file#src/} |"
	done | tsort >/dev/null
}
t 'no cycle among headers' no_cycle
# A list in Makefile.am that a merge has torn: its rest would be a recipe.
whole_lists() {
	awk '/^\t[a-zA-Z0-9_.\/+ -]+\\?$/ && last !~ /\\$/ { print FILENAME ":" NR ":" $0; bad = 1 }
		{ last = $0 } END { exit bad }' Makefile.am
}
t 'lists in Makefile.am are whole' whole_lists
in_order() { # one name a line, ascending, none twice
	awk '/=/ { last = "" } /^\t[a-zA-Z0-9_.\/+ -]+\\?$/ { if (last != "" && $1 <= last) { print FILENAME ":" NR ":" $0; bad = 1 } last = $1 }
		END { exit bad }' Makefile.am
}
t 'in order, and name nothing twice' in_order
# What git has and a release would lack.
all_listed() {
	git ls-files bench_data doc etc fuzz include plugins src t tools | while read -r file; do
		grep -qF -- "$file" Makefile.am || case $file in
		t/*.c | t/so/*.c | fuzz/*.c) grep -qF -- "${file%.c}" Makefile.am ;;
		*) false ;;
		esac || echo "$file is not in Makefile.am"
	done | { ! grep .; }
}
if git ls-files --error-unmatch Makefile.am >/dev/null 2>&1; then t 'every file is in the release' all_listed
else skip 'every file is in the release' 'not a git checkout'; fi
t 'never setlocale' sh -c '! grep -n "setlocale *(" $(find src plugins -name "*.c")'
tap_done
