#!/bin/sh
# What a cost model says of itself since ABI 1.3: texts and numbers as knobs,
# needs that are checked before it is asked, times of requests outside of steps.
. "${top_srcdir:-.}/t/lib/tap.sh"
export STEPCOST_PLUGIN_PATH="$top_builddir/.libs:$top_builddir/t/so/.libs"
sc=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >base.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 20
request_rate = 20
input_tokens = uniform:20,900
output_tokens = uniform:2,40
[cost_model:a]
plugin = declares
base_us = 6000
X
printf 'step,decode,prefill\n0,64,\n' >steps.csv
price() { "$sc" eval base.ini --steps steps.csv --quiet "$@" 2>/dev/null | sed -n '2,$p' | cut -d, -f2,3; }

# --- texts and numbers -----------------------------------------------------------
is_price() { # WANT ARGS
	want=$1; shift
	got=$(price "$@" | head -1); [ "$got" = "$want" ] || { echo "$got, not $want"; return 1; }
}
t 'defaults' is_price a,6004.005
t 'numbers by commas' is_price a,6016.005 --set 'cost_model:a.edges=4, 5,6'
t 'by blanks' is_price a,6016.005 --set 'cost_model:a.edges=4 5 6'
t 'none' is_price a,6001.005 --set 'cost_model:a.edges='
t 'a text' is_price a,6004.011 --set 'cost_model:a.words=eleven char'
fails() { # MESSAGE ARGS
	want=$1; shift
	"$sc" eval base.ini --steps steps.csv "$@" >out 2>err; [ $? -eq 2 ] && grep -qF "$want" err || { cat err; return 1; }
}
t 'what is no number is refused' fails 'edges = 4 b: not numbers' --set 'cost_model:a.edges=4 b'
ablate() {
	"$sc" compare base.ini --ablate 'a.edges=5 6,100 200' --format json --quiet 2>/dev/null >o.json &&
		grep -q '"edges": \[5, 6\]' o.json && grep -q '"edges": \[100, 200\]' o.json
}
t '--ablate parts lists by commas' ablate
axis() {
	"$sc" sweep base.ini --axis 'cost_model:a.edges=5 6,100 200' --store s --quiet >/dev/null 2>&1 &&
		[ "$("$sc" sweep show s --format csv 2>/dev/null | grep -c '5 6\|100 200')" -eq 2 ]
}
t 'an axis, too' axis

# --- needs -----------------------------------------------------------------------
t 'a model that no need admits' fails 'declares needs attention full; 3 of the layers of model deepseek-v3 have mla' \
	--set model.config=deepseek-v3 --set engine.tensor_parallel_size=16
cat >needy.c <<'X'
#include "stepcost/knob.h"
static int32_t create(void **inst, const sc_setup *setup, const void *block, sc_error *err)
{
	(void)setup, (void)block, (void)err;
	*inst = 0;
	return SC_OK;
}
static void destroy(void *inst) { (void)inst; }
static int32_t eval(void *inst, const sc_step *step, sc_result *out, sc_error *err)
{
	(void)inst, (void)step, (void)err;
	out->total_us = 9000;
	return SC_OK;
}
static const sc_need *const needs[] = {
    &(const sc_need){.size = sizeof(sc_need), .kind = SC_NEED_TABLE, .value = "attention_decode",
		     .columns = "batch,kv_len, latency_us", .notes = "source"},
    &(const sc_need){.size = sizeof(sc_need), .kind = SC_NEED_TABLE, .flags = SC_NEED_OPTIONAL, .value = "own_kind"},
    &(const sc_need){.size = sizeof(sc_need), .kind = SC_NEED_GPU, .value = "h[12]00-*"},
};
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .abi_minor = SC_ABI_MINOR,
    .name = "needy", .version = "1", .summary = "needs a table", .knob_block = 8, .create = create,
    .destroy = destroy, .eval = eval, .n_needs = 3, .need = needs};
