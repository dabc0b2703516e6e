#!/bin/sh
# tools/limited.sh: its command's exit code, and an end when the time is over,
# also of what left the group of its processes.
. "${top_srcdir:-.}/t/lib/tap.sh"
[ -r /proc/self/environ ] || { echo '1..0 # SKIP /proc has no environ'; exit 0; }
limited() { sh "$top_srcdir/tools/limited.sh" "$@"; }
gives() { # CODE COMMAND...
	want=$1; shift
	limited "$@"; code=$?
	[ $code -eq "$want" ] || { echo "exit code $code"; return 1; }
}
t 'the exit code of the command' gives 3 20 sh -c 'exit 3'
t 'no fault, no code' gives 0 20 true
t '124 when the time is over' gives 124 1 sleep 30
t 'also where the end is refused' gives 124 1 sh -c 'trap "" TERM; sleep 9; sleep 9'

# Left behind: one in a session of its own, one that does not end when asked.
cat >"$tap_tmp/leaves" <<'EOF'
setsid sh -c 'trap "" TERM; echo $$ >"$0"; sleep 60; sleep 60' "$1" &
while [ ! -s "$1" ]; do sleep 0.1; done
sleep "$2"
EOF
is_gone() { # or waits, dead, for a parent that does not ask
	state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat "$tap_tmp/pid")/status" 2>/dev/null)
	case $state in ''|Z*) ;; *) echo "$state"; return 1 ;; esac
}
t 'a command that leaves a process behind' gives 0 20 sh "$tap_tmp/leaves" "$tap_tmp/pid" 0
t 'the process is gone' is_gone
rm -f "$tap_tmp/pid"
t 'and one that is too slow' gives 124 1 sh "$tap_tmp/leaves" "$tap_tmp/pid" 60
t 'its process is gone, too' is_gone
tap_done
