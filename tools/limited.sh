#!/bin/sh
# Runs a command for at most SECONDS.  When it ends, or its time does, no process
# that it started is left, be it in a group or session of its own.
#   sh tools/limited.sh SECONDS COMMAND...
# Exit code: the command's; 124: its time was over.
set -u
seconds=$1; shift
mark=STEPCOST_LIMITED_$$=1 # what it starts inherits it

marked() {
	for process in /proc/[0-9]*; do
		tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "$mark" &&
			echo "${process#/proc/}"
	done
}

env "$mark" timeout -k 3 "$seconds" "$@" && code=0 || code=$?
[ $code -ne 137 ] || code=124
# A process may start another while it is looked for.
for again in 1 2 3; do
	left=$(marked)
	[ -n "$left" ] || break
	# shellcheck disable=SC2086 # numbers
	kill -KILL $left 2>/dev/null
done
exit $code
