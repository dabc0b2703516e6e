#!/bin/sh
# Every kind of violation in every phase of a plugin's life, all under compare
# beside a good arm: the good arm's results are those of a run without them, each
# culprit is named with the phase (and the step), nothing is left behind.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
if grep -q __asan_init "$host"; then
	echo '1..0 # SKIP a sanitizer finds faults of a plugin first, in its own words'; exit 0
fi
so=$(cd "$top_builddir/t/so/.libs" && pwd)
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$so:$tap_tmp/so
export STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
mkdir so work; mkdir work/here

# KIND|MESSAGE; "*" stands for the part that differs between phases
# KIND- : does no harm, and is no error
cat >kinds <<'X'
segv|killed by SIGSEGV
fpe|killed by SIGFPE
ill|killed by SIGILL
bus|killed by SIGBUS
kill_self|killed by SIGKILL
term_self|killed by SIGTERM
pipe_self|killed by SIGPIPE
stop_self|no answer within
kill_group|killed by SIGKILL
term_host|sent SIGTERM to the host
quit_host|sent SIGQUIT to the host
usr1_host|sent SIGUSR1 to the host
segv_host|sent SIGSEGV to the host
tstp_host|sent SIGTSTP to the host
child_term_host|sent SIGTERM to the host
reaped_term_host|sent SIGTERM to the host
exits|ended the process with exit(0)
exits_now|ended the process with exit(0)
exits_4|ended the process with exit(4)
exits_quickly|ended the process with exit(0)
aborts|killed by SIGABRT
thread_exits|ended the process with exit(0)
task_exits|ended the process with exit(0)
becomes_true|ended the process with exit(0)
loops|no answer within
sleeps|no answer within
deaf_and_loops|no answer within
reads_input|printed to standard output
puts_line|printed to standard output
writes|printed to standard output
writes_ff|printed to standard output
writes_much|printed to standard output
errs_much-|
close_all|closed descriptors of the host
close_3|closed descriptors of the host
write_3|wrote to files of the host
pwrite_3|wrote over the host's results
truncate_3|wrote over the host's results
replace_3|replaced descriptors of the host
replace_output|replaced descriptors of the host
replace_errors|replaced descriptors of the host
fork_returns|started a process
fork_twice_returns|started a process
fork_exits|started a process
fork_waits|started a process
daemon_returns|ended the process with exit(0)
daemon_stays|started a process
leaves_group|left the process group
outlives|wants to outlive the host
thread_sleeps|*
thread_loops|*
thread_scribbles|*
overflows|the stack overflowed
takes_all|*
allocates_huge|killed by SIGSEGV
leaks-|
scribbles_a|wrote over memory of the host
scribbles_0|wrote over memory of the host
scribbles_1|wrote over memory of the host
unmaps|killed by SIGSEGV
remaps|*
scribbles_and_loops|no answer within
scribbles_and_exits|wrote over the host's results
scribbles_and_faults|after it wrote over memory of the host
rounds_up|changed the floating-point modes
traps|changed the floating-point modes
flushes|changed the floating-point modes
less_precise|changed the floating-point modes
handles|changed a signal handler
ignores|changed a signal handler
blocks|changed the signal mask
other_stack|changed the stack of signal handlers
alarms|set a timer
alarms_at_once|*
sets_timer|set a timer
creates_timer|set a timer
no_files|changed the limits of the process
no_bytes|changed the limits of the process
less_cpu|changed the limits of the process
moves|changed the working directory
moves_up|changed the working directory
masks|changed the umask
sets_variable|changed the environment
no_environment|changed the environment
other_locale|changed the locale
opens-|
says_bye|printed to standard output while unloading
X
cat >work/head <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 8
interarrival_us = 2000
input_tokens = constant:40
output_tokens = constant:12
arrival = constant
[cost_model:good]
plugin = const_step
X
{ cat work/head; printf '[cost_model:sound]\nplugin = violations\n'
while IFS='|' read -r kind says; do
	kind=${kind%-}
	for phase in create eval destroy; do
		printf '[cost_model:%s-%s]\nplugin = violations\nkind = %s\nphase = %s\n' "$phase" "$kind" "$kind" "$phase"
	done
	for phase in load unload; do
		ln -s "$so/violations.so" "so/${phase}_$kind.so"
		printf '[cost_model:%s-%s]\nplugin = %s_%s\n' "$phase" "$kind" "$phase" "$kind"
	done
done <kinds; } >work/all.ini
printf 'op,m,n,k\ngemm,1,4096,4096\ngemm,2,4096,4096\n' >work/points.csv
{ cat work/head; echo '[cost_model:sound]'; echo 'plugin = violations'
while IFS='|' read -r kind says; do
	printf '[cost_model:kernel-%s]\nplugin = violations\nkind = %s\nphase = kernel\n' "${kind%-}" "${kind%-}"
done <kinds; } >work/kernel.ini

