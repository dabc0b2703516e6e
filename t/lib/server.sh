# server.sh -- a server in the background of a script (after tap.sh).
s=$top_builddir/stepcost
d=$tap_tmp
# server_config BASE_US -- $d/c.ini, with steps of BASE_US microseconds; the rest is read
# from standard input and begins in [engine].
server_config() {
	cat - >"$d/rest" && cat - "$d/rest" >"$d/c.ini" <<-END
		[model]
		config = llama-3.1-8b
		[hardware]
		config = h100-sxm
		[cost_model]
		plugin = const_step
		base_us = $1
		[engine]
		preset = vllm-2026-07
	END
}


# await PID FILE TEXT -- waits until the text is in the file: up to some minutes, as
# long as the process lives.
await() {
	tries=0
	until grep -q "$3" "$2" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] && kill -0 "$1" 2>/dev/null || { grep -q "$3" "$2"; return; }
		sleep 0.1
	done
}
# await_end PID -- waits until it is gone, up to some minutes.
await_end() {
	tries=0
	while kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		sleep 0.1
	done
}
# Prints the port that the server has named in the file; 1, a port that no program uses: none.
port_of() {
	named=$(sed -n '1s/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$1")
	echo "${named:-1}"
}
# serve CONFIG OPTION... -- a server on a free port, by the program $s in the folder $d;
# sets $server and $port.
serve() {
	: >"$d/out"
	"$s" serve "$@" --listen 127.0.0.1:0 >"$d/out" 2>"$d/err" &
	server=$!
	await $server "$d/out" ready || { port=1; cat "$d/err"; return 1; }
	port=$(port_of "$d/out")
}
end_server() { kill -TERM $server; wait $server; }
# retell FILE [NAME: ] -- lines "ok - what" of a program are tests of this script.
retell() {
	while IFS= read -r line; do
		case $line in
		'ok - '*) t "${2:-}${line#ok - }" true ;;
		'not ok - '*) t "${2:-}${line#not ok - }" false ;;
		*) echo "$line" ;;
		esac
	done <"$1"
}
# same_rows FILE OTHER COLUMN -- have the same rows, in any order; if not, shows the first of
# them that differ in the order of that column, and says how many do.
same_rows() {
	sort "$d/$1" >"$d/one" && sort "$d/$2" >"$d/other" || return 1
	! cmp -s "$d/one" "$d/other" || return 0
	head -n 1 "$d/$1"
	{ comm -23 "$d/one" "$d/other" | sed "s/^/$1: /"; comm -13 "$d/one" "$d/other" | sed "s/^/$2: /"; } >"$d/differ"
	sort -s -t, -k "$3,$3n" "$d/differ" | head -n 8
	echo "$(wc -l <"$d/differ") rows differ"
	return 1
}
# replays CONFIG OPTION... -- the replay of the record $d/r.jsonl has the requests of
# $d/live.csv and the steps of $d/live-steps.csv.
replays() {
	"$s" run "$@" --set workload.trace="$d/r.jsonl" --write-requests "$d/run.csv" \
		--write-steps "$d/run-steps.csv" >"$d/run.txt" || return 1
	same=0
	same_rows live.csv run.csv 2 || same=1
	same_rows live-steps.csv run-steps.csv 22 || same=1
	[ $same = 0 ] && [ "$(wc -l <"$d/run-steps.csv")" -gt 1 ]
}
# recorded CONFIG OPTION... -- a server that writes what replays() reads.
recorded() {
	rm -f "$d/r.jsonl"
	serve "$@" --record "$d/r.jsonl" --write-requests "$d/live.csv" --write-steps "$d/live-steps.csv"
}
