#!/bin/sh
# Which room may include which, and which may print: src/ROOMS, HACKING.md.  No
# list that a rule looks through may be empty, or the rule would check nothing.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
sources() { find src -name '*.[ch]' | sort | grep .; }
rooms() { sed 's/#.*//' src/ROOMS | awk 'NF { print $1, $2 }' | grep .; }
edges() { cat "$tap_tmp/edges"; } # FILE HEADER, of ours
sources | xargs awk -F'"' '/^#include "/ && $2 !~ /^stepcost\// { print FILENAME, $2 }' >"$tap_tmp/edges"
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
		grep -q "^	src/$room/.*\.c" lists.am || { echo "lists.am has nothing of src/$room"; return 1; }
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
	'workload/(trace/[a-z_]*|distribution|arrival)\.h|base/.*|math/.*'
t 'the engine asks a cost model, wherever it comes from' none only 'sim/[a-z_/]*' \
	'sim/.*|cost/.*|engine/(engine|choices|fleet|parallel|memory/kv_groups|speculation)\.h|workload/(request|workload|keys)\.h|base/.*|math/.*'

t 'a tag and an enumerator are in one header' none python3 t/lib/tags.py src
two_headers() { # a tag that is in two is found
	mkdir "$tap_tmp/two" && echo 'enum a { TWICE };' >"$tap_tmp/two/a.h" && echo 'enum { ONCE, TWICE };' >"$tap_tmp/two/b.h" &&
		python3 t/lib/tags.py "$tap_tmp/two" | grep -q '^TWICE: .*a\.h .*b\.h'
}
t 'one in two would be found' two_headers

t 'a question changes nothing' none python3 t/lib/questions.py src
answers() { # one that changes its argument is found
	mkdir "$tap_tmp/question" && echo 'int is_late(struct child *k, int64_t now);' >"$tap_tmp/question/a.h" &&
		python3 t/lib/questions.py "$tap_tmp/question" | grep -q 'a\.h: is_late(struct child \*k): const is missing'
}
t 'one that does would be found' answers

