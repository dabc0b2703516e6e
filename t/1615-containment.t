#!/bin/sh
# Every fault we could think of, under compare beside a good arm: each ends its
# own arm with one line that names plugin and step, the good arm's results are
# those of a run without them, and nothing is left running.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
if grep -q __asan_init "$host"; then
	echo '1..0 # SKIP a sanitizer finds faults of a plugin first, in its own words'; exit 0
fi
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
export STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1

cat >head <<'X'
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
# FAULT|MESSAGE; "-" before the fault: the message must not name the step
cat >faults <<'X'
segv|killed by SIGSEGV
fpe|killed by SIGFPE
bus|killed by SIGBUS
ill|killed by SIGILL
abort|killed by SIGABRT
exit|exit(0)
quick_exit|exit(7)
hang|no answer within
sleep|no answer within
stop|no answer within
ignore_and_hang|no answer within
memory|in eval()
stack|the stack overflowed
close|closed descriptors
overrun|wrote past the end
overrun_far|killed by SIGSEGV
print|printed to standard output
write|printed to standard output
chdir|changed the working directory
nan|total_us = nan
inf|total_us = inf
negative|total_us = -1
zero|total_us = 0
rounding|floating-point modes
flush_to_zero|floating-point modes
trap_fpe|floating-point modes
longjmp|killed by SIG
-kill_parent|sent SIGTERM to the host
kill_group|killed by SIGKILL
alarm|killed by SIGALRM
smash_stack|killed by SIG
unmap_text|killed by SIGSEGV
error_code|returned 5 without a reason
error_text|eval: xxx
fork|started a process
fork_exit|started a process
detach|started a process
mask_signals|changed the signal mask
lower_limits|changed the limits of the process
-create_fails|not today
-create_segv|killed by SIGSEGV
-create_hangs|no answer within
X
{ cat head
while IFS='|' read -r fault says; do
	fault=${fault#-}
	printf '[cost_model:%s]\nplugin = culprit\nfault = %s\nat_step = 5\n' "$fault" "$fault"
done <faults; } >all.ini

MARK=containment.$$; export MARK
"$host" compare all.ini --answer-limit 2 --memory-limit 1 --format json >all.json 2>err
t 'exit 4' [ $? -eq 4 ]
"$host" compare all.ini --arms good --format json >good.json 2>/dev/null
arm() { awk -v name="\"$1\"" '/^    {/ { on = 0 } $0 ~ "^      \"name\": " name { on = 1 } on; /^    }/ { on = 0 }' "$2" | sed 's/,$//'; }
arm good all.json >a; arm good good.json >b
same() { [ -s a ] && cmp a b; }
t 'the good arm is bit for bit as without them' same
while IFS='|' read -r fault says; do
	step=" at step 5; step,decode,prefill,sampled: 5,"
	case $fault in -*) step= fault=${fault#-} ;; esac
	said() { grep "^stepcost: arm $fault: culprit: " err | grep -F "$says" | grep -qF "$step" || { grep "arm $fault:" err; false; }; }
	t "$fault: one line with the step" said
done <faults
# The C library says a line of its own, if the plugin was compiled with checks.
t 'and no other line' [ "$(grep -v 'faster than the hardware\|: its standard error: \*\*\* ' err | grep -vc 'warning')" -eq "$(wc -l <faults)" ]
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

# Later on, decodes are priced several in a call: an answer is still its step's.
{ sed 's/^\(num_requests\|output_tokens\) = .*/\1 = 40/; s/= 2000/= 200000/' head
for fault in overrun nan error_code segv; do
	printf '[cost_model:%s]\nplugin = culprit\nfault = %s\nat_step = 400\n' $fault $fault
done; } | sed 's/^output_tokens.*/output_tokens = constant:90/' >later.ini
"$host" compare later.ini --format json >later.json 2>later.err
later() { grep "^stepcost: arm $1: culprit: " later.err | grep "$2" | grep "$3" || { cat later.err; false; }; }
t 'an overrun among several: its step' later overrun 'wrote past the end' 'at step 400; '
t 'an impossible answer: its step' later nan 'total_us = nan for step 400' 'at step 400; '
t 'a refusal: its step' later error_code 'returned 5' 'at step 400; '
t 'a crash: which steps it was given' later segv 'killed by SIGSEGV' 'at one of [0-9]* steps from [0-9]* on; '

# What the compiler of the day makes: a C++ exception, a constructor.
cat >throws.cc <<'X'
#include "stepcost/plugin.h"
static int32_t create(void **, const sc_setup *, const void *, sc_error *) { return SC_OK; }
static void destroy(void *) {}
static int32_t eval(void *, const sc_step *s, sc_result *out, sc_error *)
{
	if (s->step_index == 5)
		throw 42;
	out->total_us = 100;
	return SC_OK;
}
static const sc_plugin plugin = {sizeof plugin, SC_ABI_MAJOR, SC_ABI_MINOR, 0,
	"throws", "1", "throws", 0, 0, nullptr, nullptr, 0, 0, create, destroy,
	eval, nullptr, nullptr};
SC_PLUGIN_DEFINE(plugin);
X
cat >constructor.c <<'X'
#include <stdlib.h>
__attribute__((constructor)) static void at_load(void) { abort(); }
X
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$tap_tmp
named() { # PLUGIN WHAT
	{ cat head; printf '[cost_model:bad]\nplugin = %s\n' "$1"; } >bad.ini
	"$host" compare bad.ini --format json >bad.json 2>err2; code=$?
	cat err2
	arm good bad.json >a
	[ $code -eq 4 ] && same && grep "^stepcost: arm bad: $1: " err2 | grep -qF "$2"
}
if g++ -shared -fPIC -I"$top_srcdir/include" -o throws.so throws.cc 2>/dev/null; then
	t 'a C++ exception' named throws 'killed by SIGABRT'
else skip 'a C++ exception' 'no g++'; fi
if cc -shared -fPIC -o constructor.so constructor.c 2>/dev/null; then
	t 'a constructor that aborts' named constructor 'killed by SIGABRT'
else skip 'a constructor that aborts' 'no cc'; fi
tap_done
