#!/bin/sh
# plugins list, plugins describe: what a plugin does while it is loaded costs
# its own line.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
if grep -q __asan_init "$host"; then
	echo '1..0 # SKIP a sanitizer finds faults of a plugin first, in its own words'; exit 0
fi
cd "$tap_tmp" || exit 1
STEPCOST_PLUGIN_PATH=$tap_tmp/so
mkdir so; cp "$top_builddir/.libs/const_step.so" so/
made() { # NAME: a sound plugin that does what standard input says when loaded
	{ cat <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "stepcost/plugin.h"
X
	printf '__attribute__((constructor)) static void at_load(void) {\n'; cat; cat <<X
}
static int32_t create(void **inst, const sc_setup *s, const void *k, sc_error *e) { (void)inst; (void)s; (void)k; (void)e; return SC_OK; }
static void destroy(void *inst) { (void)inst; }
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *e) { (void)inst; (void)s; (void)e; out->total_us = 1; return SC_OK; }
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .name = "$1", .version = "1", .summary = "s", .create = create, .destroy = destroy, .eval = eval};
SC_PLUGIN_DEFINE(plugin);
X
	} >"$1.c"
	cc -shared -fPIC -I"$top_srcdir/include" -o "so/$1.so" "$1.c"
}
if ! echo 'abort();' | made aborts; then echo '1..0 # SKIP no cc'; exit 0; fi
echo 'exit(0);' | made exits
echo '*(volatile int *)8 = 1;' | made faults
echo 'for (;;) ;' | made loops
echo 'puts("hello");' | made prints
echo '(void)!write(1, "hello", 5);' | made writes
echo 'for (int i = 3; i < 30; i++) (void)!write(i, "1\0002\0003", 4);' | made scribbles
echo 'usleep(1);' | made sound
echo 'no ELF' >so/text.so

"$host" plugins list >out 2>err; code=$?
sed 's/^/# /' out err
t 'exit 4' [ $code -eq 4 ]
t 'those that can be used, and nothing else' sh -c 'cut -d" " -f1 out | paste -sd, | grep -qx const_step,sound'
while IFS='|' read -r name want; do
	one() { [ "$(grep -cF "$tap_tmp/so/$name.so: " err)" -eq 1 ] && grep -F "$tap_tmp/so/$name.so: " err | grep -qF "$want"; }
	t "$name: one line, with the file and what happened" one
done <<'X'
aborts|killed by SIGABRT (abort) while loading
exits|ended the process with exit(0) while loading
faults|killed by SIGSEGV
loops|no answer within 10 s while loading
prints|printed to standard output
writes|printed to standard output
text|file too short
scribbles|wrote to files of the host while loading
X
t 'and no other line' [ "$(wc -l <err)" -eq 8 ]
json() { "$host" plugins list --format json 2>/dev/null | python3 -c 'import json, sys; print([p["name"] for p in json.load(sys.stdin)])' | grep -qF "['const_step', 'sound']"; }
if command -v python3 >/dev/null; then t 'as JSON' json; else skip 'as JSON' 'no python3'; fi

says() { # CODE WHAT COMMAND...: one line
	code=$1 want=$2; shift 2; "$@" >out 2>err; got=$?; cat out err; echo "exit $got"
	[ $got -eq "$code" ] && grep -qF -- "$want" err && [ "$(cat out err | wc -l)" -eq 1 ]
}
t 'describe: a crash' says 4 'so/faults.so: killed by SIGSEGV' "$host" plugins describe faults
t 'describe: an exit' says 4 'so/exits.so: ended the process with exit(0)' "$host" plugins describe exits
t 'describe: output' says 4 'so/prints.so: printed to standard output' "$host" plugins describe prints
described() { "$host" plugins describe sound | grep -qx 'sound 1 -- s'; }
t 'describe: a sound one' described

# The other commands that need to know what a plugin declares.
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 4
request_rate = 4
input_tokens = constant:20
output_tokens = constant:2
[cost_model:bad]
plugin = faults
X
t 'leave-one-out' says 4 'faults.so: killed by SIGSEGV' "$host" compare c.ini --leave-one-out bad=a,b
t 'fit' says 4 'faults.so: killed by SIGSEGV' "$host" fit c.ini --quiet --knobs a --measured "$top_srcdir/bench_data/serving/vllm-single-stream.csv"
tap_done
