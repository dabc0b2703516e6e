"""Asks a server of `stepcost serve` for everything that has a fixed answer.

usage: served.py PORT      TAP lines without numbers: "ok - what" or "not ok - what" """
import http.client
import json
import socket
import sys
import time

PORT = int(sys.argv[1])


def ok(good, what, more=""):
    print(("ok - " if good else "not ok - ") + what)
    if not good:
        print("# %s" % str(more)[:500])


def ask(method, path, body=None, headers=None, text=None):
    c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=200)
    h = {"Content-Type": "application/json"} if body is not None or text is not None else {}
    h.update(headers or {})
    c.request(method, path, text if text is not None else json.dumps(body) if body is not None else None, h)
    r = c.getresponse()
    data = r.read().decode()
    return r.status, data, r


def post(path, body, **headers):
    s, d, r = ask("POST", path, body, {k.replace("_", "-"): v for k, v in headers.items()})
    return s, json.loads(d) if d else None, r


def error(what, path, body, status, kind, param=None, **headers):
    s, d, _ = post(path, body, **headers)
    e = d.get("error") if isinstance(d, dict) else None
    ok(s == status and isinstance(e, dict) and e["type"] == kind and e["param"] == param and e["code"] == status,
       "%s: %d, %s, %s" % (what, status, kind, param), (s, d))


def raw(data, wanted=None):
    """Returns the answer until the connection ends, or until `wanted` is in it."""
    s = socket.create_connection(("127.0.0.1", PORT), timeout=200)
    s.sendall(data)
    out = b""
    try:
        while not wanted or wanted not in out:
            more = s.recv(65536)
            if not more:
                break
            out += more
    except ConnectionError:
        out += b"(reset)"
    s.close()
    return out


def events(body, path="/v1/completions"):
    s, d, _ = ask("POST", path, body)
    return [x[6:] if x == "data: [DONE]" else json.loads(x[6:]) for x in d.split("\n\n") if x]


def plain():
    ok(ask("GET", "/health")[0] == 200 and ask("POST", "/ping")[0] == 200, "health")
    ok("version" in json.loads(ask("GET", "/version")[1]), "version")
    m = json.loads(ask("GET", "/v1/models")[1])
    ok(m["object"] == "list" and m["data"][0]["id"] == "first" and m["data"][1]["id"] == "second" and
       m["data"][0]["owned_by"] == "stepcost", "models", m)
    ok(ask("GET", "/nothing")[0] == 404 and ask("GET", "/v1/completions")[0] == 405 and
       ask("OPTIONS", "/v1/completions")[0] == 405, "other paths and methods")
    ok(ask("HEAD", "/health")[0] == 200, "HEAD")
    s, d, _ = post("/tokenize", {"prompt": "Hello there", "return_token_strs": True})
    ok(d["count"] == 3 and d["token_strs"] == ["<|begin|>", "Hello", " there"], "tokenize", d)
    s, back, _ = post("/detokenize", {"tokens": d["tokens"][1:]})
    ok(back == {"prompt": "Hello there"}, "detokenize", back)
    s, d, _ = post("/v1/chat/completions/render", {"messages": [{"role": "user", "content": "Hello there"}]})
    ok(len(d["token_ids"]) == 10 and d["request_id"].startswith("chatcmpl-"), "render", d)
    s, d, _ = post("/v1/completions/render", {"prompt": "a", "request_id": '"\\'})
    ok(d[0]["request_id"] == 'cmpl-"\\-0', "an id of any characters", d)
    ok("<title>" in ask("GET", "/")[1] and "fetch" in ask("GET", "/stepcost/page.js")[1], "the page")
    ok(json.loads(ask("GET", "/stepcost/state")[1])["arms"][0]["replicas"], "the state")


