#!/bin/sh
# fit --measured finds knobs again that made the measurements, and refuses where the
# data cannot tell.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cat >"$tap_tmp/c.ini" <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = smooth_roofline
X
runs=$top_srcdir/bench_data/serving/vllm-single-stream.csv
# The times of a model with other coefficients, as if they were measured.
make_measured() {
	"$host" validate "$tap_tmp/c.ini" --measured "$runs" --quiet --format csv \
		--set cost_model.ew=0.7 --set cost_model.cl_us=20 >"$tap_tmp/p.csv" &&
	awk -F, -v OFS=, 'NR == FNR { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i
			else for (m in at) v[$1, m] = $at[m]; next }
		FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; print; next }
		{ for (i = 1; i <= NF; i++)
			if (name[i] ~ /^mean_/) $i = v[$1, name[i]]
		  print }' "$tap_tmp/p.csv" "$runs" >"$tap_tmp/m.csv"
}
t 'measurements from known coefficients' make_measured
found() {
	"$host" fit "$tap_tmp/c.ini" --measured "$tap_tmp/m.csv" --quiet \
		--knobs ew,cl_us --output "$tap_tmp/f.ini" &&
	cat "$tap_tmp/f.ini" &&
	awk '/^ew/ { ew = $3 } /^cl_us/ { cl = $3 }
		END { exit !(ew > .69 && ew < .71 && cl > 19 && cl < 21) }' "$tap_tmp/f.ini"
}
t 'both coefficients are found again' found
loads() { cat "$tap_tmp/f.ini" >>"$tap_tmp/d.ini"; "$host" validate "$tap_tmp/d.ini" --measured "$tap_tmp/m.csv" --quiet --fail-above e2e=0.5; }
sed '/cost_model/,$d' "$tap_tmp/c.ini" >"$tap_tmp/d.ini"
t 'and the fragment is an arm' loads
refused() { # WANT KNOBS FILE [CODE]
	"$host" fit "$tap_tmp/c.ini" --measured "$3" --quiet --knobs "$2" >"$tap_tmp/out" 2>&1
	got=$?; cat "$tap_tmp/out"; [ $got -eq "${4:-1}" ] && grep -qF -- "$1" "$tap_tmp/out"
}
head -3 "$tap_tmp/m.csv" >"$tap_tmp/two.csv"
t 'two knobs need three runs' refused 'too few data: 2 runs' ew,cl_us "$tap_tmp/two.csv" 2
t 'a knob that no run depends on' refused 'no effect on TPOT or TTFT of any run: emoe' ew,emoe "$tap_tmp/m.csv"
t 'the only one, too' refused 'no effect on TPOT or TTFT of any run: emoe' emoe "$tap_tmp/m.csv"
head -2 "$tap_tmp/m.csv" >"$tap_tmp/one.csv"
t 'one run cannot check itself' refused 'cannot be checked on another one' ew "$tap_tmp/one.csv" 2
value() { cat "$tap_tmp/out"; awk '/NOT ACCEPTED/ { no = 1 } $2 == "ew" { ew = $4 } END { exit !(no && ew > .65 && ew < .75) }' "$tap_tmp/out"; }
t 'it says what it would have found, as a remark' value
# Stages of one run, of the same coefficients.
stages() {
	head='id,run,protocol,model,gpu,tensor_parallel_size,engine_version,stage,request_rate,duration_s,input_tokens,output_tokens,mean_ttft_ms,mean_tpot_ms,mean_e2el_ms'
	{ echo "$head"; for s in 0 1 2; do echo "s$s,r,prompts,llama-3.1-8b,h100-sxm,1,0.15.1,$s,$((s + 1)),20,500,50,1,1,1"; done; } >"$tap_tmp/s.csv"
	"$host" validate "$tap_tmp/c.ini" --measured "$tap_tmp/s.csv" --quiet --format csv --set cost_model.ew=0.7 >"$tap_tmp/p.csv" &&
	awk -F, -v OFS=, 'NR == FNR { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i
			else v[$1] = $at["mean_ttft_ms"] "," $at["mean_tpot_ms"] "," $at["mean_e2el_ms"]; next }
		FNR == 1 { print; next } { NF = 12; print $0, v[$1] }' "$tap_tmp/p.csv" "$tap_tmp/s.csv" >"$tap_tmp/stages.csv"
	refused '--folds stage' ew "$tap_tmp/stages.csv" 2 || return 1
	"$host" fit "$tap_tmp/c.ini" --measured "$tap_tmp/stages.csv" --quiet --knobs ew --folds stage >"$tap_tmp/out"; got=$?
	cat "$tap_tmp/out"; [ $got -eq 0 ] && awk '$1 == "ew" { ew = $3 } END { exit !(ew > .69 && ew < .71) }' "$tap_tmp/out"
}
t 'stages of one run are left out one after another' stages
# One model at several rates, as a shop has it: host time, and one efficiency.
rates() { # KNOBS OUTPUT-TOKENS
	head='id,run,protocol,model,gpu,tensor_parallel_size,engine_version,stage,request_rate,duration_s,input_tokens,output_tokens,mean_ttft_ms,mean_tpot_ms,mean_e2el_ms'
	{ echo "$head"; for s in 1 4 8 12; do echo "r$s,r$s,prompts,llama-3.1-8b,h100-sxm,1,0.15.1,0,$s,10,500,$2,1,1,1"; done; } >"$tap_tmp/s.csv"
	"$host" validate "$tap_tmp/c.ini" --measured "$tap_tmp/s.csv" --quiet --format csv \
		--set cost_model.ec=0.5 --set cost_model.cl_us=40 >"$tap_tmp/p.csv" &&
	awk -F, -v OFS=, 'NR == FNR { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i
			else v[$1] = $at["mean_ttft_ms"] "," $at["mean_tpot_ms"] "," $at["mean_e2el_ms"]; next }
		FNR == 1 { print; next } { NF = 12; print $0, v[$1] }' "$tap_tmp/p.csv" "$tap_tmp/s.csv" >"$tap_tmp/rates.csv"
	"$host" fit "$tap_tmp/c.ini" --measured "$tap_tmp/rates.csv" --quiet --knobs "$1" >"$tap_tmp/out"
	got=$?; cat "$tap_tmp/out"; return $got
}
t 'one model at several rates' rates ec,cl_us 50
planted() { awk '$1 == "ec" { ec = $3 } $1 == "cl_us" { cl = $3 } END { exit !(ec > .47 && ec < .53 && cl > 36 && cl < 44) }' "$tap_tmp/out"; }
t 'both planted knobs are found' planted
t 'with the error on rates left out' grep -q 'after, each run left out' "$tap_tmp/out"
t 'host time and the bandwidth of weights act alike' rates ew,cl_us 100
t 'which is said' grep -qF '; cl_us is not told apart from ew by these runs, so it stays at 7.5' "$tap_tmp/out"
t 'and only one of them is fitted' sh -c "grep -q '^ew = ' '$tap_tmp/out' && ! grep -q '^cl_us = ' '$tap_tmp/out'"
unknown() { "$host" fit "$tap_tmp/c.ini" --measured "$runs" --knobs speed 2>&1 | grep -qF 'speed is no knob'; }
t 'an unknown knob' unknown
# The plugin as a file, which no folder of plugins has.
cp "$top_builddir/.libs/smooth_roofline.so" "$tap_tmp/"
sed 's|^plugin = .*|plugin = ./smooth_roofline.so|' "$tap_tmp/c.ini" >"$tap_tmp/file.ini"
head -4 "$tap_tmp/m.csv" >"$tap_tmp/three.csv"
fragment() { "$host" fit "$tap_tmp/$1" --measured "$tap_tmp/three.csv" --quiet --knobs ew | grep -v '^;'; }
by_file() {
	fragment c.ini >"$tap_tmp/by_name"
	STEPCOST_PLUGIN_PATH=/nowhere fragment file.ini >"$tap_tmp/by_file"
	cat "$tap_tmp/by_file"
	grep -qx 'plugin = ./smooth_roofline.so' "$tap_tmp/by_file" &&
	sed 's|\./smooth_roofline\.so|smooth_roofline|' "$tap_tmp/by_file" | cmp - "$tap_tmp/by_name"
}
t 'a plugin by its file' by_file
tap_done
