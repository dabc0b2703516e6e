#!/bin/sh
# A folder a plugin: its tables, its programs, its id; and programs that speak
# protocol 2.
. "${top_srcdir:-.}/t/lib/declared.sh"
command -v cc >/dev/null || { skip 'plugins in folders' 'no C compiler'; tap_done; }
mkdir -p home/needy/bench_data/h100-sxm.own home/exec home/twin
cp "$top_builddir/t/so/.libs/needy.so" home/needy/needy.so
printf 'source = me\ngpu = h100-sxm\n' >home/needy/bench_data/h100-sxm.own/MANIFEST
printf 'heads,kv_heads,head_dim,dtype,batch,kv_len,latency_us\n32,8,128,bf16,1,64,5\n' \
	>home/needy/bench_data/h100-sxm.own/attention_decode.csv
export STEPCOST_PLUGIN_PATH="$tap_tmp/home:$top_builddir/.libs:$top_builddir/t/so/.libs"
t 'a plugin in its folder is found' needy 0 '' --set tables.set=h100-sxm.vllm-0.24
t 'its arms see its sets' needy 0 '' --set tables.set=h100-sxm.own
others_do_not() { "$sc" eval base.ini --steps steps.csv --set tables.set=h100-sxm.own 2>err; grep -q "h100-sxm.own" err; }
t 'others do not' others_do_not
by_plugin() { # 5 us is read from the set: 32 layers of one decode at 64 tokens
	sed '/base_us/d' base.ini >by_plugin.ini
	"$sc" eval by_plugin.ini --steps steps.csv --set cost_model:a.plugin=operators \
		--set tables.set="needy/h100-sxm.own,h100-sxm.vllm-0.24" --format json >out 2>err || { cat err; return 1; }
	grep -q '"h100-sxm.own": *"[0-9a-f]\{64\}"' out || { cat out; return 1; }
}
t 'unless they name the plugin' by_plugin
fails_by_plugin() { # MESSAGE ARGS
	want=$1; shift
	"$sc" eval by_plugin.ini --steps steps.csv "$@" >out 2>err; [ $? -eq 2 ] && grep -qF "$want" err || { cat err; return 1; }
}
t 'a plugin without sets' fails_by_plugin 'declares.so has no folder bench_data of its own' --set cost_model:a.plugin=operators --set tables.set=declares/x
t 'a set that it does not have' fails_by_plugin "(did you mean 'h100-sxm.own'?)" --set cost_model:a.plugin=operators --set tables.set=needy/h100-sxm.ovn
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
tap_done
