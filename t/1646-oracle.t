#!/bin/sh
# `stepcost oracle`: prices are those of `eval`; forms, faults, an arm that dies;
# Python and the adapters.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
ini=$top_srcdir/etc/quickstart.ini
cat >"$d/steps.csv" <<'END'
step,decode,prefill
a,100;200;300,
b,50,100@0
c,,10@0
END
ask() { "$s" oracle "$ini" "$@" 2>"$d/err"; }
"$s" eval "$ini" --arms mfu_interp --steps "$d/steps.csv" --format csv >"$d/eval" 2>/dev/null
printf '%s\n' '{"decode_ctx": [100, 200, 300]}' '{"reqs": [[1, 50], [100, 0]]}' '{"scheduled": [[0, 10, 10]]}' |
	ask --arms mfu_interp >"$d/answers"
t 'the prices of eval' python3 - "$d" <<'END'
import csv, json, sys
d = sys.argv[1]
want = [float(r["total_us"]) for r in csv.DictReader(open(d + "/eval"))]
got = [1e6 * json.loads(x)["seconds"] for x in open(d + "/answers").read().splitlines()[1:]]
print(want, got)
sys.exit(len(got) != 3 or any(abs(a - b) > 1e-9 * b for a, b in zip(got, want)))
END
t 'all arms, an array, ids and faults' sh -c "
	printf '%s\n' '[{\"id\": 7, \"decode_ctx\": [5]}, {\"id\": null, \"reqs\": [[0, 0]]}]' 'x' '' '{\"arm\": \"roofline_v1\", \"decode_ctx\": []}' |
	'$s' oracle '$ini' 2>/dev/null >'$d/o'
	[ \$(wc -l <'$d/o') = 4 ] && sed -n 2p '$d/o' | grep -q '^\[{\"id\":7,\"arms\":{\"v2_fixed\":{\"seconds\":.*},{\"id\":null,\"arms\":{\"v2_fixed\":{\"error\":\"reqs: not pairs' &&
	sed -n 3p '$d/o' | grep -q '^{\"error\":\"no JSON' && sed -n 4p '$d/o' | grep -q '^{\"seconds\":0,'"
t 'the same line, the same bytes' sh -c "
	for i in 1 2 3; do echo '{\"reqs\": [[1, 77], [9, 0]]}'; done | '$s' oracle '$ini' 2>/dev/null | sed 1d | sort -u >'$d/o'
	[ \$(wc -l <'$d/o') = 1 ]"
t 'weights that no GPU holds are noted, as by eval' sh -c "
	echo '{\"decode_ctx\": [5]}' | '$s' oracle '$ini' --arms roofline_v1 --set model.config=llama-3.1-70b 2>'$d/err' >'$d/o'
	grep '\"seconds\"' '$d/o' && grep -q '^stepcost: warning: no engine can serve this: the weights alone take ' '$d/err'"
t 'a configuration that cannot be priced ends it' sh -c "! '$s' oracle '$ini' --arms nobody </dev/null 2>'$d/o' && grep -q nobody '$d/o'"
t 'Python and the adapters' env STEPCOST="$s" PYTHONPATH="$top_srcdir/python:$top_srcdir/etc/adapters" \
	PYTHONDONTWRITEBYTECODE=1 python3 - "$ini" <<'END'
import sys
from types import ModuleType, SimpleNamespace as N
import stepcost, stepcost_vllm
ini = sys.argv[1]
with stepcost.oracle(ini, "mfu_interp") as o:
    one = o.price([[1, 50], [100, 0]])["seconds"]
    last_token = o.ask({"prefill_new": [1], "prefill_ctx": [50]})["seconds"]
    resumed = o.ask({"prefill_new": [103]})["seconds"]
    assert one > 0 and o.about["stepcost_oracle"] == 1
    try:
        o.price([[0, 0]])
        sys.exit("a fault is no answer")
    except stepcost.Error as e:
        assert e.exit_code == 3
    assert o.price([[1, 50], [100, 0]])["seconds"] == one

# SGLang's simulator, as far as the adapter knows it
class Predictor:
    def __init__(self, model, hw, config):
        self.model, self.hw, self.config = model, hw, config
class Manager:
    @classmethod
    def _get_raw_config(cls):
        return {"predictor": cls.wanted}
    @classmethod
    def get_inference_time_predictor(cls, model, hw, config):
        return "its own"
for name, has in {"": {}, ".simulation": {}, ".simulation.manager": {"ConfigManager": Manager},
                  ".time_predictor": {}, ".time_predictor.base": {"InferTimePredictor": Predictor}}.items():
    sys.modules["sglang_simulator" + name] = m = ModuleType("sglang_simulator" + name)
    m.__dict__.update(has)