# --- symbols: links between rooms go down, too --------------------------------
symbols() { # SYMBOL KIND FILE, of every object: src/ROOM/libROOM_a-NAME.o is of src/ROOM/NAME.c
	find "$top_builddir/src" -name '*.o' | sort | grep . | xargs nm -A -P | awk '
		{ file = $1; sub(/.*\/src\//, "", file); sub(/lib[a-z]*_a-/, "", file); sub(/o:$/, "c", file); print $2, $3, file }'
}
up_symbols() {
	{ rooms; echo --; cat "$tap_tmp/symbols"; } | awk '
		$1 == "--" { rest = 1; next }
		!rest { floor[$2] = $1; next }
		{ split($3, a, "/"); room = a[1]
		  if ($2 ~ /^[TDRBC]$/) home[$1] = room
		  else if ($2 == "U") use[++n] = $1 " " room " " $3; }
		END { for (i = 1; i <= n; i++) { split(use[i], u, " "); h = home[u[1]]
			if (h == "" || h == u[2]) continue
			down++
			if (floor[h] >= floor[u[2]]) print u[3] " needs " u[1] " of " h }
		      if (down < 500) print "only " down + 0 " symbols between rooms" }'
}
twice_defined() { # the linker takes the first of two in libraries, and says nothing
	{ sources | sed 's|^src/||'; echo --; cat "$tap_tmp/symbols"; } | awk '
		$1 == "--" { rest = 1; next }
		!rest { source[$1]; next }
		$2 !~ /^[TDRBC]$/ || !($3 in source) { next } # an object may outlive its source
		$1 in home && home[$1] != $3 { print $1 " is in " home[$1] " and in " $3 }
		{ home[$1] = $3; n++ }
		END { if (n < 1000) print "only " n + 0 " symbols" }'
}
if [ -d "$top_builddir/src" ] && command -v nm >/dev/null; then
	symbols >"$tap_tmp/symbols"
	t 'no symbol is needed from beside or above' none up_symbols
	t 'and none has two homes' none twice_defined
else
	skip 'no symbol is needed from beside or above' 'no objects here'
	skip 'and none has two homes' 'no objects here'
fi

# --- who may do what -----------------------------------------------------------
loud() {
	sources | grep '\.c$' | xargs grep -lE '(^|[^a-z_])(printf|puts|putchar|perror) ?\(|std(out|err)\b' |
		grep -vE '^src/(cmd|report)/|^src/base/file/outfile|^src/jobs/'
}
t 'only cmd and report print' none loud
t 'and cmd does' sh -c 'grep -lE "std(out|err)" src/cmd/*.c | grep -q .'
exits() {
	sources | grep '\.c$' | grep -v '^src/cmd/' | xargs awk '
		{ gsub(/\/\*.*|"[^"]*"/, "") } /(^|[^_a-z])exit ?\(/ { print FILENAME ": " $0 }'
}
t 'only cmd exits' none exits
integer_only() {
	for file in src/sim/scheduler.c src/sim/kv/kv.c src/sim/front/router.c; do
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
	{ sources | grep '\.c$'; find plugins -name '*.c'; } | xargs awk 'FNR == 1 && !/^\/\* / { print FILENAME }'
}
t 'every .c begins with a sentence' none own_sentence
once() { # a header is read once; config.h, which the compiler is told to read first, by none
	sources | grep '\.h$' | xargs grep -L '^#pragma once$' | sed 's/$/ has no #pragma once/'
	sources | xargs grep -n '^#include <config\.h>'
}
t 'every header is read once' none once
misnamed() { # a name in the first line is the own: NAME.c, or with its folders
	{ sources; find include plugins -name '*.[ch]'; } | xargs awk '
		FNR == 1 && match($0, /^\/\* [a-z0-9_\/]+\.[ch] -- /) {
			n++; name = substr($0, 4, RLENGTH - 7)
			if (substr("/" FILENAME, length(FILENAME) + 1 - length(name)) != "/" name) print FILENAME " calls itself " name }
		END { if (n < 1000) print "only " n + 0 " name themselves" }'
}
t 'a file names itself' none misnamed

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

# --- headers and plugins --------------------------------------------------------
ours() { xargs awk -F'"' '/^#include "/ && $2 !~ /^stepcost\// { print FILENAME, $2 }'; } # FILE HEADER
t 'plugin.h includes nothing of ours' sh -c '[ -s include/stepcost/plugin.h ] && ! grep -l "#include \"" include/stepcost/plugin.h'
public_only() {
	find include/stepcost -type f | grep . | ours | sed 's/ / includes /' | grep . || [ -d include/stepcost ] || echo 'no headers'
}
t 'public headers include public headers' none public_only
plugins_only() { # public headers, and those of the plugin's own folder, by their path in it
	find plugins -name '*.[ch]' | grep . >"$tap_tmp/files" || echo 'no plugins'
	ours <"$tap_tmp/files" | while read -r file header; do
		plugin=${file#plugins/}
		case $plugin in field/*) [ ! -e "plugins/field/$header" ] || continue; plugin=${plugin#field/} top=field/ ;; *) top= ;; esac
		[ -e "plugins/$top${plugin%%/*}/$header" ] || echo "$file includes $header"
	done
}
t 'plugins include public headers' none plugins_only

long_plugins() { # a published model fits into the head of who reads it beside its source
	wc -l plugins/field/*/*.[ch] | awk '/plugins/ { split($2, part, "/"); lines[part[3]] += $1; n++ }
		END { for (p in lines) if (lines[p] > 300) print p " has " lines[p] " lines: what others could share goes to plugins/field"; if (n < 17) print "only " n + 0 " files" }'
}
t 'a published cost model has at most 300 lines' none long_plugins

# --- lists of the build -----------------------------------------------------------
made() { # what make would build, test and release is what the folders have
	sh tools/lists.sh "$tap_tmp/lists.am" && diff "$tap_tmp/lists.am" lists.am
}
t 'lists.am is as tools/lists.sh makes it' made
kept='Makefile.am fuzz/targets.am'
whole_lists() { # a list that a merge has torn: its rest would be a recipe
	awk 'FNR == 1 { last = "" } /^\t[a-zA-Z0-9_.\/+ -]+\\?$/ && last !~ /\\$/ { print FILENAME ":" FNR ":" $0 }
		{ last = $0; n++ } END { if (!n) print "no lists" }' $kept
}
t 'lists kept by hand are whole' none whole_lists
in_order() { # one name a line, ascending, none twice
	LC_ALL=C awk '/=/ { last = "" } /^\t[a-zA-Z0-9_.\/+ -]+\\?$/ { if (last != "" && $1 <= last) print FILENAME ":" FNR ":" $0; last = $1 }' $kept
}
t 'in order, and name nothing twice' none in_order
unreleased='^\.git(ignore|attributes)$' # for git alone
covered() { # those lines of stdin that the release has: the file itself, or a folder above it
	awk -v want="$1" 'NR == FNR { released[$0]; n++; next }
		{ has = 0; path = $0
		  do { if (path in released) has = 1 } while (sub(/\/[^\/]*$/, "", path))
		  if (has == want) print }
		END { if (n < 1000) print "the release has only " n + 0 " files" }' "$tap_tmp/released" -
}
lacking() { git ls-files | grep -vE "$unreleased" | covered 0; }
left_over() { git ls-files --others --exclude-standard | covered 1; }
if git ls-files --error-unmatch Makefile.am >/dev/null 2>&1; then
	make -s -C "$top_builddir" released >"$tap_tmp/released"
	t 'every file that git has is in the release' none lacking
	t 'and none that git lacks' none left_over
else
	skip 'every file that git has is in the release' 'not a git checkout'
	skip 'and none that git lacks' 'not a git checkout'
fi
tap_done