SC_PLUGIN_DEFINE(plugin);
X
if command -v cc >/dev/null; then
	cc -std=gnu17 -shared -fPIC -fvisibility=hidden -I"$top_srcdir/include" -o needy.so needy.c || exit 1
	export STEPCOST_PLUGIN_PATH="$STEPCOST_PLUGIN_PATH:$tap_tmp"
	sed 's/plugin = declares/plugin = needy/; /base_us/d' base.ini >needy.ini
	needy() { # CODE MESSAGE ARGS
		code=$1 want=$2; shift 2
		"$sc" eval needy.ini --steps steps.csv "$@" >out 2>err; got=$?
		[ $got -eq "$code" ] && { [ -z "$want" ] || grep -qF "$want" err; } || { echo "exit $got"; cat err; return 1; }
	}
	t 'a set with the table' needy 0 '' --set tables.set=h100-sxm.vllm-0.24
	t 'a set without it is refused, and others are named' needy 4 \
		'needy needs a table attention_decode with columns batch,kv_len, latency_us and notes source; h100-sxm.nccl' \
		--set tables.set="$(cd "$top_srcdir/bench_data" && ls -d h100-sxm.nccl* | head -1)"
	others() { grep -q 'these sets of this GPU have: .*h100-sxm.vllm-0.24' err; }
	t 'by name' others
	t 'a GPU that no need admits' needy 2 'needy needs gpu h[12]00-*; this is a100-80-sxm' --set hardware.config=a100-80-sxm
	for_plugin() {
		"$sc" tables list --for needy >list && grep -q '^h100-sxm.vllm-0.24' list && ! grep -q nccl list
	}
	t 'tables list --for' for_plugin
	no_tables() { "$sc" tables list --for const_step 2>err; [ $? -eq 2 ] && grep -q 'names no table' err; }
	t 'refused for a model without' no_tables
	mkdir -p kinds && printf 'x,latency_us\n1,2\n2,3\n' >kinds/own_kind.csv && printf 'x,latency_us\n1,2\n' >kinds/nobodys_kind.csv
	own_kind() { "$sc" tables check ./kinds >found 2>&1; grep -q nobodys_kind found && ! grep -q own_kind.csv found || { cat found; return 1; }; }
	t 'tables check knows the kinds of a plugin' own_kind
	without() { "$sc" plugins check needy.so --config needy.ini >checked 2>&1; grep -q '^# without attention_decode: prices' checked || { cat checked; return 1; }; }
	t 'plugins check takes a needed table away' without
fi

# --- times outside of steps --------------------------------------------------------
row() { # ARGS: ttft and e2el of request 0
	"$sc" run base.ini --quiet --write-requests r.csv "$@" >/dev/null 2>&1 && awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++) at[$i] = i } $2 == "0" { print $at["input_tokens"], $at["output_tokens"], $at["ttft_ms"], $at["e2el_ms"] }' r.csv
}
outside() {
	row >plain; row --set cost_model:a.before_us=3000 --set cost_model:a.prompt_token_us=1.5 \
		--set cost_model:a.after_us=7000 --set cost_model:a.output_token_us=11.25 >more
	paste -d' ' plain more | awk '{ first = 3 + 0.0015 * $1 + 0.01125; last = 3 + 0.0015 * $1 + 0.01125 * $2 + 7
		a = $7 - $3 - first; b = $8 - $4 - last
		exit !(NF == 8 && a * a < 1e-10 && b * b < 1e-10) }' || { cat plain more; return 1; }
}
t 'a request waits before, and its tokens travel' outside
preset() { # the preset's times are not added
	row --set engine.preset=vllm-0.24 >with; row --set engine.preset=vllm-0.24 --set engine.api_overhead_us=5000 >by_hand
	paste -d' ' with by_hand | awk '{ d = $7 - $3 - 5; exit !(d * d < 1e-10) }' || { cat with by_hand; return 1; }
}
t 'times set by hand count' preset
told() { "$sc" run base.ini --format json --quiet 2>/dev/null | grep -q '"request_costs": {"before_us": 0, "prompt_token_us": 0, "after_us": 0, "output_token_us": 0}'; }
t 'and the result says so' told

