#!/bin/sh
# What the machine refuses once (memory, a write, a file, a process) changes
# nothing, or is said with exit code 2: a sample of all such calls of six
# commands.  With SC_ALL_FAILURES=1 all of them, SC_SECONDS for each command and
# kind; t/lib/inject.py has the rules.
. "${top_srcdir:-.}/t/lib/tap.sh"
inject=$(cd "$top_builddir" && pwd)/t/so/.libs/inject.so
try() { # OPTION...
	python3 "$top_srcdir/t/lib/inject.py" "$top_builddir/stepcost" "$inject" "$@"
	code=$?
	[ $code -ne 77 ] || { echo 'no system call can be caught here'; return 0; }
	return $code
}
[ -e "$inject" ] || { echo '1..0 # SKIP no shared objects are built'; exit 0; }
! nm "$top_builddir/stepcost" 2>/dev/null | grep -q __asan_init || [ -n "${SC_SANITIZED:-}" ] ||
	{ echo '1..0 # SKIP a sanitizer has allocations and system calls of its own'; exit 0; }
if [ -n "${SC_ALL_FAILURES:-}" ]; then
	for command in run compare capacity recommend sweep validate; do
		for kind in memory write read open sync rename fork pipe wait; do
			t "$command: $kind" try --command $command --kind $kind --jobs "$(nproc)" \
				--seconds "${SC_SECONDS:-15}" --stride "${SC_STRIDE:-1}" --from "${SC_FROM:-0}"
		done
	done
else
	t 'run' try --command run --sample 3
	t 'sweep' try --command sweep --kind memory,sync,rename,fork --sample 2
fi
tap_done