def answers():
    b = {"prompt": "Hello there", "max_tokens": 4, "seed": 1}
    s, d, r = post("/v1/completions", b, X_Request_Id="my-id")
    ok(d["id"] == "cmpl-my-id" and r.getheader("X-Request-Id") == "my-id" and
       r.getheader("X-Stepcost-Replica") == "0", "the request's own id", d)
    s, again, _ = post("/v1/completions", b)
    ok(d["choices"] == again["choices"], "equal prompt and seed, equal text")
    e = events(dict(b, stream=True, stream_options={"include_usage": True}))
    ok(len(e) == 6 and e[-1] == "[DONE]" and e[-2]["choices"] == [] and e[-2]["usage"]["completion_tokens"] == 4 and
       e[3]["choices"][0]["finish_reason"] == "length" and e[0]["choices"][0]["finish_reason"] is None, "a stream", e)
    ok("".join(x["choices"][0]["text"] for x in e[:4]) == d["choices"][0]["text"], "its text is that of the document")
    e = events({"messages": [{"role": "user", "content": "x"}], "max_tokens": 2, "n": 2, "stream": True},
               "/v1/chat/completions")
    ok([x["choices"][0]["index"] for x in e[:2]] == [0, 1] and e[0]["choices"][0]["delta"] ==
       {"role": "assistant", "content": ""} and len(e) == 7, "a chat of two choices", e)
    s, d, _ = post("/v1/completions", {"prompt": ["a", "b"], "n": 2, "max_tokens": 1, "echo": True})
    ok([c["index"] for c in d["choices"]] == [0, 1, 2, 3] and d["choices"][2]["text"].startswith("b") and
       d["usage"]["prompt_tokens"] == 4, "lists of prompts, choices, echo", d)
    s, d, _ = post("/v1/completions", {"prompt": "a", "max_tokens": 3, "return_token_ids": True})
    ok(len(d["choices"][0]["token_ids"]) == 3 and len(d["choices"][0]["prompt_token_ids"]) == 2, "token ids", d)