base = sys.modules["sglang_simulator.time_predictor"].base = m
import stepcost_sglang
Manager.wanted = {"name": "replay"}
assert Manager.get_inference_time_predictor(1, 2, 3) == "its own"
Manager.wanted = {"name": "stepcost", "config": ini, "arm": "mfu_interp"}
p = Manager.get_inference_time_predictor(1, 2, 3)
req = lambda e, k: N(extend_length=e, past_kv_length=k)
assert (p.model, p.hw, p.config) == (1, 2, 3)
assert p.predict_infer_time(N(reqs=[req(1, 50), req(100, 0)])) == one
assert p.predict_infer_time(N(reqs=[req(1, 50)], forward_mode="EXTEND")) == last_token
assert p.predict_infer_time(N(reqs=[])) == 0 and p.predict_infer_time(N(reqs=[req(0, 0)])) < 0
assert abs(sum(p.get_metrics().values()) - 1) < 1e-9
p.reset_metrics()
assert p.get_metrics() == {}
base.PredictorError = type("PredictorError", (RuntimeError,), {})
try:
    p.predict_infer_time(N(reqs=[req(0, 0)]))
    sys.exit("a fault is no time")
except base.PredictorError as e:
    assert e.args[0] == "prediction_failed"
p.oracle.close()

# vLLM's SchedulerOutputs: a decode and a prompt; then the prompt's request comes back
# after a preemption, in the runner's two versions
slept, runner = [], N(execute_model=lambda output: "tokens")
stepcost_vllm.stepcost_time(runner, ini, "mfu_interp", slept.append)
none = N(req_ids=[], num_computed_tokens=[], num_output_tokens=[], resumed_req_ids=set())
new = lambda id, **more: N(req_id=id, num_computed_tokens=0, **more)
def step(new, cached, scheduled, finished=()):
    assert runner.execute_model(N(scheduled_new_reqs=new, scheduled_cached_reqs=cached,
                                  num_scheduled_tokens=scheduled, finished_req_ids=set(finished))) == "tokens"
step([new("b", prompt_token_ids=[1] * 100)],
     N(req_ids=["a"], num_computed_tokens=[50], num_output_tokens=[3], resumed_req_ids=set()), {"a": 1, "b": 100})
step([], N(req_ids=["b"], num_computed_tokens=[0], num_output_tokens=[3], resumed_req_ids={"b"}), {"b": 103}, "a")
step([new("b", prompt_token_ids=[1] * 100, prefill_token_ids=[1] * 103)], none, {"b": 103}, "b")
step([], none, {})
assert slept == [one, resumed, resumed], (slept, one, resumed)
END
"$s" oracle "$ini" --arms mfu_interp --listen 127.0.0.1:0 >"$d/out" 2>/dev/null &
server=$!
await $server "$d/out" http
port=$(port_of "$d/out")
t 'over HTTP' python3 - "$port" "$d/answers" <<'END'
import http.client, json, sys
def ask(method, path, body=None, kind="application/json"):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=200)
    c.request(method, path, body, {"Content-Type": kind} if body else {})
    r = c.getresponse()
    return r.status, r.read().decode()
lines = open(sys.argv[2]).read().splitlines()
assert ask("GET", "/") == (200, lines[0] + "\n")
assert ask("POST", "/oracle", '{"decode_ctx": [100, 200, 300]}') == (200, lines[1] + "\n")
assert ask("POST", "/oracle", "{")[0] == 400 and ask("POST", "/oracle", '{"reqs": 1}')[0] == 400
assert ask("POST", "/oracle", "{}", "text/plain")[0] == 400
assert ask("GET", "/oracle")[0] == 405 and ask("GET", "/x")[0] == 404
END
kill -TERM $server
t 'it ends at a signal' await_end $server
wait $server
# The C library, where it was built.
library=$top_builddir/.libs/libstepcost-oracle.so
compiler=$(sed -n 's/^CC = //p' "$top_builddir/Makefile")
if [ ! -e "$library" ]; then
	skip 'a program in C' 'no libstepcost-oracle'
else
	cat >"$d/ask.c" <<'END'
#include <stdio.h>
#include <stepcost/oracle.h>
int main(int n, char **path)
{
	char why[500];
	uint32_t context[] = {100, 200, 300};
	sc_step step = {.size = sizeof step, .n_decode = 3, .n_sampled = 3, .decode_ctx = context};
	sc_oracle_answer a;
	sc_oracle *o = n > 1 ? sc_oracle_open(path[1], "mfu_interp", why, sizeof why) : NULL;
	if (!o || sc_oracle_price(o, &step, &a) < 0)
		return fprintf(stderr, "%s\n", o ? sc_oracle_error(o) : why), 1;
	printf("%.17g\n", a.seconds);
	sc_oracle_close(o);
	return 0;
}
END
	t 'a program in C is built' sh -c "$compiler -std=c99 -I'$top_srcdir/include' '$d/ask.c' -o '$d/ask' '$library'"
	t 'and has the same price' env LD_LIBRARY_PATH="$top_builddir/.libs" sh -c "'$d/ask' '$ini' >'$d/c-price' &&
		python3 -c 'import json, sys
want = json.loads(open(sys.argv[1]).read().splitlines()[1])[\"seconds\"]
sys.exit(float(open(sys.argv[2]).read()) != want)' '$d/answers' '$d/c-price'"
	t 'the library shows its own names alone' sh -c "! nm -D --defined-only '$library' | grep -v ' sc_oracle_'"
fi
tap_done
