#!/bin/sh
# plugins check: the shipped plugins keep every promise; each broken one is
# found, under the right name, with the smallest step that shows it.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
if grep -q __asan_init "$host"; then
	echo '1..0 # SKIP a sanitizer finds faults of a plugin first, in its own words'; exit 0
fi
so=$top_builddir/t/so/.libs

exits() { # CODE COMMAND...
	want=$1; shift; "$@" >"$tap_tmp/out" 2>&1; got=$?
	grep -A3 '^not ok' "$tap_tmp/out"; head -50 "$tap_tmp/out"; echo "exit $got"; [ $got -eq "$want" ]
}
has() { grep -qF -- "$1" "$tap_tmp/out" || { cat "$tap_tmp/out"; return 1; }; }

# A published model that refuses the case of etc/check.ini has a check.ini of its own.
for f in "$top_builddir"/.libs/*.so; do
	t "$(basename "$f") keeps its promises" exits 0 "$host" plugins check "$f"
done
STEPCOST_PLUGIN_PATH=$top_builddir/.libs; export STEPCOST_PLUGIN_PATH
t 'by its name' exits 0 "$host" plugins check distserve
t 'that is the name of one' exits 2 "$host" plugins check distserv
t 'a model that it refuses leaves it unchecked' exits 1 "$host" plugins check distserve --config "$top_srcdir/etc/check.ini"
t 'with the reason' has 'DistServe has no constants of h100-sxm'
t 'and what to do' has 'nothing was checked: --config takes a model, hardware and knobs that it prices'
# What `describe` calls it and its .md must speak of.
declares() { # PLUGIN CAPABILITY WORDS
	"$host" plugins describe "$1" | grep -q "$2" || return 0
	grep -qi -- "$3" "$top_srcdir"/plugins/"$1/$1.md" "$top_srcdir"/plugins/field/"$1/$1.md" 2>/dev/null
}
for f in "$top_builddir"/.libs/*.so; do
	name=$(basename "$f" .so)
	for pair in order_sensitive:order not_monotone:'not monotone' additive:additive does_io:SC_CAP_DOES_IO; do
		t "$name.md tells of ${pair%%:*}, if it must" declares "$name" "${pair%%:*}" "${pair#*:}"
	done
done
t 'what it declares is said' sh -c \
	"'$host' plugins check '$top_builddir/.libs/mfu_interp.so' | grep -qF '# declared'"

t 'no file' exits 2 "$host" plugins check "$so/nope.so"
t 'not a plugin at all' exits 1 "$host" plugins check "$so/no_entry.so"
t 'is a line that is not ok' has 'not ok 1 - loads, and its schema'
t 'with the reason' has 'no symbol stepcost_plugin'
t 'another ABI' exits 1 "$host" plugins check "$so/wrong_abi.so"
t 'with the reason' has 'built for ABI 99'
printf 'no ELF\n' >"$tap_tmp/text.so"
t 'a text file' exits 1 "$host" plugins check "$tap_tmp/text.so"
t 'is a line' has 'not a shared object'

t 'culprit.so breaks them all' exits 1 "$host" plugins check --time-limit 0.5 "$so/culprit.so"
cp "$tap_tmp/out" "$tap_tmp/culprit"
t 'sound with the default knobs' sh -c "! grep -E '^not ok [0-9]+ - (finite|same|two|more|eval|no output|parts|an |a )' '$tap_tmp/culprit'"
t 'and with a preset that does nothing' sh -c "! grep -E '^not ok [0-9]+ - none:' '$tap_tmp/culprit'"
# FAULT CHECK WHAT [STEP]: the line after "not ok" and the one that follows.
finds() {
	awk -v head="- $1: $2" -v what="$3" -v step="${4-0,1000,,1}" '
		/^not ok/ { on = index($0, head) }
		/^ok/ { on = 0 }
		on && index($0, what) { said = 1 }
		on && (step == "" || index($0, "sampled: " step)) { small = 1 }
		END { exit !(said && small) }' "$tap_tmp/culprit" ||
		{ grep -A3 "^not ok.* $1:" "$tap_tmp/culprit"; return 1; }
}
grid='finite and positive on the grid'
only='eval() only computes'
quiet='no output, no changed modes, nothing overwritten'
while IFS='|' read -r fault check what step; do
	case $check in grid) check=$grid;; only) check=$only;; quiet) check=$quiet;; esac
	case $step in '') step=0,1000,,1;; any) step=;; esac
	t "$fault: $check" finds "$fault" "$check" "$what" "$step"
done <<'X'
segv|grid|killed by SIGSEGV
fpe|grid|killed by SIGFPE
bus|grid|killed by SIGBUS
ill|grid|killed by SIGILL
abort|grid|killed by SIGABRT
exit|grid|exit(0)
quick_exit|grid|exit(7)
hang|grid|no answer within|any
sleep|grid|no answer within|any
stack|grid|the stack overflowed
overrun|quiet|wrote past the end
overrun_far|grid|killed by SIGSEGV
print|only|calls puts()
print|quiet|printed to standard output
write|only|calls write()
write|quiet|printed to standard output
print_error|quiet|printed to standard error
chdir|quiet|changed the working directory
close|quiet|closed descriptors
nan|grid|total_us = nan
inf|grid|total_us = inf
negative|grid|total_us = -1
zero|grid|total_us = 0
fork|only|calls fork()
rounding|only|calls fesetround()
rounding|quiet|changed the floating-point modes
flush_to_zero|quiet|changed the floating-point modes
trap_fpe|only|calls feenableexcept()
longjmp|grid|killed by SIG
error_code|grid|returned 5 without a reason
error_text|grid|eval: xxx
create_fails|create()|not today|any
create_segv|create()|killed by SIGSEGV|any
create_hangs|create()|no answer within|any
destroy_segv|create()|in destroy()|any
destroy_hangs|create()|no answer within|any
kill_parent|grid|sent SIGTERM to the host|any
kill_group|grid|killed by SIGKILL
smash_stack|grid|killed by SIG
unmap_text|grid|killed by SIGSEGV
leak|an instance leaves nothing behind|bytes behind|any
leak_file|an instance leaves nothing behind|a descriptor open|any
allocate|only|calls malloc()
clock|only|calls clock_gettime()
clock|same step, same bits|total_us is
remember|same step, same bits|total_us is
remember|two instances asked in turn: the bits of one alone|total_us is
order|the order of requests changes no bit|total_us is|any
told_sum|with and without the sum of contexts: the same bits|total_us is
told_sum_refused|with and without the sum of contexts: the same bits|total_us is
falls|more work takes no less time| us become |any
batch|a batch of steps: the bits of one by one|total_us is
told_sum_batch|a batch of steps: the bits of one by one|total_us is
batch_of_one|a batch of steps: the bits of one by one|total_us is
negative_part|grid|gemm_us[decode] = -1
host_us|grid|is more than total_us
writes_ctx|quiet|wrote over the columns of a step|any
lookup_us|grid|is more than 1000 times total_us
X

# A knob that acts where its condition says that it does not, and one that never does.
acts() { "$top_builddir/stepcost" plugins check "$top_builddir/t/so/.libs/inert.so" >"$tap_tmp/acts" 2>&1
	grep -A3 'knobs act where they say so' "$tap_tmp/acts"
	grep -q '^not ok [0-9]* - knobs act where they say so' "$tap_tmp/acts" &&
		grep -qF "slow_us has an effect with mode = fast, though its condition is 'mode=slow'" "$tap_tmp/acts" &&
		grep -qF 'idle_us changes no price of these steps' "$tap_tmp/acts"; }
t 'a false condition of a knob is found' acts

# kernel() beside eval(): FACTOR is what it gets wrong.
cat >"$tap_tmp/two_prices.c" <<'X'
#include <stdlib.h>
#include "stepcost/fail.h"
static int32_t create(void **inst, const sc_setup *s, const void *k, sc_error *e) { (void)k, (void)e; *inst = malloc(4); *(uint32_t *)*inst = s->model->group[0]->n_layers; return SC_OK; }
static void destroy(void *inst) { free(inst); }
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *e)
{
	uint32_t m = s->n_decode, layers = *(uint32_t *)inst;
	double ctx = 0;
	(void)e;
	for (uint32_t i = 0; i < s->n_prefill; i++) m += s->prefill_new[i], ctx += s->prefill_ctx[i];
	for (uint32_t i = 0; i < s->n_decode; i++) ctx += s->decode_ctx[i];
	out->gemm_us[s->n_decode ? SC_DECODE : SC_PREFILL] = 4. * layers * m;
	out->attention_us[s->n_decode ? SC_DECODE : SC_PREFILL] = layers * (m + ctx);
	out->overhead_us = 5;
	out->total_us = 5 + 4. * layers * m + layers * (m + ctx);
	return SC_OK;
}
static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out, sc_error *e)
{
	(void)inst, (void)e;
	out->latency_us = k->op == SC_OP_GEMM ? GEMM * (double)k->m : ATTENTION * (double)(k->new_tokens + (k->op == SC_OP_DECODE) + k->context);
	return SC_OK;
}
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .name = "two_prices", .version = "1", .summary = "s", .capabilities = SC_CAP_ADDITIVE, .create = create, .destroy = destroy, .eval = eval, .kernel = kernel};
SC_PLUGIN_DEFINE(plugin);
X
priced() { # GEMM ATTENTION WANT
	cc -shared -fPIC -I"$top_srcdir/include" -DGEMM="$1" -DATTENTION="$2" -o "$tap_tmp/two_prices.so" "$tap_tmp/two_prices.c" || return 1
	"$host" plugins check "$tap_tmp/two_prices.so" >"$tap_tmp/out" 2>&1
	grep -A1 'kernel() prices what eval() adds up' "$tap_tmp/out" >"$tap_tmp/said"; cat "$tap_tmp/said"; grep -qF -- "$3" "$tap_tmp/said"
}
if command -v cc >/dev/null; then
	sound() { priced 1. 1. 'ok ' && ! grep -q '^not ok' "$tap_tmp/said"; }
	t 'kernel() as eval()' sound
	t 'GEMMs that are dearer' priced 1.001 1. 'GEMMs of one layer: '
	t 'attention that is cheaper' priced 1. .5 'attention of one layer: '
fi

# The worst fall is named, and the worst with each other kind of work.
cat >"$tap_tmp/cheap.c" <<'X'
#include "stepcost/fail.h"
static int32_t create(void **inst, const sc_setup *s, const void *k, sc_error *e) { (void)s, (void)k, (void)e; *inst = 0; return SC_OK; }
static void destroy(void *inst) { (void)inst; }
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *e)
{
	(void)inst, (void)e;
	out->total_us = s->n_prefill == 1 && s->prefill_new[0] == 20 ? 95 : 100 + s->n_prefill + s->n_decode;
	if (s->n_decode == 2 && !s->n_prefill) out->total_us = 72.75;
	return SC_OK;
}
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .name = "cheap", .version = "1", .summary = "s", .capabilities = FLAGS, .create = create, .destroy = destroy, .eval = eval};
SC_PLUGIN_DEFINE(plugin);
X
cheap() { # FLAGS EXIT
	cc -shared -fPIC -I"$top_srcdir/include" -DFLAGS="$1" -o "$tap_tmp/cheap.so" "$tap_tmp/cheap.c" && exits "$2" "$host" plugins check "$tap_tmp/cheap.so"
}
if command -v cc >/dev/null; then
	t 'less time for more work' cheap 0 1
	t 'the worst fall, in words' has '# 1 decode at a context of 1: with 1 more decode like the last, 101 us become 72.75, 28 % less'
	t 'its step' has 'sampled: 0,1,,1'
	t 'the worst of another kind' has '# 1 prefill of 10 tokens: with twice the tokens in each prefill, up to 5.94 % less: 0,,0:10,1'
	t 'declared' cheap SC_CAP_NOT_MONOTONE 0
	t 'it is named, too' has '# declared: 1 decode at a context of 1: with 1 more decode like the last, 101 us become 72.75, 28 % less'
	t 'and so are the others' has '# 1 prefill of 10 tokens: with twice the tokens in each prefill, up to 5.94 % less: 0,,0:10,1'
	t 'with what it means' has '# a larger batch or a longer request that seems cheaper by this is no reason to choose it'
fi

# The pages of two published rules have figures that the check prints.
falls() { # PLUGIN GPU PERCENT PRESET WORDS [TABLES]
	said=$tap_tmp/$1.$2.${6:-auto}
	[ -e "$said" ] || {
		printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = %s\n[cost_model:a]\nplugin = %s\ntables.set = %s\n' "$2" "$1" "${6:-auto}" >"$said.ini"
		STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$(cd "$top_srcdir" && pwd)} "$host" plugins check --config "$said.ini" "$top_builddir/.libs/$1.so" >"$said"
	}
	sed -n "/ - $4more work takes/,/ - $4a batch of steps/p" "$said" | grep -F -- "$3 % less" | grep -F -- "$5" &&
		grep -F "$3 %" "$top_srcdir/plugins/$1/$1.md"
}
t 'mfu_interp: tables with gaps' falls mfu_interp b200-sxm 1.51 '' '1 more prefill like the last'
t 'mfu_interp: tables without' falls mfu_interp h100-sxm 0.101 '' 'twice the cached tokens'
t 'roofline_v2: small batches' falls roofline_v2 h100-sxm 83.9 'reviewed: ' '1 more decode'
t 'roofline_v2: buckets' falls roofline_v2 h100-sxm 4.57 '' '1 more cached'
t 'roofline_v2: of the fixed rules' falls roofline_v2 h100-sxm 8.96 'fixed: ' 'twice the context'
own=h100-sxm.infersim # of etc/check.ini
t 'mfu_interp: a longer context' falls mfu_interp h100-sxm 6.36 '' 'twice the context' $own
t 'mfu_interp: two decodes for one' falls mfu_interp h100-sxm 1.17 '' '1 more decode' $own
t 'mfu_interp: 20 tokens for 10' falls mfu_interp h100-sxm 0.135 '' '1 prefill of 10 tokens: with twice the tokens' $own
t 'roofline_v2: two decodes for one' falls roofline_v2 h100-sxm 1.34 '' '1 decode at a context of 1024: with 1 more decode' $own
t 'roofline_v2: three for two' falls roofline_v2 h100-sxm 8.19 'fixed: ' '1 more decode' $own
t 'roofline_v1: beside a prompt' falls roofline_v1 h100-sxm 57.5 '' 'a prefill of 16'
tap_done
