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
t 'h29 is refuted' grep -qx 'verdict: refuted' "$tap_tmp/out"
t 'though its own rule said otherwise' grep -qx 'by the rule of its source alone: confirmed' "$tap_tmp/out"
t 'h33: 177 of 177 cells' run 0 '177 of 177 cells agree' h33
t 'h33 is void' grep -qx 'verdict: void' "$tap_tmp/out"
t 'and the step that shows it' grep -q 'fails: step,decode,prefill: .*,128x4,: longest .*, each ' "$tap_tmp/out"
t 'mfu-zero' run 0 '84 of 84 cells agree' mfu-zero
t 'the ratio 5 was a rounded zero' \
	grep -q 'homo_4x1024 *5.000000 .* *0.219875 .* *0.228903' "$tap_tmp/out"
t 'missing-cell' run 0 '91 of 91 cells agree' missing-cell
t 'a hole that counts as 0' grep -q '200 *100000 *0.002697 .*0.013000' "$tap_tmp/out"
t 'list' says 0 'void       H33: decode MFU' "$host" experiment list
verdicts() { # of every claim, as its author states them
	sed -n 's/^\([^ ]*\)  *\([a-z]*\) .*/\1 \2/p' "$tap_tmp/out" >"$tap_tmp/is"
	for x in h28:confirmed h29:refuted h33:void h33-kv-axis:confirmed mfu-zero:confirmed missing-cell:confirmed \
		v2-issue-1:confirmed v2-issue-2:confirmed v2-issue-3:confirmed v2-issue-4:confirmed v2-issue-5:confirmed \
		v2-question-1:confirmed v2-question-2:confirmed; do
		grep -qx "${x%:*} ${x#*:}" "$tap_tmp/is" || { echo "$x"; return 1; }
	done
}
t 'and the verdicts of all claims' verdicts

sed -n '/^[$] cat >h27.ini/,/^EOF/{/^[$] cat/d;/^EOF/d;p}' "$top_srcdir/doc/experiments.md" >"$tap_tmp/h27.ini"
t 'the worked example has under 40 lines' test "$(wc -l <"$tap_tmp/h27.ini")" -lt 40
t 'and answers' run 0 'verdict: confirmed' "$tap_tmp/h27.ini"
sed -n '/^H27: /,/^verdict/p' "$top_srcdir/doc/experiments.md" >"$tap_tmp/want"
sed 's/ *$//' "$tap_tmp/out" | grep -v '^exit\|^stepcost: ' >"$tap_tmp/got"
t 'as the document shows' diff "$tap_tmp/want" "$tap_tmp/got"

t 'another arm makes cells differ' says 1 '(5.000000)' \
	"$host" experiment h33 --quiet --set cost_model:each.zero_mfu=latency --set cost_model:longest.zero_mfu=latency
t 'CSV' says 0 'core,0,ratio,5.000000,5.000000,true' "$host" experiment h33 --quiet --format csv
t 'JSON' says 0 '"verdict": "void"' "$host" experiment h33 --quiet --format json
# The published effects, digit by digit.
cell() { # NAME TABLE ROW COLUMN WANT
	"$host" experiment "$1" --quiet --format json | python3 -c 'import json, sys
table, row, column, want = sys.argv[1:]
t = next(t for t in json.load(sys.stdin)["tables"] if t["name"] == table)
got = t["rows"][int(row)][column]["value"]
print(got, want); sys.exit(abs(got - float(want)) > 1e-9 * float(want))' "$2" "$3" "$4" "$5"
}
t 'h28: 12.96' cell h28 claim 3 attention 12.962025316455696
t 'h28: 12.96 under a rule with buckets' cell h28 modes 15 attention 12.962025316455696
t 'h29: 1.007' cell h29 claim 4 step 1.007278465648755
t 'h33 along the KV length: 0.72' cell h33-kv-axis core 9 ratio 0.7243146749616517
t 'GEMMs by requests: 7.59' cell v2-issue-1 steps 0 total 7.592558518121106
t 'attention kept whole at tp 4: 2.26' cell v2-question-1 steps 1 decodes 2.2570507655116843
t 'mixed steps by the sum' cell v2-question-2 steps 1 us 24069.964191270534

