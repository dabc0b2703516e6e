#!/bin/sh
# `stepcost serve`: answers, errors, metrics, and the law: a live run and the
# replay of its record have the same times, to the nanosecond.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
s=$top_builddir/stepcost
d=$tap_tmp
python3 -c 'import asyncio, http.client' 2>/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
cat >"$d/c.ini" <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = const_step
base_us = 18000
[engine]
preset = vllm-2026-07
[serve]
dev = true
served_model_name = first,second
END

# start OPTION... -- starts a server, sets $port and $server
start() {
	: >"$d/out"
	"$s" serve "$d/c.ini" --listen 127.0.0.1:0 "$@" >"$d/out" 2>"$d/err" &
	server=$!
	await $server "$d/out" ready || { port=1; cat "$d/err"; return 1; }
	port=$(port_of "$d/out")
}
stop() { kill -TERM $server; wait $server; }

t 'it starts' start --speed 20
timeout 600 python3 "$top_srcdir/t/ref/served.py" "$port" >"$d/tap"
while IFS= read -r line; do
	case $line in
	'ok - '*) t "${line#ok - }" true ;;
	'not ok - '*) t "${line#not ok - }" false ;;
	*) echo "$line" ;;
	esac
done <"$d/tap"
t 'all of it was asked' sh -c "[ \$(grep -c '^ok\|^not' '$d/tap') -gt 36 ]"
t 'hostile clients leave it answering, and no request behind' timeout 600 python3 "$top_srcdir/t/ref/hostile.py" "$port" 150 1
t 'it ends with 0' stop

# law NAME OPTION... -- clients (some give up), then the replay
law() {
	name=$1; shift
	rm -f "$d/r.jsonl" "$d/live.csv" "$d/run.csv"
	start --speed 100 --record "$d/r.jsonl" --write-requests "$d/live.csv" "$@" || return 1
	timeout 600 python3 "$top_srcdir/t/ref/live.py" "$port" 60 7 0.6 || { stop; return 1; }
	stop || return 1
	grep -q 'mean_ttft_ms' "$d/out" || return 1
	"$s" run "$d/c.ini" "$@" --set workload.trace="$d/r.jsonl" --write-requests "$d/run.csv" >"$d/run.txt" || return 1
	sort "$d/live.csv" >"$d/live" && sort "$d/run.csv" >"$d/run" && cmp "$d/live" "$d/run" &&
		[ "$(wc -l <"$d/run")" -gt 55 ]
}
tight=engine.num_gpu_blocks=9000
t 'the law: vLLM' law vllm --set engine.max_num_seqs=8
t 'the law: vLLM 0.15' law old --set engine.preset=vllm-0.15
t 'the law: few blocks' law few --set engine.max_num_batched_tokens=256 --set $tight
t 'the law: SGLang' law sglang --set engine.preset=sglang --set engine.max_running_requests=16
t 'the law: TensorRT-LLM' law trtllm --set engine.preset=tensorrt_llm
t 'the law: no preset' law none --set engine.preset=none
t 'the law: no preset, asynchronous' law async --set engine.preset=none --set engine.async_scheduling=true
t 'the law: replicas' law replicas --set engine.replicas=3 --set engine.routing=least_outstanding
t 'the law: a router that reads prompts' law prefix --set engine.replicas=2 --set engine.routing=prefix_affinity
t 'the law: priorities' law priority --set engine.scheduling_policy=priority --set engine.max_num_seqs=8

# A cost model that crashes: open streams end with an error, others get 500.
sed 's/^plugin = .*/plugin = faulty/; s/^base_us.*/fault = segv/' "$d/c.ini" >"$d/f.ini"
: >"$d/out"
STEPCOST_PLUGIN_PATH="$top_builddir/t/so/.libs" "$s" serve "$d/f.ini" --listen 127.0.0.1:0 --set serve.drain_s=3 \
	>"$d/out" 2>"$d/err" &
server=$!
await $server "$d/out" ready
port=$(port_of "$d/out")
t 'a cost model that crashes' timeout 600 python3 - "$port" <<'END'
import http.client, json, sys
def ask(method, path, body=None):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=200)
    c.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    r = c.getresponse()
    return r.status, r.read().decode()
status, text = ask("POST", "/v1/completions", {"prompt": "a", "max_tokens": 90, "stream": True})
events = text.split("\n\n")
assert status == 200 and '"InternalServerError"' in events[-3] and events[-2] == "data: [DONE]", text
assert ask("GET", "/health")[0] == 503
assert ask("POST", "/v1/completions", {"prompt": "a"})[0] == 500
END
wait $server
t 'and its step is named, with exit code 4' [ $? = 4 ]
t 'in its message' grep -q 'at step 17' "$d/err"

in_use() {
	start || return 1
	"$s" serve "$d/c.ini" --listen "127.0.0.1:$port" 2>"$d/o2"
	[ $? = 2 ] && grep -q 'Address already in use' "$d/o2" && stop
}
t 'a port in use is refused' in_use
t 'a key of [serve] is checked' sh -c "! '$s' run '$d/c.ini' --set serve.sped=3 2>'$d/o'; grep -q \"did you mean 'speed'\" '$d/o'"
t 'other commands take the section' sh -c "'$s' run '$d/c.ini' --set workload.num_requests=3 --set workload.input_tokens=9 --set workload.output_tokens=9 --set workload.request_rate=1 >'$d/o'"
tap_done
