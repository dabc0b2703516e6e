#!/bin/sh
# Each knob of the models flipped alone: what it does to one part of one step.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost

cat >"$tap_tmp/steps.csv" <<X
step,decode,prefill
one,1024,
batch,4096;64x15,
twelve,1200x4,
hundred,1000x100,
hole,100000x200,
short,,0:10
prefill,,0:513
long,,0:5000
chunk,,60000:100
mixed,1000x64,0:2048
fewmixed,1000x60,0:30
tiny,64,
X

# plugin;knobs before;knob = value;tp;step;part;expected;what it says
# expected: *F that many times, > < more or less, =V that value, ~ the same
cat >"$tap_tmp/flips" <<X
roofline_v2;gemm_memory_floor=false;lookup=nearest;1;hundred;decode_gemm_us;>;between two measured m the smaller one's MFU counts
roofline_v2;;missing_tp=one;8;batch;decode_attention_us;<;tp 1's MFU is higher than tp 4's
roofline_v2;preset=fixed;zero_mfu=latency;1;one;decode_attention_us;>;the zero is 0.000427, not 0.008
roofline_v2;lookup=nearest mfu_digits=3;zero_mfu=first;1;one;decode_attention_us;>;the first row that is not 0 has 0.001
roofline_v2;;missing_cell=zero;1;hole;decode_attention_us;>;a hole counts as MFU 0
roofline_v2;;mfu_digits=3;1;one;decode_attention_us;<;0.000427 reads as 0 and is replaced by 0.008
roofline_v2;gemm_memory_floor=false;prefill_gemm_rows=requests;1;prefill;prefill_gemm_us;<;1 row in place of 513
roofline_v2;;prefill_attention_rows=requests;1;prefill;prefill_attention_us;*0.00194931773879;1 query row in place of 513
roofline_v2;;prefill_attention_length=bucket;1;prefill;prefill_attention_us;*1.99610136452242;1024 in place of 513
roofline_v2;;prefill_attention_length=hybrid;1;short;prefill_attention_us;*6.4;64 in place of 10
roofline_v2;;prefill_attention_mfu=length;1;long;prefill_attention_us;>;the MFU at 5,000 tokens is below that at 8,192
roofline_v2;;bucket_key=new;1;chunk;prefill_attention_us;>;100 new tokens have the MFU of 512, not of 65536
roofline_v2;prefill_attention_length=bucket;bucket_min=64;1;short;prefill_attention_us;*0.125;64 in place of 512
roofline_v2;;causal_mask=0.5;1;prefill;prefill_attention_us;*0.5;half of the square
roofline_v2;;prefill_attention_divisor=1;1;prefill;prefill_attention_us;*1.8;not divided
roofline_v2;;softmax_flops=true;1;batch;decode_attention_us;*1.0078125;1/128 more
roofline_v2;decode_attention_mfu=max;decode_attention_flops=max;1;batch;decode_attention_us;*12.9620253164557;16 x 4096 over the sum
roofline_v2;;decode_attention_mfu=max;1;batch;decode_attention_us;<;4096 has a higher MFU than 64
roofline_v2;;decode_attention_mfu=per_request;1;batch;decode_attention_us;>;at batch 1 the GPU is empty
roofline_v2;;decode_attention_mfu=kv_bucket;1;batch;decode_attention_us;>;4096 is alone in its group
roofline_v2;;decode_attention_mfu=harmonic;1;batch;decode_attention_us;>;times add up, and 64 is slow
roofline_v2;;decode_attention_mfu=weighted_single;1;batch;decode_attention_us;>;at batch 1 the GPU is empty
roofline_v2;decode_attention_mfu=weighted;decode_attention_flops=max;1;batch;decode_attention_us;*12.9620253164557;under any MFU
roofline_v2;decode_attention_mfu=per_request;decode_attention_flops=max;1;batch;decode_attention_us;*12.9620253164557;under any MFU
roofline_v2;decode_attention_mfu=kv_bucket;decode_attention_flops=max;1;batch;decode_attention_us;*12.9620253164557;under any MFU
roofline_v2;decode_attention_mfu=kv_bucket;decode_attention_flops=bucket;1;batch;decode_attention_us;*3.84810126582278;4096 and 15 x 1024 over the sum
roofline_v2;decode_attention_mfu=kv_bucket;kv_bucket_edges=1024,65536;1;batch;decode_attention_us;<;4096 has the higher MFU of 65,536
roofline_v2;decode_attention_mfu=kv_bucket;kv_bucket_round=nearest;1;twelve;decode_attention_us;>;1200 belongs to 1024
roofline_v2;;attention_tp=keep;8;batch;decode_attention_us;*8;one rank does the work of all
roofline_v2;;tp_scaling_exponent=0.5;8;prefill;prefill_gemm_us;*2.82842712474619;8 by its root
roofline_v2;;decode_tp_scaling_exponent=0.5;8;batch;decode_gemm_us;*2.82842712474619;8 by its root
roofline_v2;;tp_scaling_exponent=0;8;prefill;prefill_gemm_us;~;0 counts as 1
roofline_v2;;lookup=log_linear;1;twelve;decode_attention_us;<;MFU rises sooner along the logarithm
roofline_v2;zero_mfu=v1 mfu_digits=3;v1_vector_peak=0.05;1;one;decode_attention_us;*2;half the peak in place of the zero at kv 1024
roofline_v2;zero_mfu=v1 mfu_digits=3;v1_mfu_prefill=0.455;1;short;prefill_gemm_us;~;no GEMM here reads as 0: t/plugins/roofline_v2
roofline_v2;zero_mfu=v1 mfu_digits=3;v1_mfu_decode=0.108;1;one;decode_gemm_us;~;no GEMM here reads as 0: t/plugins/roofline_v2
roofline_v2;;gemm_memory_floor=false;1;one;decode_gemm_us;<;one row is less work than reading the weights
roofline_v2;;gemm_sum=by_layer;1;batch;decode_gemm_us;~;the same sum in another order
roofline_v2;;lm_head=true;1;batch;decode_gemm_us;>;one GEMM more
roofline_v2;;mixed=sum;1;mixed;total_us;>;both phases in full
roofline_v2;;mixed=adaptive;1;mixed;total_us;<;a mean is less than the longer phase
roofline_v2;;mixed=smooth;1;mixed;total_us;<;a mean is less than the longer phase
roofline_v2;;bw_efficiency=0.5;1;batch;decode_memory_us;*2;half the bandwidth
roofline_v2;;decode_bw_efficiency=0.5;1;batch;decode_memory_us;*2;half the bandwidth, decode
roofline_v2;;prefill_bw_efficiency=0.5;1;prefill;prefill_memory_us;*2;half the bandwidth, prefill
roofline_v2;;memory=hybrid;1;batch;decode_memory_us;>;neither weights nor KV reach the peak
roofline_v2;memory=hybrid;weight_bw_efficiency=0.45;1;batch;decode_memory_us;>;weights at half their rate
roofline_v2;memory=hybrid;kv_bw_efficiency=0.8;1;batch;decode_memory_us;<;KV at a higher rate
roofline_v2;memory=hybrid;kv_bw_gain=0;1;batch;decode_memory_us;>;no gain by batch
roofline_v2;memory=hybrid;kv_bw_batch=16;1;batch;decode_memory_us;<;16 requests are a full batch
roofline_v2;;kv_read_discount_decode=1;1;batch;decode_memory_us;>;all of the KV is read
roofline_v2;;kv_read_discount_prefill=1;1;chunk;prefill_memory_us;>;all of the KV is read
roofline_v2;;activation_discount_decode=1;1;batch;decode_memory_us;>;all activations move
roofline_v2;;activation_discount_prefill=1;1;prefill;prefill_memory_us;>;all activations move
roofline_v2;overhead=batch_scaled;overhead=none;1;batch;overhead_us;=0;no host time
roofline_v2;;overhead=batch_scaled;1;one;overhead_us;=500;t_overhead_us
roofline_v2;;cpu_overhead_per_layer_us=100;1;batch;overhead_us;=3200;32 layers
roofline_v2;overhead=batch_scaled;t_overhead_us=100;1;one;overhead_us;=100;of one request
roofline_v2;overhead=batch_scaled;allreduce_latency_us=5;8;batch;comm_us;=320;two of 5 us in 32 layers
roofline_v2;overhead=batch_scaled;prefill_overhead_us=7;1;prefill;overhead_us;=507;one prefill
roofline_v2;overhead=batch_scaled t_overhead_us=0;mixed_prefill_overhead_us=7;1;mixed;overhead_us;=7;one prefill beside decodes
roofline_v2;;min_step_us=100000;1;tiny;total_us;=100000;at least this
mfu_per_request;;mean=arithmetic;1;batch;decode_attention_us;<;a mean of rates is above that of times
mfu_per_request;at=single;mean=arithmetic;1;batch;decode_attention_us;<;a mean of rates is above that of times
mfu_per_request;mean=arithmetic;decode_attention_flops=max;1;batch;decode_attention_us;*12.9620253164557;under any MFU
mfu_per_request;;at=single;1;batch;decode_attention_us;>;at batch 1 the GPU is empty
roofline_v1;;bw_eff_constant=0.36;1;batch;decode_memory_us;*2;half the bandwidth
roofline_v1;;prefill_bw_factor=0.375;1;prefill;prefill_memory_us;*2;half the bandwidth, prefill
roofline_v1;;decode_bw_factor=0.46;1;batch;decode_memory_us;*2;half the bandwidth, decode
roofline_v1;;mfu_prefill=0.325;1;prefill;prefill_gemm_us;*2;half the MFU
roofline_v1;;mfu_prefill_multiplier=0.7;1;prefill;prefill_gemm_us;*2;half the MFU
roofline_v1;;mfu_decode=0.06;1;batch;decode_gemm_us;*2;half the MFU
roofline_v1;;mfu_decode_multiplier=0.9;1;batch;decode_gemm_us;*2;half the MFU
roofline_v1;;vector_peak_fraction=0.05;1;batch;decode_attention_us;*2;half the vector rate
roofline_v1;tp_scaling_exponent=0;tp_scaling_exponent=1;8;prefill;prefill_gemm_us;*0.125;8 ranks
roofline_v1;decode_tp_scaling_exponent=0;decode_tp_scaling_exponent=2;8;batch;decode_gemm_us;*0.125;0 counts as 1, 2 is 64
roofline_v1;;t_overhead_us=100;1;one;overhead_us;=100;of one request
roofline_v1;;allreduce_latency_us=5;8;batch;comm_us;=320;two of 5 us in 32 layers
roofline_v1;;prefill_overhead_us=7;1;prefill;overhead_us;=507;one prefill
roofline_v1;t_overhead_us=0;mixed_prefill_overhead_us=7;1;mixed;overhead_us;=7;one prefill beside decodes
mfu_interp;;bw_efficiency=0.45;1;one;decode_gemm_us;>;one row waits for the weights
mfu_interp;;allreduce_latency_us=20;8;one;comm_us;>;two per layer
mfu_interp;;overhead_us=7;1;one;overhead_us;=7;host time
mfu_interp;;mixed=two;1;chunk;prefill_attention_us;>;100 new tokens leave SMs idle
const_step;;base_us=7;1;one;overhead_us;=7;time of an empty step
const_step;base_us=0;per_token_us=7;1;one;total_us;=7;one token
X

