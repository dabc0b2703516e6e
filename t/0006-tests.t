#!/bin/sh
# Which modules have a test of their own: t/ROOM/NAME.c for src/ROOM/NAME.c.
# Those that lack one are listed here, and the list may only shrink.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
rooms='base math keys model engine cost tables workload sim sim/policy'
# Tested through others of their room: formats by workload/trace, the
# parts of a config.json by model/model, what looks at
# a table by tables/check, what orders requests by sim/simulation, long stretches
# of decodes by the policy that has them.
lacking='
model/hf_config
model/hf_family
model/hf_layers
model/hf_reader
sim/policy/steady
tables/check_grid
tables/check_mfu
tables/checked_table
tables/table_set
workload/arrival_keys
workload/trace_csv
workload/trace_document
workload/trace_reader
'
modules() {
	for room in $rooms; do
		ls "src/$room"/*.c 2>/dev/null || echo "src/$room/(nothing)"
	done | sed 's|^src/||; s|\.c$||'
}
none() { # COMMAND...: prints nothing
	bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }
}
is_listed() { printf '%s' "$lacking" | grep -qx "$1"; }
untested() { modules | while read -r m; do [ -e "t/$m.c" ] || is_listed "$m" || echo "$m has no test t/$m.c"; done; }
t 'every module has a test of its own, or is listed' none untested
tested() {
	for m in $lacking; do
		[ -e "src/$m.c" ] || echo "$m is no module: take it from the list"
		[ ! -e "t/$m.c" ] || echo "$m has a test: take it from the list"
	done
}
t 'and none that is listed has one' none tested
sorted() { printf '%s' "$lacking" | sed '/^$/d' | LC_ALL=C sort -cu; }
t 'the list is in order' sorted
built() { # what is written is also run
	for m in $(modules); do
		[ ! -e "t/$m.c" ] || grep -qE "^	t/$m( \\\\)?\$" t/units.am || echo "t/$m is not in t/units.am"
	done
}
t 'every test is built' none built
tap_done
