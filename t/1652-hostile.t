#!/bin/sh
# Hostile clients of `stepcost serve`, and honest ones beside them: the answers to these
# have the tokens of the replay.  STEPCOST_HOSTILE_SECONDS (10): how long; an hour before a release.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
seconds=${STEPCOST_HOSTILE_SECONDS:-10}
python3 -c 'import asyncio, http.client' 2>/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16"; export ASAN_OPTIONS
server_config 18000 </dev/null

# Honest clients, as long as the hostile ones attack.
beside() {
	seed=0
	while kill -0 $hostile 2>/dev/null; do
		seed=$((seed + 1))
		timeout 900 python3 "$top_srcdir/t/ref/live.py" "$port" 20 $seed 4 "$d/answers" >"$d/honest" || return 1
	done
	wait $hostile
}
t 'it starts' recorded "$d/c.ini" --speed 20
python3 "$top_srcdir/t/ref/hostile.py" "$port" 0 "${STEPCOST_SEED:-1}" "$seconds" $server >"$d/hostile" 2>&1 &
hostile=$!
t 'it answers, and no request is left behind; from 120 s on its memory is flat' beside
sed 's/^/# /' "$d/hostile"
t 'it ends with 0' end_server
t 'it says nothing but that it is late' sh -c "! grep -v 'tokens are late' '$d/err'"
t 'the law: rows and steps' replays "$d/c.ini"
t 'honest clients had the tokens of the replay' sh -c "[ -s '$d/answers' ] && awk '
	NR == FNR { tokens[\$1] = \$2 \" \" \$3; n++; next }
	\$3 in tokens { if (\$9 != \"completed\" || tokens[\$3] != \$10 \" \" \$12) { print; bad = 1 } n-- }
	END { exit bad || n }' '$d/answers' FS=, '$d/run.csv'"
tap_done
