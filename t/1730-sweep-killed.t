#!/bin/sh
# sweep: calls that are killed at random, with readers in between; and readers
# who may not write.  SC_KILLS=100 kills a hundred.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/sweep.sh"

{ serving 300; cat; } >c.ini <<'X'
[cost_model:a]
plugin = roofline_v1
X
t 'after each kill every reader finds every row' \
	python3 "$top/t/lib/sweep_kills.py" "$host" c.ini "${SC_KILLS:-8}" "${SC_SEED:-1}"

# --- without permission to write ----------------------------------------------------
"$host" sweep c.ini --quiet --output /dev/null --axis workload.request_rate=5:20:5 --store good.db
if [ "$(id -u)" -eq 0 ]; then
	reader='setpriv --reuid=65534 --clear-groups'
	$reader true 2>/dev/null || reader=
else reader=env; fi
chmod 755 .
place() { # FOLDER: with a store; its transaction was killed
	rm -rf "$1"; mkdir "$1"; cp good.db "$1/x.db"
	python3 "$top/t/lib/store.py" journal "$1/x.db"
}
place hot
t 'a killed transaction leaves a journal' test -s hot/x.db-journal
chmod 444 hot/x.db hot/x.db-journal; chmod 555 hot
if [ -n "$reader" ] && $reader test -r hot/x.db && $reader test ! -w hot; then
	for command in show 'pareto --x output_throughput --y p99_ttft_ms' 'plot --html /dev/null' check; do
		# shellcheck disable=SC2086 # words
		t "${command%% *}: one sentence says what finishes it" says 2 'resume the sweep' $reader "$host" sweep $command hot/x.db
		t 'and no other' is "$(wc -l <said)" 1
	done
	t 'merge, too' says 2 'resume the sweep' $reader "$host" sweep merge /tmp/never.db hot/x.db
	mkdir rest; cp good.db rest/x.db; chmod 444 rest/x.db; chmod 555 rest
	t 'a store at rest is read' says 0 '' $reader "$host" sweep show rest/x.db
	mkdir wal; cp good.db wal/x.db
	python3 "$top/t/lib/store.py" sql wal/x.db 'PRAGMA journal_mode = WAL' >/dev/null
	chmod 444 wal/x.db; chmod 555 wal
	t 'also one that was left in WAL mode' says 0 '4 rows are good' $reader "$host" sweep check wal/x.db
	chmod 755 hot rest wal
else
	skip 'readers without permission' 'everything may be written here'
fi
chmod 755 hot; chmod 644 hot/x.db hot/x.db-journal
t 'who may write finishes it' says 0 '4 rows are good' "$host" sweep check hot/x.db
t 'and leaves a single file' is "$(ls hot)" x.db
t 'with the same rows' same good.db hot/x.db
tap_done
