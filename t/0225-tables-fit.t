#!/bin/sh
# The constants in the MANIFESTs are those that the shipped tool fits, and
# doc/tables.md has every kind of table and every finding of `tables check`.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
# A fit moves in the last digit with the compiler, that of operators more, since
# its constants are flat: compare to 1e-3 and 2e-2.
same() { # SET [LAWS]
	"$host" tables fit "$1" --path "$top_srcdir/bench_data" --quiet |
		grep "${2-.}" >"$tap_tmp/fit" || return 1
	grep '^law\.\|^operators\.' "$top_srcdir/bench_data/$1/MANIFEST" | grep "${2-.}" >"$tap_tmp/has"
	awk -F ' = ' 'NR == FNR { v[$1] = $2; n++; next }
		{ off = /^law/ ? 1e-3 : 2e-2 }
		!($1 in v) || $2 - v[$1] > off * v[$1] || v[$1] - $2 > off * v[$1] {
			print $1, $2, "but the MANIFEST has", v[$1]; bad = 1 }
		{ m++ }
		END { exit bad || n != m || n == 0 }' "$tap_tmp/has" "$tap_tmp/fit"
}
for set in b200-sxm.vllm-0.19 h100-sxm.infersim h20.infersim h200-sxm.trtllm-1.2.0rc5 l40s.trtllm-1.0.0 rtxpro6000.vllm-0.25.dev; do
	t "$set: a new fit finds the constants of the MANIFEST" same $set
done
# The other laws of these sets are fitted to a tenth of their rows.
some='^law\.all_reduce\|^operators\.\(gdn\|dsa\|msa\|csa\)'
for set in a100-sxm.vllm-0.14 b200-sxm.sglang-0.5.14 h100-sxm.vllm-0.24; do
	t "$set: those that are fitted to all rows" same $set "$some"
done
# A thinned set is a set; a folder that is there is not written over.
thin() { "$host" tables downsample h20.infersim --path "$top_srcdir/bench_data" --keep 0.5 --to "$tap_tmp/thin" >"$tap_tmp/said"; }
t 'half of a set' thin
t 'says what that costs' grep -q 'gemm.csv: keeps .* off the lines between these, at most' "$tap_tmp/said"
t 'and can be read' sh -c "'$host' tables list --path '$tap_tmp' | grep -q thin"
t 'not twice into one folder' sh -c "! '$host' tables downsample h20.infersim --path '$top_srcdir/bench_data' --to '$tap_tmp/thin' 2>'$tap_tmp/why'; grep -q 'exists' '$tap_tmp/why'"
# The fastest INT8 GEMM is no faster than the peak that its law is drawn against.
below_peak() { # SET
	"$host" kernel "$tap_tmp/int8.ini" --points "$tap_tmp/int8.csv" --set "tables.set=$1" --set "hardware.config=$2" --format csv --quiet |
		awk -F, -v manifest="$top_srcdir/bench_data/$1/MANIFEST" 'BEGIN { while ((getline line < manifest) > 0) if (line ~ /^peak_tflops_/) { sub(/.*= */, "", line); if (line + 0 > peak) peak = line + 0 } }
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "latency_us") at = i } NR > 1 { print $at, peak; n++; if (!($at > 2e-6 * 8192 ^ 2 * 4096 / peak)) bad = 1 } END { exit bad || !n }'
}
printf '[model]\nconfig = llama-3.1-8b\n[cost_model]\nplugin = operators\n' >"$tap_tmp/int8.ini"
printf 'op,dtype,m,n,k\ngemm,int8,8192,8192,4096\n' >"$tap_tmp/int8.csv"
t 'INT8 on A100: below its peak' below_peak a100-sxm.trtllm-1.0.0 a100-80-sxm
t 'on L40S' below_peak l40s.trtllm-1.0.0 l40s
t 'on H200' below_peak h200-sxm.trtllm-1.2.0rc5 h200-sxm
refuses() { "$host" tables fit nosuch --path "$top_srcdir/bench_data" 2>&1 | grep -q nosuch; }
t 'a set that is not there is named' refuses
elsewhere() { # from a folder that has no bench_data
	(cd "$tap_tmp" && "$host" tables fit h100-sxm.infersim --quiet) | grep -q '^law\.gemm'
}
t 'a set of the data folders, from anywhere' elsewhere
nearest() { "$host" tables fit h100-sxm.infersm 2>&1 | grep -qF "(did you mean 'h100-sxm.infersim'?)"; }
t 'and the nearest one is named' nearest
# Every kind of include/stepcost/kernel/kernel_tables.h, every finding of src/tables/check*.c.
documented() { # NAME...
	[ $# -gt 9 ] || return 1
	for name; do grep -qF "\`$name\`" "$top_srcdir/doc/tables.md" || { echo "$name"; return 1; }; done
}
kinds() { documented $(sed -n 's/^	X(\([a-z0-9_]*\),.*/\1/p' "$top_srcdir/include/stepcost/kernel/kernel_tables.h"); }
t 'doc/tables.md has every kind of table' kinds
findings() {
	documented $(cat "$top_srcdir"/src/tables/check*.c | tr '\n' ' ' |
		grep -oE '(checked_tell\([^"]*|check_without\([^"]*"[a-z]*",[[:space:]]*)"[a-z_0-9]*"' | sed 's/"$//; s/.*"//')
}
t 'and every finding' findings
tap_done
