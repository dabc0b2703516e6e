#!/bin/sh
# Who may include whom, and who may print: src/ROOMS, HACKING.md.  Each list
# that is looked through must not be empty: a rule about nothing holds nothing.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
sources() { find src -name '*.[ch]' | sort | grep .; }
rooms() { sed 's/#.*//' src/ROOMS | awk 'NF { print $1, $2 }' | grep .; }
edges() { # FILE HEADER, of ours
	sources | while read -r f; do
		sed -n 's|^#include "\(.*\)"|\1|p' "$f" | grep -v '^stepcost/' | sed "s|^|$f |"
	done | grep .
}
none() { # COMMAND...: prints nothing
	bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }
}
listed() { # every folder has a line, and every line a folder
	[ "$(rooms | awk '{ print $2 }' | sort)" = "$(ls -d src/*/ | sed 's|src/||; s|/||')" ]
}
t 'every room is listed' listed
full() { # no room is empty
	for room in $(rooms | awk '{ print $2 }'); do
		ls "src/$room"/*.c >/dev/null 2>&1 || { echo "src/$room has no .c"; return 1; }
		grep -q "^	src/$room/.*\.c" "src/$room/sources.am" || { echo "src/$room/sources.am is empty"; return 1; }
	done
	[ "$(rooms | wc -l)" -ge 17 ] && [ "$(edges | wc -l)" -ge 300 ]
}
t 'and none is empty' full
whole() { edges | awk '$2 !~ /\// { print $1 " includes " $2 }'; }
t 'an include says its room' none whole
there() { edges | while read -r f h; do [ -e "src/$h" ] || echo "$f: no $h"; done; }
t 'and that file is there' none there
down() {
	{ rooms; echo --; edges; } | awk '
		$1 == "--" { rest = 1; next }
		!rest { floor[$2] = $1; next }
		{ split($1, a, "/"); split($2, b, "/"); n++
		  if (a[2] != b[1] && floor[b[1]] >= floor[a[2]]) { print $1 " includes " $2; bad = 1 } }
		END { exit bad || !n }'
}
t 'no room includes one beside or above it' down
circle() { # a header and its source are one module
	edges | sed 's|src/||; s|_private||g; s|\.[ch]||g' | awk '$1 != $2' | sort -u | grep . | tsort >/dev/null
}
t 'no circle among modules' circle
only() { # ROOM-FILE ALLOWED
	edges | awk -v f="$1" '$1 ~ "^src/" f "\\.[ch]$" { n++; print $2 } END { if (!n) print "(nothing)" }' |
		grep -vE "^($2)$"
}
t 'a trace format knows traces and no workload' none only 'workload/format/[a-z_]*' \
	'workload/(trace[a-z_]*|distribution|arrival)\.h|base/.*|math/.*'
t 'the engine asks a cost model, wherever it comes from' none only 'sim/[a-z_/]*' \
	'sim/.*|cost/.*|engine/(engine|parallel|kv_groups|speculation)\.h|workload/(request|workload|keys)\.h|base/.*|math/.*'

# --- symbols: what is linked goes down too ------------------------------------
up_symbols() {
	objects=$(find "$top_builddir/src" -name '*.o' | sort)
	[ -n "$objects" ] || { echo 'no objects'; return; }
	{ rooms; echo --
	  # shellcheck disable=SC2086 # a list of paths without spaces
	  nm -A -P $objects | awk '{ sub(/:$/, "", $1); print $1, $2, $3 }'; } | awk '
		$1 == "--" { rest = 1; next }
		!rest { floor[$2] = $1; next }
		{ file = $1; sub(/.*\/src\//, "", file); sub(/\.libs\//, "", file); sub(/lib[a-z]*_la-/, "", file); split(file, a, "/"); room = a[1]
		  if ($3 ~ /^[TDRBC]$/) home[$2] = room
		  else if ($3 == "U") use[++n] = $2 " " room " " file; }
		END { for (i = 1; i <= n; i++) { split(use[i], u, " "); h = home[u[1]]
			if (h == "" || h == u[2]) continue
			down++
			if (floor[h] >= floor[u[2]]) print u[3] " needs " u[1] " of " h }
		      if (down < 500) print "only " down + 0 " symbols between rooms" }'
}
twice_defined() { # the linker takes the first of two in libraries, and says nothing
	find "$top_builddir/src" -name '*.o' | sort | grep . | xargs nm -A -P | awk '
		{ sub(/:$/, "", $1); sub(/.*\/src\//, "", $1); sub(/\.libs\//, "", $1); sub(/lib[a-z]*_la-/, "", $1); sub(/o$/, "c", $1) }
		$3 ~ /^[TDRBC]$/ { print $2, $1 }' | sort -u |
		while read -r symbol file; do [ ! -e "src/$file" ] || echo "$symbol $file"; done |
		awk '$1 == last { print $1 " is in " home " and in " $2 } { last = $1; home = $2; n++ }
			END { if (n < 1000) print "only " n + 0 " symbols" }'
}
if [ -d "$top_builddir/src" ] && command -v nm >/dev/null; then
	t 'no symbol is needed from beside or above' none up_symbols
	t 'and none has two homes' none twice_defined
else
	skip 'no symbol is needed from beside or above' 'no objects here'
	skip 'and none has two homes' 'no objects here'
fi

# --- who may do what -----------------------------------------------------------
loud() {
	sources | grep '\.c$' | xargs grep -lE '(^|[^a-z_])(printf|puts|putchar|perror) ?\(|std(out|err)\b' |
		grep -vE '^src/(cmd|report)/|^src/base/outfile|^src/jobs/'
}
t 'only cmd and report print' none loud
t 'and cmd does' sh -c 'grep -lE "std(out|err)" src/cmd/*.c | grep -q .'
exits() {
	sources | grep '\.c$' | grep -v '^src/cmd/' | while read -r f; do
		sed 's|/\*.*||; s|"[^"]*"||g' "$f" | grep -E '(^|[^_a-z])exit ?\(' | sed "s|^|$f: |"
	done
}
t 'only cmd exits' none exits
integer_only() {
	for file in src/sim/scheduler.c src/sim/kv.c src/sim/router.c; do
		[ -e "$file" ] || echo "no $file"
		grep -nE '(double|float) [a-z_]*(_ns|_us|time|clock)' "$file" | sed "s|^|$file:|"
	done
}
t 'scheduler, cache and router keep time in integers' none integer_only
memory_texts() { # base/problem has the one text and the one exit code
	sources | grep -v '^src/base/problem\.c$' | xargs sed 's|/\*.*||; s|^ \*.*||' | grep -n '"out of memory'
	grep -c '"out of memory"' src/base/problem.c | grep -vx 1
}
t 'problem_no_memory() alone says that memory ran out' none memory_texts
t 'never setlocale' none sh -c 'grep -rn "setlocale *(" src plugins --include="*.[ch]"'
own_sentence() { # every .c of a room or a plugin says in one sentence what it is for
	{ sources | grep '\.c$'; find plugins -name '*.c'; } | while read -r f; do
		head -1 "$f" | grep -q '^/\* ' || echo "$f"
	done
}
t 'every .c begins with a sentence' none own_sentence

inherited() { # what a child, or a program that we start, would find open
	# main() fills 0, 1 and 2, which are to stay.
	{ sources | grep -v '^src/cmd/main.c'; find include plugins -name '*.[ch]'; } | grep . | xargs awk '
		function whole() { while (call !~ /;|\{$/ && (getline more) > 0) call = call more; return call }
		/^[a-z].*\)$|^[ \t]*(\/?\*|extern)/ { next } # definitions, comments
		/(^|[^a-z_])(fopen|fdopen|freopen|popen)\(/ {
			n++; call = place = FILENAME ":" FNR ": " $0
			if (whole() !~ /"[a-z+]*e[a-z+]*"/) print place; next }
		/(^|[^a-z_])(open|openat|mkostemp|pipe2|memfd_create|socket|socketpair|accept4|signalfd|eventfd|timerfd_create|epoll_create1|inotify_init1)\(/ {
			n++; call = place = FILENAME ":" FNR ": " $0
			if (whole() !~ /CLOEXEC/) print place; next }
		/(^|[^a-z_])(tmpfile|mkstemp|mkstemps|creat|pipe|dup|accept|epoll_create|inotify_init)\(/ { print FILENAME ":" FNR ": " $0 }
		END { if (n < 8) print "only " n + 0 " opened" }'
}
t 'all that is opened is close-on-exec' none inherited

long_functions() { # more than 50 lines between the braces
	find src plugins include -name '*.[ch]' | sort | grep . | xargs awk '
		FNR == 1 { start = 0 }
		/^\{/ { start = FNR }
		/^\}/ { if (start) { n++; if (FNR - start - 1 > 50) print FILENAME ":" start ": " FNR - start - 1 " lines" }; start = 0 }
		END { if (n < 1000) print "only " n + 0 " functions" }'
}
t 'a function fits a screen' none long_functions

# --- headers and plugins --------------------------------------------------------
ours() { sed -n 's/^#include "\(.*\)"/\1/p' "$@"; }
t 'plugin.h includes nothing of ours' sh -c '[ -s include/stepcost/plugin.h ] && ! grep -l "#include \"" include/stepcost/plugin.h'
public_only() {
	headers=$(find include/stepcost -type f | grep .) || { echo 'no headers'; return; }
	for file in $headers; do
		ours "$file" | grep -v '^stepcost/' | sed "s|^|$file includes |"
	done
}
t 'public headers include public headers' none public_only
plugins_only() { # public headers, and those of the plugin's own folder, by their path in it
	files=$(find plugins -name '*.[ch]' | grep .) || { echo 'no plugins'; return; }
	for file in $files; do
		plugin=$(echo "$file" | cut -d/ -f1-2)
		for header in $(ours "$file" | grep -v '^stepcost/'); do
			[ -e "$plugin/$header" ] || echo "$file includes $header"
		done
	done
}
t 'plugins include public headers' none plugins_only

# --- lists of the build -----------------------------------------------------------
lists='Makefile.am t/units.am fuzz/targets.am src/*/sources.am'
whole_lists() { # a list that a merge has torn: its rest would be a recipe
	awk 'FNR == 1 { last = "" } /^\t[a-zA-Z0-9_.\/+ -]+\\?$/ && last !~ /\\$/ { print FILENAME ":" FNR ":" $0 }
		{ last = $0; n++ } END { if (!n) print "no lists" }' $lists
}
t 'lists of the build are whole' none whole_lists
in_order() { # one name a line, ascending, none twice
	LC_ALL=C awk '/=/ { last = "" } /^\t[a-zA-Z0-9_.\/+ -]+\\?$/ { if (last != "" && $1 <= last) print FILENAME ":" FNR ":" $0; last = $1 }' $lists
}
t 'in order, and name nothing twice' none in_order
unlisted() { # what git has and a release would lack
	git ls-files '*.md' .ci .github bench_data debian doc etc fuzz include plugins src t tools | grep . | while read -r file; do
		# shellcheck disable=SC2086 # a list of files
		grep -qF -- "$file" $lists || case $file in
		t/*/*.c | fuzz/*.c) grep -qE -- "(^|[[:space:]])${file%.c}([[:space:]_]|\$|\\.la)" $lists ;;
		fuzz/*/*) folder=${file#fuzz/}; grep -qw -- "fuzz/${folder%%/*}" $lists ;; # listed whole
		t/bad/*) grep -qx -- '	t/bad \\' $lists ;;
		src/*/sources.am | t/units.am | fuzz/targets.am) grep -qF "include $file" Makefile.am ;;
		*) false ;;
		esac || echo "$file is in no list"
	done
}
if git ls-files --error-unmatch Makefile.am >/dev/null 2>&1; then t 'every file is in the release' none unlisted
else skip 'every file is in the release' 'not a git checkout'; fi
tap_done