for tp in 1 8; do
	{
		cat <<-X
		[model]
		config = llama-3.1-8b
		[hardware]
		config = h100-sxm
		[engine]
		tensor_parallel_size = $tp
		[tables]
		set = h100-sxm.infersim
		X
		awk -F';' -v tp=$tp '
		function arm(name, knobs,   n, k, i) {
			print "[cost_model:" name "]\nplugin = " $1
			n = split(knobs, k, " ")
			for (i = 1; i <= n; i++) { split(k[i], w, "="); v[w[1]] = w[2] }
			for (i in v) { print i " = " v[i]; delete v[i] }
		}
		$4 == tp { arm("before" NR, $2); arm("after" NR, $2 " " $3) }' "$tap_tmp/flips"
	} >"$tap_tmp/$tp.ini"
	t "tp $tp: every flip is priced" sh -c "'$host' eval '$tap_tmp/$tp.ini' \
		--steps '$tap_tmp/steps.csv' --quiet --format csv >'$tap_tmp/$tp.csv' 2>'$tap_tmp/err' || {
		grep -v warning '$tap_tmp/err'; false; }"
done

moved() { # LINE-NUMBER
	awk -F';' -v want="$1" -v a="$tap_tmp/1.csv" -v b="$tap_tmp/8.csv" '
	function part(arm,   line, cell, col, i) {
		file = $4 == 1 ? a : b
		while ((getline line < file) > 0) {
			n = split(line, cell, ",")
			if (cell[1] == "step") for (i = 1; i <= n; i++) col[cell[i]] = i
			else if (cell[1] == $5 && cell[2] == arm) value = cell[col[$6]]
		}
		close(file)
		return value
	}
	function near(x, y, to) { return (x - y) ^ 2 <= (to * y) ^ 2 }
	NR == want {
		before = part("before" NR) + 0; after = part("after" NR) + 0
		print $6 ": " before " -> " after ", expected " $7
		how = substr($7, 1, 1); f = substr($7, 2) + 0
		ok = how == "*" ? near(after, before * f, 1e-9) : how == ">" ? after > before : \
			how == "<" ? after < before && after > 0 : how == "=" ? near(after, f, 1e-12) && before != after : \
			near(after, before, 1e-12)
		exit !ok
	}' "$tap_tmp/flips"
}
n=0
while IFS=';' read -r plugin before flip _ _ _ _ what; do
	n=$((n + 1))
	t "$plugin${before:+ $before} $flip: $what" moved $n
