#!/bin/sh
# A sweep that continues with its axes in another order writes each value under
# its own axis.
. "${top_srcdir:-.}/t/lib/tap.sh"
if ! command -v python3 >/dev/null; then echo '1..0 # SKIP no python3'; exit 0; fi
. "$top_srcdir/t/lib/sweep.sh"
{ serving 3; printf '[cost_model:const]\nplugin = const_step\n'; } >c.ini
rate=workload.request_rate tp=engine.tensor_parallel_size
sweep() { store=$1; shift; "$host" sweep c.ini --quiet --output /dev/null --store "$store" "$@"; }
t 'a sweep' sweep s.db --axis $rate=5,10 --axis $tp=1,2
t 'goes on, with its axes in another order and one value more' sweep s.db --axis $tp=1,2,4 --axis $rate=5,10
t 'the same at once' sweep once.db --axis $rate=5,10 --axis $tp=1,2,4
values() { "$host" sweep show "$1" --format csv | python3 -c '
import csv, sys
for r in sorted((r["point"], r["'$rate'"], r["'$tp'"], r["mean_tpot_ms"]) for r in csv.DictReader(sys.stdin)): print(*r)'; }
equal() { values s.db >a; values once.db >b; cat a; [ "$(wc -l <a)" -eq 6 ] && diff a b; }
t 'gives the same points, under the same values' equal
t 'the store is sound' "$host" sweep check s.db
printf '[cost_model:v2]\nplugin = roofline_v2\nmemory = hybrid\n[tables]\nset = h100-sxm.infersim\n' >>c.ini
idle() { "$host" sweep c.ini --arms v2 --store idle.db --axis cost_model:v2.decode_bw_efficiency=0.5,0.6 2>err
	[ $? -eq 2 ] && grep -F 'axis: cost_model:v2: decode_bw_efficiency has no effect with memory = hybrid' err; }
t 'an axis that changes nothing is refused' idle
t 'and one that does at some of its points is not' sweep some.db --arms v2 \
	--axis cost_model:v2.decode_bw_efficiency=0.5,0.6 --axis cost_model:v2.memory=hybrid,single
tap_done