MARK=violations.$$; export MARK
cd work || exit 1
# Standard input says nothing and does not end.
mkfifo silent
exec 9<>silent
"$host" compare all.ini --answer-limit 1 --memory-limit 1 --jobs 6 --format json \
	--write-requests all.requests --write-steps all.steps <&9 >all.json 2>err; echo $? >code
"$host" kernel kernel.ini --points points.csv --answer-limit 1 --memory-limit 1 <&9 >kernel.csv 2>kernel.err; echo $? >kernel.code
exec 9>&-
t 'exit 4' [ "$(cat code)" -eq 4 ]
t 'of kernel, too' [ "$(cat kernel.code)" -eq 4 ]
"$host" compare all.ini --arms good,sound --format json --write-requests some.requests --write-steps some.steps >some.json 2>/dev/null
arm() { awk -v name="\"$1\"" '/^    {/ { on = 0 } $0 ~ "^      \"name\": " name { on = 1 } on; /^    }/ { on = 0 }' "$2" | sed 's/,$//'; }
same() { # ARM
	arm "$1" all.json >a; arm "$1" some.json >b; [ -s a ] && cmp a b &&
		for what in requests steps; do
			grep ",$1," all.$what >a; grep ",$1," some.$what >b
			[ "$what" = requests ] && { grep "^$1," all.$what >a; grep "^$1," some.$what >b; }
			[ -s a ] && cmp a b || return 1
		done
}
t 'the good arm is bit for bit as without them' same good
t 'and so is the sound one' same sound
# Everything except its name, which support of energy has, too.
facts() { arm "$1" "$2" | grep -v '"name"\|"plugin"\|"knobs"\|times of [a-z_]* (scored'; }
harmless() { [ "$(facts "$1" all.json)" = "$(facts sound some.json)" ]; }
in_kernel() { grep ",$1," kernel.csv | cut -d, -f1-4 >a; [ -s a ]; }
# Two signals of one kind at the same moment are one.
sent() { case $1 in *_host) grep -qF 'no answer within' line ;; *) false ;; esac; }
# One line that names plugin and phase; of eval() the step, of kernel() which.
said() { # PHASE KIND WHAT FILE
	plugin=violations; at=
	case $1 in
	load) plugin=load_$2; in=' while loading| while unloading|at the end: |after it wrote|over the host.s' ;;
	unload) plugin=unload_$2; in=' while unloading|at the end: |after it wrote|over the host.s' ;;
	eval) in=': eval: | in eval\(\)|while unloading|at the end: |after it wrote|over the host.s'; at=' at step 5' ;;
	kernel) in=': kernel: | in kernel\(\)|at the end: |after it wrote|over the host.s|while unloading'; at=' at kernel 1' ;;
	*) in=": $1: | in $1\\(\\)|at the end: |after it wrote|over the host.s|while unloading" ;;
	esac
	case $3 in *'at the end'* | *'after it wrote'* | *'over the host'*) at= ;; esac
	case $2 in
	says_bye | scribbles_and_*) at= ;;
	thread_*) at= in=: ;; # it may do harm, or be found, at any time
	esac
	case $1-$2 in
	# The loader looks at these itself, for whoever loads.
	load-rounds_up | load-traps | load-flushes | load-less_precise)
		grep "^stepcost: arm $1-$2: .*/load_$2.so: changes the floating-point environment when loaded" "$4"
		return ;;
	esac
	# Arms of these prices also get the warning of the hardware's floor.
	grep "^stepcost: arm $1-$2: " "$4" | grep -v 'faster than the hardware' >line
	[ -s line ] || { echo 'nothing is said'; return 1; }
	cat line
	[ "$(wc -l <line)" -eq 1 ] && grep -q ": $plugin: " line && { [ "$3" = '*' ] || grep -qF -- "$3" line || sent "$2"; } &&
		grep -qE -- "$in" line && grep -qF -- "$at" line
}
while IFS='|' read -r kind says; do
	for phase in load create eval destroy unload; do
		case $kind in
		*-) t "$phase $kind is no error" harmless "$phase-${kind%-}" ;;
		*) t "$phase $kind" said "$phase" "$kind" "$says" err ;;
		esac
	done
	case $kind in
	*-) t "kernel $kind is no error" in_kernel "kernel-${kind%-}" ;;
	*) t "kernel $kind" said kernel "$kind" "$says" kernel.err ;;
	esac
done <../kinds
left() { # processes of ours that still run
	for env in /proc/[0-9]*/environ; do
		tr '\0' '\n' <"$env" 2>/dev/null | grep -qx "MARK=$MARK" && {
			pid=${env#/proc/}; pid=${pid%/environ}
			tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep stepcost
		}
	done
}
nobody() { l=$(left); [ -z "$l" ] || { echo "$l"; false; }; }
t 'nothing is left running' nobody
t 'nor any file' sh -c 'ls -A | grep -vE "^(head|all|some|kernel|err|code|a|b|line|here|points|silent)" | wc -l | grep -qx 0'
tap_done