# --- how sure it is ------------------------------------------------------------------
own() { "$sc" run base.ini --format json --quiet "$@" 2>/dev/null >own.json; }
interval() {
	own --set cost_model:a.words= && "$sc" run base.ini --quiet --set cost_model:a.words= 2>/dev/null | tr '\n' ' ' | tr -s ' ' >own.txt &&
		grep -q '"mean_tpot_ms": {"low": [0-9.]*, "high": [0-9.]*, "coverage": 0.9, "noise_share": 0.0' own.json &&
		grep -q "mean_tpot_ms [0-9.]* (model's own 90 %: [0-9.]* to [0-9.]*)" own.txt || { cat own.txt; return 1; }
}
t "a model's own interval" interval
none() { own --set cost_model:a.mode=plain && grep -q '"model_interval": null' own.json; }
t 'one that does not say has none' none
ends() { # a common error of 10 %, noise of 5 %: mean * exp(1.6449 * 0.1), and a little more
	own && awk -F'[:,}]' '
		/"mean_tpot_ms": [0-9]/ { mean = $2 }
		/"mean_tpot_ms": \{/ { high = $5 }
		END { r = log(high / mean) / 0.164485; exit !(r > 0.99 && r < 1.02) }' own.json || { grep tpot own.json; return 1; }
}
t 'its ends are those of the formula' ends

# --- a folder of its own -----------------------------------------------------------------
if command -v cc >/dev/null; then
	mkdir -p home/needy/bench_data/h100-sxm.own home/exec home/twin
	cp needy.so home/needy/needy.so
	printf 'source = me\ngpu = h100-sxm\n' >home/needy/bench_data/h100-sxm.own/MANIFEST
	printf 'heads,kv_heads,head_dim,dtype,batch,kv_len,latency_us\n32,8,128,bf16,1,64,5\n' \
		>home/needy/bench_data/h100-sxm.own/attention_decode.csv
	export STEPCOST_PLUGIN_PATH="$tap_tmp/home:$top_builddir/.libs:$top_builddir/t/so/.libs"
	t 'a plugin in its folder is found' needy 0 '' --set tables.set=h100-sxm.vllm-0.24
	t 'its arms see its sets' needy 0 '' --set tables.set=h100-sxm.own
	others_do_not() { "$sc" eval base.ini --steps steps.csv --set tables.set=h100-sxm.own 2>err; grep -q "h100-sxm.own" err; }
	t 'others do not' others_do_not
	listed() { "$sc" plugins list --format csv | grep -q "^needy,.*$tap_tmp/home/needy$"; }
	t 'it is listed' listed
	by_id() { is_price a,6004.005 --set cost_model:a.plugin=org.example.declares; }
	t 'a plugin by its id' by_id
	t 'an id that none has' fails 'no installed plugin has the id org.example.nobody' --set cost_model:a.plugin=org.example.nobody
	sed 's/"declares"/"twin"/' "$top_srcdir/t/so/declares.c" >twin.c
	cc -std=gnu17 -shared -fPIC -fvisibility=hidden -I"$top_srcdir/include" -o home/twin/twin.so twin.c || exit 1
	t 'two with one id are refused, both named' fails 'both have the id org.example.declares' --set cost_model:a.plugin=org.example.declares
	cat >told.c <<'X'
#define _GNU_SOURCE
#include "stepcost/exec.h"
struct knobs { struct sc_exec_knobs exec; };
static const sc_knob *const knobs[] = {SC_EXEC_KNOBS};
SC_EXEC_PLUGIN("told", "1", "asks for its folder", struct knobs, knobs, 0, "./told.sh");
X
	mkdir -p home/told
	cat >home/told/told.sh <<'X'
#!/bin/sh
read -r setup; echo '{"ready":1}'
while read -r step; do
	if [ "${STEPCOST_PLUGIN_DIR##*/}" = told ] && [ -e "$STEPCOST_PLUGIN_DIR/told.sh" ]; then echo '{"total_us":7777}'
	else echo '{"total_us":1}'; fi
done
X
	chmod +x home/told/told.sh
	# shellcheck disable=SC2046 # words
	cc -std=gnu17 -shared -fPIC -fvisibility=hidden -I"$top_srcdir/include" -o home/told/told.so told.c $(pkg-config --cflags --libs jansson) || exit 1
	sed 's/plugin = declares/plugin = told/; /base_us/d' base.ini >told.ini
	folder() { [ "$("$sc" eval told.ini --steps steps.csv --quiet 2>err | sed -n 2p | cut -d, -f3)" = 7777 ] || { cat err; return 1; }; }
	t 'a program knows the folder' folder
	# protocol 2
	mkdir -p home/second
	cat >second.c <<'X'
#define _GNU_SOURCE
#include "stepcost/exec.h"
struct knobs { struct sc_exec_knobs exec; const char *word; const sc_numbers *list; };
static const sc_knob *const knobs[] = {SC_EXEC_KNOBS, SC_TEXT(struct knobs, word, "some", "a word"),
	SC_NUMBERS(struct knobs, list, "1, 2", "us", "added")};
static const sc_sigma *const sigmas[] = {&(const sc_sigma){sizeof(sc_sigma), 0, "gpu", "of the GPU"}};
SC_EXEC_PLUGIN_WITH("second", "1", "speaks protocol 2", struct knobs, knobs, 0, SC_EXEC_COMMAND("python3", "./second.py"),
	.id = "org.example.second", .n_sigma = 1, .sigma = sigmas, .eval_batch = sc_exec_eval_batch,
	.request_costs = sc_exec_request_costs);
X
	cat >home/second/second.py <<'X'
import json, os, sys
setup = json.loads(sys.stdin.readline())
assert setup["stepcost_exec"] == 1 and setup["protocols"] == [1, 2]
assert setup["plugin"]["id"] == "org.example.second" and setup["plugin"]["sigma"] == ["gpu"]
assert "kv_tokens" in setup["engine"] and "expert_dispatch" in setup["engine"]
base = 5000 + sum(setup["knobs"]["list"]) + len(setup["knobs"]["word"])
print(json.dumps({"ready": 2, "request_costs": {"before_us": 3000}}), flush=True)
messages = steps = 0
def price(s):
    if any(c > 900000 for c in s["decode_ctx"]):
        return {"error": "too long"}
    us = base + len(s["decode_ctx"]) + sum(s["prefill_new"]) + sum(s["decode_ctx"]) / 1000
    if s["prefill_new"] and "prefill_prompt" in s:
        assert all(p >= n + c for p, n, c in zip(s["prefill_prompt"], s["prefill_new"], s["prefill_ctx"]))
        us += 1000
    return {"total_us": us, "noise_us": 10, "sigma_us": {"gpu": us / 10}, "gemm_flops": [0, 1e9]}
for line in sys.stdin:
    s = json.loads(line)
    messages += 1
    if "steps" in s:
        steps += len(s["steps"])
        out = []
        for each in s["steps"]:
            out.append(price(each))
            if "error" in out[-1]:
                break
        print(json.dumps({"results": out}), flush=True)
    else:
        steps += 1
        print(json.dumps(price(s)), flush=True)
    if "COUNT" in os.environ:
        with open(os.environ["COUNT"], "w") as f:
            print(messages, steps, file=f)
X
	# shellcheck disable=SC2046 # words
	cc -std=gnu17 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -I"$top_srcdir/include" -o home/second/second.so second.c $(pkg-config --cflags --libs jansson) || exit 1
	sed 's/plugin = declares/plugin = second/; /base_us/d; s/num_requests = 20/num_requests = 60/' base.ini >second.ini
	several() { # steps of a run come several in a message, and the answers count
		COUNT=$tap_tmp/count "$sc" run second.ini --format json --quiet >second.json 2>err || { cat err; return 1; }
		grep -q '"request_costs": {"before_us": 3000' second.json && grep -q '"mean_tpot_ms": {"low"' second.json &&
			awk '{ exit !($2 > 1.5 * $1) }' count || { cat count; return 1; }
	}
	t 'a program of protocol 2 gets several steps in a message' several
	keeps() { "$sc" plugins check home/second/second.so >checked 2>&1 || { grep -A3 '^not ok' checked; return 1; }; }
	t 'and keeps the promises' keeps
	cached() { "$sc" run second.ini --set cost_model:a.cache=true --format json --quiet 2>err | grep '"mean_tpot_ms": {"low"' >with; grep '"mean_tpot_ms": {"low"' second.json | cmp - with || cat err; }
	t 'kept answers keep how sure it is' cached
	prompt() { printf 'step,prefill\n0,0:100/400\n' >chunk.csv; "$sc" eval second.ini --steps chunk.csv --quiet 2>err | grep -q '^0,a,6107' || { cat err; return 1; }; }
	t 'a chunk tells its whole prompt' prompt
fi
tap_done
