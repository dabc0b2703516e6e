#!/bin/sh
# The list of what a run reads (`identity.inputs`) has the files that the system
# saw opened, for every example of etc/ and for each kind of input.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost src=$(realpath "$top_srcdir")
command -v strace >/dev/null && strace -o "$tap_tmp/probe" true 2>/dev/null || {
	skip 'what was opened is what is listed' 'no strace'; tap_done; }
cd "$tap_tmp" || exit 1
# Files that were read: regular ones, without those of the system.
opened() { # FOLDER of the run
	sed -n 's/.*open\(at\)\{0,1\}(\(AT_FDCWD, \)\{0,1\}"\([^"]*\)", \([A-Z_|]*\).*) = [0-9].*/\4 \3/p' trace.* |
		awk '$1 !~ /O_WRONLY|O_RDWR|O_DIRECTORY|O_PATH|O_TMPFILE/ { print $2 }' |
		sort -u | (cd "$1" && while read -r path; do
			[ -f "$path" ] && realpath "$path"
		done) | sort -u | grep -vE '^/(usr|lib|lib64|etc|proc|sys|dev|root)/|/__pycache__/|\.pyc$'
}
listed() { # the document on standard input
	python3 -c 'import json, os, sys
for x in json.load(sys.stdin)["identity"]["inputs"]:
    assert x["key"] and x["sha256"], x
    print(os.path.realpath(x["path"]))' | sort -u
}
agrees() { # COMMAND...: 0 also if the command refuses the file, and says so
	# Without --format json no digest opens more files.
	# A file for each process: in one file calls of two processes interrupt each other.
	rm -f trace.*; strace -ff -z -e trace=open,openat -o trace "$host" "$@" --quiet >/dev/null 2>&1
	"$host" "$@" --quiet --format json >doc.json 2>err
	[ -s doc.json ] || { cat err; [ -s err ]; return; }
	listed <doc.json >want || return 1
	opened . >got; diff want got
}
n=0
for ini in "$src"/etc/*.ini "$src"/etc/operators/*.ini; do
	grep -q '^\[cost_model' "$ini" || continue
	n=$((n + 1))
	t "run $(basename "$ini")" agrees run "$ini" --set workload.num_requests=20
done
t 'there are examples' [ "$n" -ge 15 ]
run_ones() { # of those that run, not of those that are refused
	agrees run "$src/etc/quickstart.ini" --set workload.num_requests=20 && [ -s doc.json ] && [ "$(wc -l <got)" -ge 10 ]
}
t 'a run has files' run_ones

printf 'arrival_us,input_tokens,output_tokens\n0,100,10\n9,200,5\n' >own.csv
printf 'tokens\n7\n9\n' >lengths.csv
printf 'step,decode,prefill,time_us\na,4096,,5000\nb,,0:512,9000\nc,128x4,0:64,7000\n' >steps.csv
cat >own.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
[tables]
set = auto
[workload]
trace = own.csv
[cost_model:a]
plugin = operators
[cost_model:b]
plugin = exec
timeout_ms = 100000
X
t 'a trace, sets found by auto, a program that prices' agrees compare own.ini
kinds() {
	for what in own.csv exec.py exec.so operators.so MANIFEST own.ini h100-sxm.ini llama-3.1-8b.ini; do
		grep -q "/$what\$" want || { echo "$what is not listed"; return 1; }
	done
}
t 'each is listed' kinds
t 'lengths' agrees run own.ini --arms a --set workload.trace= --set workload.num_requests=5 --set workload.arrival=poisson:1 \
	--set workload.input_tokens=empirical:lengths.csv --set workload.output_tokens=9
t 'steps' agrees eval own.ini --arms a --steps steps.csv
t 'measured steps' agrees score own.ini --arms a --steps steps.csv
t 'an experiment' agrees experiment h33
t 'a model' agrees model llama-3.1-8b
has_key() { grep -q "\"key\": \"$1\", \"path\": \"$2\"" doc.json; }
agrees score own.ini --arms a --steps steps.csv >log 2>&1
t 'its option is the key of a file' has_key --steps steps.csv
agrees compare own.ini >log 2>&1
t 'and a key of the configuration' has_key workload.trace own.csv
tap_done
