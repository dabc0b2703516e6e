#!/bin/sh
# MFU as looked up, through `stepcost kernel`, against t/golden/lookups.csv.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
cases=$top_srcdir/t/golden/lookups.csv
{
	cat <<-X
	[model]
	config = llama-3.1-8b
	[hardware]
	config = h100-sxm
	[tables]
	set = h100-sxm.infersim
	X
	arm() { printf '[cost_model:%s]\nplugin = roofline_v2\npreset = fixed\n' "$1"; shift; printf '%s\n' "$@"; }
	arm nearest 'lookup = nearest'
	arm first 'lookup = nearest' 'zero_mfu = first'
	arm linear
	arm linear_one 'missing_tp = one'
} >"$tap_tmp/c.ini"
{
	echo op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,message_bytes
	awk -F, 'NR > 1 {
		printf "%s,%s", $1, $1 == "gemm" ? "fp8" : "bf16"
		for (i = 2; i <= 11; i++) printf ",%s", i == 6 && $5 && !$6 ? $5 : $i
		print ","
	}' "$cases"
} >"$tap_tmp/points.csv"
t 'kernel prices all points' sh -c "'$top_builddir/stepcost' kernel '$tap_tmp/c.ini' \
	--points '$tap_tmp/points.csv' --quiet >'$tap_tmp/got.csv'"

# The rows of one arm come in the order of the points.
check() {
	awk -F, -v arm="$1" '
	FNR == 1 { for (i = 1; i <= NF; i++) col[FILENAME == ARGV[1], $i] = i; next }
	FILENAME == ARGV[1] {
		n++; want[n] = $(col[1, arm]); used[n] = $(col[1, "used"]); line[n] = $0; next
	}
	$(col[0, "arm"]) == arm {
		m++; d = $(col[0, "mfu"]) - want[m]
		shape = $(col[0, "used"]); sub(/ .*/, "", shape)
		if (d * d > 1e-24 * want[m] ^ 2 || (used[m] != "" && shape != used[m])) {
			print line[m] ": got " $(col[0, "mfu"]) " by " $(col[0, "used"]); bad++
		}
	}
	END { print m " points"; exit bad > 0 || m != n || !n }' "$cases" "$tap_tmp/got.csv"
}
for arm in nearest first linear linear_one; do
	t "$arm: $(($(wc -l <"$cases") - 1)) lookups" check $arm
done
tap_done