done <"$tap_tmp/flips"

# Every knob is in the list above; mfu_per_request has roofline_v2's as well.
for plugin in roofline_v1 roofline_v2 mfu_interp mfu_per_request const_step; do
	"$host" plugins describe $plugin | sed -n 's/^ *\([a-z0-9_]*\)  *= .*/\1/p' | sort -u >"$tap_tmp/knobs"
	missing() {
		! while read -r knob; do
			case $plugin in mfu_per_request) as='roofline_v2\|mfu_per_request' ;; *) as=$plugin ;; esac
			grep -q "^\($as\);[^;]*;$knob=" "$tap_tmp/flips" || echo "$plugin: $knob"
		done <"$tap_tmp/knobs" | grep .
	}
	t "$plugin: each of $(wc -l <"$tap_tmp/knobs") knobs is flipped" missing
	t "$plugin has knobs" test -s "$tap_tmp/knobs"
done
# Each row of the table of inert knobs, set by hand and by a preset.
cat >"$tap_tmp/inert" <<X
prefill_bw_efficiency=0.5;memory = hybrid;memory=hybrid
decode_bw_efficiency=0.5;memory = hybrid;memory=hybrid
weight_bw_efficiency=0.5;memory = single;
kv_bw_efficiency=0.5;memory = single;
kv_bw_gain=0.5;memory = single;
kv_bw_batch=5;memory = single and kv_bw_gain = 0.3;
kv_bw_batch=5;memory = hybrid and kv_bw_gain = 0;memory=hybrid kv_bw_gain=0
bw_efficiency=0.5;memory = hybrid and gemm_memory_floor = false;memory=hybrid gemm_memory_floor=false
cpu_overhead_per_layer_us=1;overhead = none;overhead=none
t_overhead_us=1;overhead = per_layer;
allreduce_latency_us=1;overhead = per_layer;
prefill_overhead_us=1;overhead = none;overhead=none
mixed_prefill_overhead_us=1;overhead = per_layer;
kv_bucket_edges=2048;decode_attention_mfu = weighted;
kv_bucket_round=nearest;decode_attention_mfu = max;decode_attention_mfu=max
missing_cell=zero;lookup = nearest;lookup=nearest
v1_vector_peak=0.2;zero_mfu = nearest;
v1_mfu_prefill=0.2;zero_mfu = latency;zero_mfu=latency
v1_mfu_decode=0.2;zero_mfu = nearest;
X
arm_ini() { # KNOB... > a configuration with one arm
	sed '/^\[cost_model/,$d' "$tap_tmp/1.ini"
	printf '[cost_model:a]\nplugin = roofline_v2\n'
	for k in "$@"; do echo "${k%%=*} = ${k#*=}"; done
}
inert() { # KNOB=VALUE STATE OTHERS...
	knob=$1 state=$2; shift 2
	arm_ini "$@" "$knob" >"$tap_tmp/i.ini"
	"$host" eval "$tap_tmp/i.ini" --steps "$tap_tmp/steps.csv" >/dev/null 2>"$tap_tmp/err"
	got=$?; cat "$tap_tmp/err"
	[ $got -eq 2 ] && grep -qF "cost_model:a: ${knob%%=*} has no effect with $state" "$tap_tmp/err"
}
while IFS=';' read -r knob state others; do
	# shellcheck disable=SC2086
	t "$knob is refused with $state" inert "$knob" "$state" $others
done <"$tap_tmp/inert"
for preset in fixed reviewed review_fixes h29 h33; do
	arm_ini preset=$preset >"$tap_tmp/p.ini"
	t "preset $preset may set them" sh -c "'$host' eval '$tap_tmp/p.ini' --steps '$tap_tmp/steps.csv' 2>&1 >/dev/null |
		grep -c 'no effect' | grep -qx 0"
done
edges() { arm_ini decode_attention_mfu=kv_bucket "kv_bucket_edges=$1" >"$tap_tmp/e.ini"
	"$host" eval "$tap_tmp/e.ini" --steps "$tap_tmp/steps.csv" >/dev/null 2>"$tap_tmp/err"; got=$?; cat "$tap_tmp/err"; [ $got -eq 2 ]; }
t 'edges that fall are refused' edges '2048, 1024'
t 'an edge of 0 is refused' edges '0 1024'
t 'a word is no edge' edges '1024, many'
tap_done
