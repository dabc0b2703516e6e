#!/bin/sh
# What a plugin declares must make sense: check, describe, list and run refuse
# the same declarations with the same words.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
plugins=$(cd "$top_builddir" && pwd)/.libs
include=$(cd "$top_srcdir" && pwd)/include
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$(cd "$top_srcdir" && pwd)}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1
STEPCOST_PLUGIN_PATH=$tap_tmp:$plugins; export STEPCOST_PLUGIN_PATH
cat >odd.c <<'X'
#include <stdint.h>
#include "stepcost/plugin.h"
#ifndef OFFSET
#define OFFSET 8
#endif
#ifndef KNOB
#define KNOB "second"
#endif
#ifndef MIN
#define MIN 0
#endif
#ifndef CHOICE
#define CHOICE "fast"
#endif
#ifndef PRESET
#define PRESET "other"
#endif
#ifndef SETS
#define SETS "second"
#endif
#ifndef PART
#define PART "attention"
#endif
#ifndef KIND
#define KIND SC_PART_ATTENTION
#endif
#ifndef KNOBS
#define KNOBS 3
#endif
#ifndef NAME
#define NAME "odd"
#endif
static const char *const choices[] = {"slow", CHOICE, NULL};
static const sc_knob first = {.size = sizeof first, .type = SC_KNOB_DOUBLE, .offset = 0, .name = "first", .def = "1", .min = 0, .max = 9, .unit = "us", .help = "h"};
static const sc_knob second = {.size = sizeof second, .type = SC_KNOB_INT, .offset = OFFSET, .name = KNOB, .def = "1", .min = MIN, .max = 9, .unit = "1", .help = "h"};
static const sc_knob third = {.size = sizeof third, .type = SC_KNOB_CHOICE, .offset = 16, .name = "third", .def = "slow", .unit = "1", .help = "h", .choices = choices};
static const sc_knob *const knob[] = {&first, &second, &third};
static const char *const values[] = {"first", "2", SETS, "3", NULL};
static const sc_preset one = {.size = sizeof one, .name = "one", .help = "h", .values = values};
static const sc_preset two = {.size = sizeof two, .name = PRESET, .help = "h", .values = values};
static const sc_preset *const preset[] = {&one, &two};
static const sc_part moe = {.size = sizeof moe, .kind = SC_PART_GEMM, .name = "moe", .help = "h"};
static const sc_part other = {.size = sizeof other, .kind = KIND, .name = PART, .help = "h"};
static const sc_part *const part[] = {&moe, &other};
static int32_t create(void **inst, const sc_setup *s, const void *k, sc_error *e) { (void)s; (void)k; (void)e; *inst = NULL; return SC_OK; }
static void destroy(void *inst) { (void)inst; }
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *e) { (void)inst; (void)s; (void)e; out->total_us = 1000; return SC_OK; }
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .abi_minor = 1, .name = NAME, .version = "1", .summary = "s",
	.n_knobs = KNOBS, .knob = knob, .n_presets = 2, .preset = preset, .knob_block = 24, .n_parts = 2, .part = part,
	.create = create, .destroy = destroy, .eval = eval};
SC_PLUGIN_DEFINE(plugin);
X
cat >odd.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 2
request_rate = 10
input_tokens = constant:10
output_tokens = constant:2
[cost_model:odd]
plugin = ./odd.so
X
made() { cc -shared -fPIC -I"$include" "$@" -o odd.so odd.c; }
if ! made; then echo '1..0 # SKIP no cc'; exit 0; fi
"$host" run odd.ini >out 2>&1
t 'sound, it runs' test $? -eq 0
"$host" plugins describe odd >out 2>&1
t 'and is described' test $? -eq 0
# CODE WANT COMMAND...: 4, a plugin failed; or 1, what check promises is not kept
refused() {
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; [ $got -eq "$code" ] && grep -qF "$want" out
}
while IFS='|' read -r macro want; do
	made "-D$macro" || exit 1
	t "run: $macro" refused 4 "$want" "$host" run odd.ini
	t 'describe' refused 4 "$want" "$host" plugins describe odd
	t 'check' refused 1 "$want" "$host" plugins check ./odd.so
	t 'list' refused 4 "$want" "$host" plugins list
done <<'X'
OFFSET=0|knobs first and second are both at offset 0 of the knob block
OFFSET=12|knob 1, second: offset misaligned or outside knob_block
OFFSET=24|knob 1, second: offset misaligned or outside knob_block
KNOB="first"|knobs 0 and 1 are both named first
KNOB="plugin"|knob 1, plugin: the name is reserved for the host
MIN=10|knob 1, second: its range is empty
CHOICE="slow"|knob third: choices 0 and 1 are both 'slow'
PRESET="one"|presets 0 and 1 are both named one
SETS="first"|preset one: sets first twice, to 2 and to 3
SETS="fourth"|preset one: sets an unknown knob fourth
PART="moe"|parts 0 and 1 are both named moe
PART="MoE, MLA"|part 1: descriptor too short, or name or help missing or malformed
KIND=7|part attention: unknown kind 7; the last is 3
KNOBS=4000000000u|4000000000 knobs
X
tap_done
