# golden.sh -- runs cases in the format of t/golden/README through `stepcost
# eval`.  Needs tap.sh.   golden_steps FILE: true if all cases agree.

# FILE -> $tap_tmp/g/N.ini, N.csv, N.want: one N for rows that share a step.
golden_split() {
	rm -rf "$tap_tmp/g"; mkdir "$tap_tmp/g"
	awk -F, -v dir="$tap_tmp/g" -v tables="$top_srcdir/bench_data" '
	NR == 1 { n = split($0, name); next }
	$1 != "^" {
		close(ini); close(want)
		ini = dir "/" ++group ".ini"; want = dir "/" group ".want"; arm = 0
		split($1, m, "/"); split($2, h, "/")
		print "[model]\nnum_hidden_layers = " m[1] "\nhidden_size = " m[2] \
			"\nnum_attention_heads = " m[3] "\nnum_key_value_heads = " m[4] \
			"\nintermediate_size = " m[5] \
			"\nvocab_size = " m[6] "\nbytes_per_param = " m[7] > ini
		print "[hardware]\npeak_tflops = " h[1] "\nmemory_bandwidth_tbs = " h[2] > ini
		print "[engine]\ntensor_parallel_size = " $3 > ini
		print "[tables]\npath = " tables "\nset = h100-sxm.infersim" > ini
		csv = dir "/" group ".csv"
		print "step,decode,prefill\n0," $5 "," $6 > csv
		close(csv)
	}
	{
		knobs = split($4, k, " ")
		print "[cost_model:a" ++arm "]\nplugin = " k[1] > ini
		for (i = 2; i <= knobs; i++) { sub("=", " = ", k[i]); gsub(/\|/, ",", k[i]); print k[i] > ini }
		line = "a" arm
		for (i = 7; i <= n; i++) line = line "," $i
		print line > want
	}' "$1"
}

golden_names() { head -n 1 "$1" | cut -d, -f7-; }

# Compares $tap_tmp/g/N.out with N.want; prints what differs.
golden_compare() {
	awk -F, -v names="$1" -v file="$2" '
	function bad(what, want, got) {
		print file ": " FILENAME ": " $2 " " what ": want " want ", got " got; wrong++
	}
	BEGIN { n = split(names, name, ",") }
	FILENAME ~ /want$/ { for (i = 1; i <= n; i++) want[$1, i] = $(i + 1); next }
	FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	{
		for (i = 1; i <= n; i++) {
			w = want[$2, i]; g = $(col[name[i]]); d = g - w
			if (name[i] == "total_us" ? g + 0 != w + 0 : \
			    (w == "") != (g == "") || d * d > 1e-24 * w * w)
				bad(name[i], w, g)
		}
		rows++
	}
	END { print file ": " rows " rows, " wrong + 0 " differ"; exit wrong > 0 || !rows }
	' "$3.want" "$3.out"
}

golden_steps() {
	golden_split "$1"
	failed=0
	for ini in "$tap_tmp"/g/*.ini; do
		g=${ini%.ini}
		"$top_builddir/stepcost" eval "$ini" --steps "$g.csv" >"$g.out" 2>"$g.err" || {
			cat "$g.err"; failed=1; continue; }
		golden_compare "$(golden_names "$1")" "${1##*/}" "$g" >"$g.log" || {
			cat "$g.log"; failed=1; }
	done
	return $failed
}
