#!/bin/sh
# `stepcost serve`: answers, errors, metrics, and the law: a live run and the
# replay of its record have the same times, to the nanosecond.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
python3 -c 'import asyncio, http.client' 2>/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
server_config 18000 <<'END'
[serve]
dev = true
served_model_name = first,second
END

t 'it starts' serve "$d/c.ini" --speed 20
timeout 600 python3 "$top_srcdir/t/ref/served.py" "$port" >"$d/tap"
retell "$d/tap"
t 'all of it was asked' sh -c "[ \$(grep -c '^ok\|^not' '$d/tap') -gt 43 ]"
t 'hostile clients leave it answering, and no request behind' timeout 600 python3 "$top_srcdir/t/ref/hostile.py" "$port" 150 1
t 'it ends with 0' end_server

# law OPTION... -- clients (some give up), then the replay
law() {
	recorded "$d/c.ini" --speed 100 "$@" || return 1
	timeout 600 python3 "$top_srcdir/t/ref/live.py" "$port" 60 7 0.6 || { end_server; return 1; }
	end_server && grep -q 'mean_ttft_ms' "$d/out" && replays "$d/c.ini" "$@" && [ "$(wc -l <"$d/run.csv")" -gt 55 ]
}
tight=engine.num_gpu_blocks=9000
t 'the law: vLLM' law --set engine.max_num_seqs=8
t 'the law: vLLM 0.15' law --set engine.preset=vllm-0.15
t 'the law: few blocks' law --set engine.max_num_batched_tokens=256 --set $tight
t 'the law: SGLang' law --set engine.preset=sglang --set engine.max_running_requests=16
t 'the law: TensorRT-LLM' law --set engine.preset=tensorrt_llm
t 'the law: no preset' law --set engine.preset=none
t 'the law: no preset, asynchronous' law --set engine.preset=none --set engine.async_scheduling=true
t 'the law: replicas' law --set engine.replicas=3 --set engine.routing=least_outstanding
t 'the law: sessions of any text' law --set engine.replicas=3 --set engine.routing=session
t 'the law: a router that reads prompts' law --set engine.replicas=2 --set engine.routing=prefix_affinity
t 'the law: priorities' law --set engine.scheduling_policy=priority --set engine.max_num_seqs=8

# A step lasts 180 ms of the wall clock.
t 'a slow server' recorded "$d/c.ini" --speed 0.1 --set serve.drain_s=1
t 'a token leaves when it is due, not with the next one' python3 - "$port" <<'END'
import http.client, sys, time
def gap():
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    c.request("POST", "/v1/completions", '{"prompt": "a", "max_tokens": 2, "stream": true}', {"Content-Type": "application/json"})
    r, at = c.getresponse(), []
    while line := r.readline():
        if b"choices" in line:
            at.append(time.monotonic())
    return at[1] - at[0]
sys.exit(not any(gap() > 0.14 for _ in range(5)))
END
# When the server ends, a request of a client that is gone is in a step, and an answer is stalled.
given_up() {
	python3 - "$port" $server <<'END' && wait $server && grep -q '"cancel_us"' "$d/r.jsonl" &&
import http.client, os, signal, sys
def ask(body, until, fault):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    c.request("POST", "/v1/completions", body, {"Content-Type": "application/json", "X-Stepcost-Fault": fault})
    r = c.getresponse()
    while until not in r.readline():
        pass
    return c, r
held = ask('{"prompt": "a", "max_tokens": 2, "stream": true}', b"data: ", "stall:1e6")
for x in ask('{"prompt": "a", "max_tokens": 9, "stream": true}', b"data: ", "stall:0"):
    x.close()
os.kill(int(sys.argv[2]), signal.SIGTERM)
assert b"[DONE]" in held[1].read()
END
		grep -q ',cancelled,' "$d/live.csv" && replays "$d/c.ini"
}
t 'the law: a client that gives up at the end' given_up

starts() {
	: >"$d/out"
	"$s" serve "$d/c.ini" --listen 127.0.0.1:0 --set serve.startup_s=1000 >"$d/out" 2>"$d/err" &
	server=$!
	await $server "$d/out" serving && python3 - "$(port_of "$d/out")" <<'END' && end_server
import http.client, sys
def ask(method, path, body=None):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    c.request(method, path, body, {"Content-Type": "application/json"})
    r = c.getresponse()
    r.read()
    return r.status, r.getheader("Retry-After")
late = (503, "1")
assert ask("GET", "/health") == late and ask("GET", "/ping") == late
assert ask("POST", "/v1/completions", '{"prompt": "a"}') == late
assert all(ask("GET", path) == (200, None) for path in ("/v1/models", "/metrics", "/version", "/stepcost/state"))
END
}
t 'until it is ready it says so, and it ends' starts

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
	serve "$d/c.ini" || return 1
	"$s" serve "$d/c.ini" --listen "127.0.0.1:$port" 2>"$d/o2"
	[ $? = 2 ] && grep -q 'Address already in use' "$d/o2" && end_server
}
t 'a port in use is refused' in_use
t 'a key of [serve] is checked' sh -c "! '$s' run '$d/c.ini' --set serve.sped=3 2>'$d/o'; grep -q \"did you mean 'speed'\" '$d/o'"
t 'other commands take the section' sh -c "'$s' run '$d/c.ini' --set workload.num_requests=3 --set workload.input_tokens=9 --set workload.output_tokens=9 --set workload.request_rate=1 >'$d/o'"
tap_done