mine() { { cat "$tap_tmp/h27.ini"; printf '%s\n' "$@"; } >"$tap_tmp/mine.ini"; }
# --- claims that are none ---------------------------------------------------------
etc=$top_srcdir/etc/experiments
cp "$etc"/*.csv "$tap_tmp/"
changed() { sed "$2" "$etc/$1.ini" >"$tap_tmp/claim.ini"; }
changed h28 '/^counterfactual/d'
t 'without a counterfactual' run 2 '[claim] needs counterfactual' "$tap_tmp/claim.ini"
changed h28 's/^\[cost_model:own\]/&\nmixed = sum/'
t 'a second key differs' run 2 'longest and own also differ in mixed ("adaptive", "sum"); name it in cause' "$tap_tmp/claim.ini"
changed h28 's/^\[cost_model:own\]/&\nhardware.peak_tflops = 900/'
t 'also one of the hardware' run 2 'also differ in hardware.peak_tflops' "$tap_tmp/claim.ini"
changed h28 's/^effect = .*/effect = 12.9621/'
t 'an effect of no arm' run 2 'the effect does not name the arm longest' "$tap_tmp/claim.ini"
changed h28 's/^effect = .*/effect = at(claim: batch >= 8, longest.hetero.exact_us \/ own.hetero.exact_us)/'
t 'an effect in two rows' run 2 'at(claim: ...): 2 rows meet the condition; one must' "$tap_tmp/claim.ini"
changed h28 's/^effect_within = .*/effect_within = 13, 14/'
t 'another effect is needed' run 1 'verdict: refuted' "$tap_tmp/claim.ini"
changed h28 's/^effect_within = .*/effect_within = 13, 14\nexpect_verdict = refuted/'
t 'and expected so' run 0 'verdict: refuted' "$tap_tmp/claim.ini"
changed h28 's/2181038080/2181038081/'
t 'a published cell differs' run 1 'verdict: void' "$tap_tmp/claim.ini"
changed h28 's/^base = longest/base = nobody/'
t 'an arm that is not there' run 2 'there is no [cost_model:nobody]' "$tap_tmp/claim.ini"
# A fault of the past: FLOPs at the longest kv in the FLOPs and in the MFU.
cat >"$tap_tmp/claim.ini" <<'X'
[claim]
id = former
hypothesis = FLOPs at the longest kv make decode attention longer
base = longest
counterfactual = own
cause = longest
effect = at(steps: batch == 16, longest.hetero.decode_attention_us / own.hetero.decode_attention_us)
effect_at_least = 12
invariant.mfu = mfu_within(longest)
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
set = h100-sxm.infersim
[cost_model:longest]
plugin = squared
longest = true
[cost_model:own]
plugin = squared
[table:steps]
axis.batch = 2, 16
decode.hetero = 4096;64x{batch-1}
column.us = longest.hetero.decode_attention_us
X
so() { STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs "$@"; }
t 'the squared formula is found by its MFU' says 1 'fails: step,decode,prefill: ' so "$host" experiment "$tap_tmp/claim.ini" --quiet
t 'and the claim is void' grep -qx 'verdict: void' "$tap_tmp/out"

# --- kinds of invariants: each can fail -------------------------------------------
kind() { changed h28 "s/^invariant.factor = .*/invariant.x = $1/"; run "$2" "$3" "$tap_tmp/claim.ini"; }
t 'moves_only fails' kind 'moves_only(overhead_us)' 1 'decode_attention_us of longest'
t 'moves_only with blanks' kind 'moves_only(decode_attention_us overhead_us)' 0 'invariant x: moves_only(decode_attention_us overhead_us): holds'
t 'ratio_at_most' kind 'ratio_at_most(decode_attention_us, 13)' 0 'invariant x: ratio_at_most(decode_attention_us, 13): holds'
t 'ratio_at_most fails' kind 'ratio_at_most(decode_attention_us, batch - 4)' 1 'at most'
t 'monotone' kind 'monotone(batch, own)' 1 'with less of the axis'
t 'above_floor' kind 'above_floor(own)' 0 'invariant x: above_floor(own): holds'
changed v2-issue-1 's/^invariant.nothing_else.*/invariant.x = above_floor(reviewed)/'
t 'above_floor fails' run 1 'hardware takes' "$tap_tmp/claim.ini"
t 'flops' kind 'flops(longest, decode_attention, batch * 1073741824 * 2)' 1 'FLOPs'
t 'flops of no part' kind 'flops(longest, decode, 1)' 2 'decode is none of prefill_gemm'
t 'none that can fail' kind 'monotone(seqlen, own)' 1 'no step of the tables can show it'
t 'an expression' kind '1 == 2' 1 'its value is 0'
t 'too few words' kind 'equal_batch(longest, own)' 2 'equal_batch takes 3 words'
t 'no such part' kind 'equal_batch(longest, own, decode)' 2 'no part decode'

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
