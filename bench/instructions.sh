# instructions.sh -- to be sourced: $host, $here (bench/) and $tmp are set.

# instructions LOAD MODEL: per sequence-step, what starting up costs left out:
# the difference between 1,500 and 500 requests.
instructions() {
	for n in 500 1500; do
		valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			"$host" run "$here/$1.ini" --arms "$2" --quiet --in-process \
			--format json --set workload.num_requests=$n \
			>"$tmp/run.json" 2>"$tmp/valgrind"
		# plugins are tried out in processes of their own: less each
		sed -n 's/.*refs: *//p' "$tmp/valgrind" | tr -d , | sort -n | tail -n 1
		sed -n 's/.*"scheduled_sequences": \([0-9]*\).*/\1/p' "$tmp/run.json"
	done | awk '{ x[NR] = $1 } END { if (NR == 4 && x[4] > x[2])
		printf "%.1f\n", (x[3] - x[1]) / (x[4] - x[2]) }'
}
