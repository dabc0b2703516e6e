#!/bin/sh
# What the machine refuses once (memory, a write, a file, a process) changes
# nothing, or is said with exit code 2: a sample of all such calls of two
# commands; t/0971-all-failures.t has six.  t/lib/inject.py has the rules.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/inject.sh"
t 'run' try --command run --sample 3
t 'sweep' try --command sweep --kind memory,sync,rename,fork --sample 2
tap_done