def errors():
    c, chat = "/v1/completions", "/v1/chat/completions"
    error("no messages", chat, {}, 400, "Bad Request", "body.messages")
    error("a wrong type", c, {"prompt": "a", "n": "x"}, 400, "Bad Request", "body.n")
    error("temperature", c, {"prompt": "a", "temperature": 9}, 400, "BadRequestError", "temperature")
    error("an unknown model", c, {"prompt": "a", "model": "x"}, 404, "NotFoundError", "model")
    error("too long", c, {"prompt": "a", "max_tokens": 131072}, 400, "BadRequestError", "input_tokens")
    error("a replica that is not there", c, {"prompt": "a"}, 400, "BadRequestError", None, X_data_parallel_rank="7")
    s, d, r = post(c, {"prompt": "a"}, X_Stepcost_Fault="429")
    ok(s == 429 and r.getheader("Retry-After") == "1" and d["error"]["type"] == "TooManyRequestsError", "a fault: 429", d)
    ok(post(c, {"prompt": "a"}, X_Stepcost_Fault="503")[0] == 503, "a fault: 503")
    ok(ask("POST", c, text='{"prompt": "a"}', headers={"Content-Type": "text/plain"})[0] == 400, "another content type")
    ok(ask("POST", c, text="\xff")[0] == 400, "no UTF-8")
    data = b'{"prompt": "a", "max_tokens": 9, "stream": true}'
    head = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    length = b"Content-Length: %d\r\n" % len(data)
    for fault, n in ((b"reset", 0), (b"cut:0", 0), (b"cut:3", 3)):
        out = raw(head + b"X-Stepcost-Fault: " + fault + b"\r\n" + length + b"\r\n" + data)
        ok(out.endswith(b"(reset)") and out.count(b"data: ") == n, "a fault: " + fault.decode(), out)
    talk = json.dumps({"messages": [{"role": "user", "content": "a"}], "n": 2, "stream": True}).encode()
    of_chat = head.replace(b"/completions", b"/chat/completions") + b"Content-Length: %d\r\n" % len(talk)
    out = raw(of_chat + b"X-Stepcost-Fault: cut:1\r\n\r\n" + talk)
    ok(out.endswith(b"(reset)") and out.count(b"data: ") == 1, "a chat that is cut", out)
    since = time.monotonic()
    out = raw(of_chat + b"X-Stepcost-Fault: stall:0.5\r\n\r\n" + talk, wanted=b"data: ")
    ok(time.monotonic() - since < 0.5 and out.count(b"data: ") == 1, "one event leaves before a stall", out)
    out = raw(head + length + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    ok(b" 400 " in out[:20], "a length and a coding", out)
    out = raw(head + length + length + b"\r\n" + data)
    ok(b" 400 " in out[:20], "two lengths", out)
    ok(b" 400 " in raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")[:20], "no Host")
    out = raw(head + length + b"Expect: 100-continue\r\n\r\n", wanted=b"\r\n\r\n")
    ok(b" 100 " in out[:20], "a client waits to be asked for its body", out)
    out = raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n" + data[:5] + b"\r\n%x\r\n" % (len(data) - 5) +
              data[5:] + b"\r\n0\r\n\r\n")
    ok(b" 200 " in out[:20] and b"[DONE]" in out, "a body in pieces", out)
    out = raw(head.replace(b"/1.1", b"/1.0") + length + b"\r\n" + data)
    ok(b"chunked" not in out and out.endswith(b"data: [DONE]\n\n"), "HTTP/1.0", out)
    get = b"GET /health HTTP/1.1\r\nHost: x\r\n"
    ok(raw(get + b"\r\n" + get + b"Connection: close\r\n\r\n").count(b" 200 ") == 2, "two requests on a connection")
    s, d, r = ask("GET", "/v1/completions", headers={"Accept-Encoding": "gzip"})
    ok(r.getheader("Allow") == "POST" and not r.getheader("Content-Encoding"), "what a path allows, uncoded")
    ok(ask("GET", "/stepcost/state", headers={"Origin": "http://elsewhere"})[0] == 403, "a page of another site")
    s, d, _ = post("/reset_prefix_cache", None)
    ok(s == 200 and d == {"success": True}, "the prefix cache is emptied", d)
    slept = ask("POST", "/sleep?level=1")[0], ask("GET", "/is_sleeping")[1], post(c, {"prompt": "a"})[0]
    woken = ask("POST", "/wake_up")[0], ask("GET", "/is_sleeping")[1], post(c, {"prompt": "a"})[0]
    ok(slept == (200, '{"is_sleeping":true}', 503) and woken == (200, '{"is_sleeping":false}', 200),
       "it sleeps and wakes", (slept, woken))


def metrics():
    page = ask("GET", "/metrics")[1]
    types = {x.split()[2]: x.split()[3] for x in page.splitlines() if x.startswith("# TYPE")}
    ok(sum(1 for x in types if x.startswith("vllm:")) == 33, "33 families of vLLM", sorted(types))
    samples = {x.rsplit(" ", 1)[0]: float(x.rsplit(" ", 1)[1]) for x in page.splitlines() if x and x[0] != "#"}
    label = '{engine="0",model_name="first"}'
    n = sum(v for k, v in samples.items() if k.startswith("vllm:request_success_total"))
    ok(n >= 10 and samples["vllm:e2e_request_latency_seconds_count" + label] == n -
       samples['vllm:request_success_total{engine="0",finished_reason="abort",model_name="first"}'],
       "requests are counted once", n)
    ok(samples["vllm:time_to_first_token_seconds_sum" + label] > 0 and
       samples["vllm:inter_token_latency_seconds_count" + label] > 0, "latencies")
    ok(samples["vllm:generation_tokens_total" + label] > 20 and samples["vllm:num_requests_running" + label] == 0, "tokens")
    ok(samples['stepcost:faults_total{fault="429"}'] == 1, "faults")


plain()
answers()
errors()
metrics()
