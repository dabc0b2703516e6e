#!/bin/sh
# The shipped experiments, the worked example of doc/experiments.md, and
# refusals.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost
says() { # CODE WANT COMMAND...
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/out" 2>&1; got=$?
	cat "$tap_tmp/out"; echo "exit $got"
	[ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/out"
}
run() { says "$1" "$2" "$host" experiment "$3" --quiet; }

t 'h28: 35 of 35 cells' run 0 '35 of 35 cells agree' h28
t 'h28 is confirmed' grep -qx 'verdict: confirmed' "$tap_tmp/out"
t 'h29: 319 of 319 cells' run 0 '319 of 319 cells agree' h29
t 'h29 is confirmed' grep -qx 'verdict: confirmed' "$tap_tmp/out"
t 'h33: 177 of 177 cells' run 0 '177 of 177 cells agree' h33
t 'h33 is confirmed' grep -qx 'verdict: confirmed' "$tap_tmp/out"
t 'mfu-zero' run 0 '84 of 84 cells agree' mfu-zero
t 'the ratio 5 was a rounded zero' \
	grep -q 'homo_4x1024 *5.000000 .* *0.219875 .* *0.228903' "$tap_tmp/out"
t 'missing-cell' run 0 '91 of 91 cells agree' missing-cell
t 'a hole that counts as 0' grep -q '200 *100000 *0.002697 .*0.013000' "$tap_tmp/out"
t 'list' says 0 'H33: decode MFU' "$host" experiment list

sed -n '/^[$] cat >h27.ini/,/^EOF/{/^[$] cat/d;/^EOF/d;p}' "$top_srcdir/doc/experiments.md" >"$tap_tmp/h27.ini"
t 'the worked example has under 40 lines' test "$(wc -l <"$tap_tmp/h27.ini")" -lt 40
t 'and answers' run 0 'verdict: confirmed' "$tap_tmp/h27.ini"
sed -n '/^H27: /,/^verdict/p' "$top_srcdir/doc/experiments.md" >"$tap_tmp/want"
sed 's/ *$//' "$tap_tmp/out" | grep -v '^exit\|^stepcost: ' >"$tap_tmp/got"
t 'as the document shows' diff "$tap_tmp/want" "$tap_tmp/got"

t 'another arm makes cells differ' says 1 '(5.000000)' \
	"$host" experiment h33 --quiet --set cost_model:each.zero_mfu=latency
t 'CSV' says 0 'core,0,ratio,5.000000,5.000000,true' "$host" experiment h33 --quiet --format csv
t 'JSON' says 0 '"verdict": "confirmed"' "$host" experiment h33 --quiet --format json

mine() { { cat "$tap_tmp/h27.ini"; printf '%s\n' "$@"; } >"$tap_tmp/mine.ini"; }
mine 'expect.ratio = 0.948, 0.897, 0.789, 0.819, 0.938, 0.800, 0.789, 0.779, 0.848'
t 'a cell differs: exit 1' run 1 '8 of 9 cells agree' "$tap_tmp/mine.ini"
mine 'expect.ratio = 1'
t 'too few values' run 3 'has 9 rows, expect.ratio 1 values' "$tap_tmp/mine.ini"
mine 'column.bad = adaptive.stepp.total_us'
t 'no such step' run 2 'mine.ini:36: adaptive.stepp.total_us: [table:mixed] has no step' "$tap_tmp/mine.ini"
mine 'column.bad = nobody.step.total_us'
t 'no such arm' run 2 'there is no [cost_model:nobody]' "$tap_tmp/mine.ini"
mine 'column.bad = adaptive.step.totl_us'
t 'no such field' run 2 'mine.ini:36: adaptive.step.totl_us: no field totl_us' "$tap_tmp/mine.ini"
mine 'column.bad = (1'
t 'no expression' run 2 "mine.ini:36: ')' expected" "$tap_tmp/mine.ini"
mine 'colum.bad = 1'
t 'an unknown key' run 2 'mine.ini:36: unknown key colum.bad' "$tap_tmp/mine.ini"
mine 'rows = f.csv'
t 'rows and axes' run 2 'mine.ini:36: [table:mixed] has axis.NAME and rows; give one of the two' "$tap_tmp/mine.ini"
mine 'prefill.other = 0:x' 'column.bad = adaptive.other.total_us'
t 'no step' says 3 'prefill must be cached:new' "$host" experiment "$tap_tmp/mine.ini"
t 'an unknown experiment' says 2 'h99' "$host" experiment h99
tap_done
