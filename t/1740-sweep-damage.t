#!/bin/sh
# sweep: damaged stores: no altered figure is shown, no row is missing in
# silence, and the rest can be used.  SC_STORES=300 damages three hundred.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/sweep.sh"
sql() { python3 "$top/t/lib/store.py" sql "$@"; }

{ serving 100; cat; } >c.ini <<'X'
[cost_model:a]
plugin = roofline_v1
[cost_model:b]
plugin = const_step
base_us = 5000
X
sweep() { "$host" sweep c.ini --quiet --output /dev/null --axis workload.request_rate=5:20:5 --axis engine.tensor_parallel_size=1,2,4 "$@"; }
sweep --store good.db
t 'a good store' says 0 'good.db: 24 rows are good' "$host" sweep check good.db
t 'random damage' python3 "$top/t/lib/store_damage.py" "$host" good.db "${SC_STORES:-44}" "${SC_SEED:-1}"

# --- a damaged row ----------------------------------------------------------------------
point=$(sql good.db 'SELECT min(point) FROM point')
spoil() { cp good.db bad.db; sql bad.db "UPDATE result SET p99_ttft_ms = p99_ttft_ms / 2 WHERE point = '$point' AND arm = 'a'"; }
spoil
name="point $point, arm a, seed 42"
t 'check names it' says 3 "bad.db: $name: damaged" "$host" sweep check bad.db
t 'and counts the others' grep -q '23 rows are good, 1 damaged' said
t 'show names it' says 3 "1 row is damaged and left out (resume the sweep to compute them): $name" "$host" sweep show bad.db --format csv --output shown.csv
t 'and shows the others' is "$(wc -l <shown.csv)" 24
t 'pareto names it' says 3 "$name" "$host" sweep pareto bad.db --x output_throughput --y p99_ttft_ms
t 'plot, too' says 3 "$name" "$host" sweep plot bad.db --html plot.html
rm -f merged.db
t 'merge, too' says 3 "$name" "$host" sweep merge merged.db bad.db
t 'which copies the others' says 0 '23 rows are good' "$host" sweep check merged.db
t 'a sweep that goes on names it' says 0 "$name" sweep --store bad.db
t 'and computes it again' same good.db bad.db
t 'alone' is "$(sql bad.db 'SELECT count(*) FROM log')" 25
# Keys out of order: rows that are there would not be found, and written once more.
python3 "$top/t/lib/store.py" disorder good.db order.db
t 'each row of it is good' says 0 '24 rows are good' "$host" sweep check order.db
t 'a store with keys out of order is not written' says 3 'nothing is written to it: `stepcost sweep merge NEW.db order.db` keeps its good rows' sweep --store order.db
t 'and stays as it was' is "$(sql order.db 'SELECT count(*) FROM result NOT INDEXED')" 24
t 'its good rows are merged' "$host" sweep merge ordered.db order.db
t 'and the sweep goes on' sweep --store ordered.db
t 'with all rows' same good.db ordered.db
t 'several stores' says 3 'good.db: 24 rows are good' sh -c "cp merged.db spoilt.db; python3 '$top/t/lib/store.py' sql spoilt.db 'UPDATE result SET seed = 7'; '$host' sweep check good.db spoilt.db"

# --- a damaged study ----------------------------------------------------------------------
cp good.db study.db; sql study.db "UPDATE study SET configuration = replace(configuration, '5000', '6000')"
t 'a damaged study is refused' says 3 'its table study' "$host" sweep show study.db
# shellcheck disable=SC2016 # a word
t 'its rows are counted' says 3 '24 rows are good' "$host" sweep check study.db
t 'and nothing is written to it' says 3 'its table study' sweep --store study.db
cp good.db view.db; sql view.db "DROP VIEW results"
t 'nor is a store without its view' says 3 'the definition of a table' "$host" sweep show view.db

# --- a store without digests ---------------------------------------------------------------
cp good.db old.db; sql old.db 'ALTER TABLE result DROP COLUMN digest'; sql old.db 'ALTER TABLE study DROP COLUMN digest'
t 'an older store is shown' says 0 'before rows had digests' "$host" sweep show old.db
t 'and counted' says 0 '24 rows are read' "$host" sweep check old.db
t 'not written' says 2 'before rows had digests' sweep --store old.db
t 'merged, it has digests' says 0 'before rows had digests' "$host" sweep merge new.db old.db
t 'and all rows' says 0 '24 rows are good' "$host" sweep check new.db
t 'with which a sweep goes on' sweep --store new.db
t 'and computes nothing' is "$(sql new.db 'SELECT count(*) FROM log')" 24
tap_done
