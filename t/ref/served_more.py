"""Asks a server of `stepcost serve` with replicas on ports of their own, adapters
and pictures.

usage: served_more.py PORT WHAT      TAP lines without numbers"""
import http.client
import json
import re
import sys

PORT, WHAT = int(sys.argv[1]), sys.argv[2]


def ok(good, what, more=""):
    print(("ok - " if good else "not ok - ") + what)
    if not good:
        print("# %s" % str(more)[:500])


def ask(method, path, body=None, port=PORT, **headers):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=200)
    h = {k.replace("_", "-"): v for k, v in headers.items()}
    if body is not None:
        h["Content-Type"] = "application/json"
    c.request(method, path, json.dumps(body) if body is not None else None, h)
    r = c.getresponse()
    text = r.read().decode()
    return r.status, text, dict((k.lower(), v) for k, v in r.getheaders())


def get(name, page, **labels):
    """The value of a sample; None: it is not there."""
    for line in page.splitlines():
        m = re.fullmatch(r'%s(?:{(.*)})? (\S+)' % re.escape(name), line)
        if m and all('%s="%s"' % x in (m[1] or "") for x in labels.items()):
            return float(m[2])
    return None


def refused(answer, status, kind, word):
    e = json.loads(answer[1])["error"]
    return answer[0] == status and e["type"] == kind and word in e["message"] and e["code"] == status


PROMPT = {"prompt": "a b c " * 20, "max_tokens": 5}


def each():
    for i in range(3):
        s, text, h = ask("POST", "/v1/completions", PROMPT, PORT + i)
        ok(s == 200 and h["x-stepcost-replica"] == str(i), "port + %d is replica %d" % (i, i), (s, text, h))
        ok(ask("POST", "/v1/completions", PROMPT, PORT + i, X_data_parallel_rank="0")[0] == 200 and
           ask("POST", "/v1/completions", PROMPT, PORT + i, X_data_parallel_rank="1")[0] == 400,
           "its only rank is 0")
        page = ask("GET", "/metrics", port=PORT + i)[1]
        ok(get("vllm:request_success_total", page, engine="0", finished_reason="length") == 2 and
           'engine="1"' not in page, "its metrics are its own", page[:300])
    ok(json.loads(ask("POST", "/v1/completions", PROMPT)[1])["usage"]["prompt_tokens_details"]["cached_tokens"] > 0,
       "its cache is its own")
    ask("POST", "/reset_prefix_cache")
    cached = [json.loads(ask("POST", "/v1/completions", PROMPT, PORT + i)[1])["usage"]["prompt_tokens_details"]
              ["cached_tokens"] for i in range(2)]
    ok(cached[0] == 0 and cached[1] > 0, "a reset empties one cache", cached)
    ask("POST", "/sleep?level=0", port=PORT + 2)
    ok(ask("POST", "/v1/completions", PROMPT, PORT + 2)[0] == 503 and ask("POST", "/v1/completions", PROMPT)[0] == 200,
       "one sleeps alone")
    ask("POST", "/wake_up", port=PORT + 2)


def adapters():
    load, unload = "/v1/load_lora_adapter", "/v1/unload_lora_adapter"
    ok(ask("POST", load, {"lora_name": "x", "lora_path": "/no/such"})[:2] ==
       (200, "Success: LoRA adapter 'x' added successfully."), "an adapter is loaded")
    ok(refused(ask("POST", load, {"lora_name": "x", "lora_path": "y"}), 400, "InvalidUserInput", "already been loaded"),
       "once")
    ok(refused(ask("POST", load, {"lora_name": "y"}), 400, "InvalidUserInput", "must be provided"), "with a path")
    cards = json.loads(ask("GET", "/v1/models")[1])["data"]
    ok(cards[-1]["id"] == "x" and cards[-1]["parent"] == cards[0]["id"] and cards[-1]["max_model_len"] is None,
       "it is a model", cards)
    s, text, _ = ask("POST", "/v1/completions", {**PROMPT, "model": "x"})
    ok(s == 200 and json.loads(text)["model"] == "x", "it answers", text)
    page = ask("GET", "/metrics")[1]
    ok(get("vllm:lora_requests_info", page, max_lora="4", running_lora_adapters="", waiting_lora_adapters="") > 1e9,
       "adapters are in the metrics", page[-900:])
    ok(ask("POST", unload, {"lora_name": "x"})[:2] == (200, "Success: LoRA adapter 'x' removed successfully."),
       "it is unloaded")
    ok(refused(ask("POST", unload, {"lora_name": "x"}), 404, "NotFoundError", "cannot be found"), "once")
    ok(refused(ask("POST", unload, {}), 400, "InvalidUserInput", "lora_name"), "by its name")
    ok(ask("POST", "/v1/completions", {**PROMPT, "model": "x"})[0] == 404, "and is no model any more")
    bad = [ask("POST", load, {"lora_name": "n%d" % i, "lora_path": "p"})[0] for i in range(1030)]
    ok(bad.count(200) == 1024 and bad[-1] == 400, "at most 1,024", bad[-3:])


def pictures():
    def chat(*parts, **more):
        content = [{"type": "text", "text": "Look:"}, *parts, {"type": "text", "text": "What is it?"}]
        s, text, _ = ask("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": content}],
                                                          "max_tokens": 4, **more})
        return s, json.loads(text)
    none = chat()[1]["usage"]["prompt_tokens"]
    a = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    b = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    c = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    ok([chat(*x)[1]["usage"]["prompt_tokens"] - none for x in ([a], [a, b], [a, b, c])] == [70, 140, 210],
       "a picture or sound is so many tokens")
    cached = [chat(*x)[1]["usage"]["prompt_tokens_details"]["cached_tokens"] for x in ([a, b, c], [a, c, b], [c, b, a])]
    ok(cached[0] > cached[1] > cached[2], "what it shows tells prompts apart", cached)
    ok(chat({"type": "image_url", "image_url": {}})[0] == 400, "a picture without an address")
    s, d = chat(a, b, truncate_prompt_tokens=100)
    ok(s == 200 and d["usage"]["prompt_tokens"] == 100, "a prompt that is cut within a picture", d)


def chars():
    s, text, _ = ask("POST", "/tokenize", {"prompt": "abcdefgé" * 3})
    d = json.loads(text)
    ok(d["count"] == 7 and len(set(d["tokens"][1:])) == 2, "four characters are a token", d)
    ok(refused(ask("POST", "/detokenize", {"tokens": [1]}), 501, "NotImplementedError", "chars"), "there is no way back")
    ok(json.loads(ask("POST", "/v1/completions", PROMPT)[1])["usage"]["prompt_tokens"] == 31, "prompts are counted so")


def drafts():
    body = {"prompt": "a", "max_tokens": 200, "ignore_eos": True}
    ok(ask("POST", "/v1/completions", body)[0] == 200, "an answer with drafts")
    page = ask("GET", "/metrics")[1]
    n = [get("vllm:spec_decode_num_%s_total" % x, page, engine="0") for x in ("drafts", "draft_tokens",
                                                                              "accepted_tokens")]
    at = [get("vllm:spec_decode_num_accepted_tokens_per_pos_total", page, position=str(i)) for i in range(4)]
    ok(n[0] > 40 and n[1] == 3 * n[0] and n[2] == sum(at[:3]) and at[0] >= at[1] >= at[2] and at[3] is None,
       "drafts are counted", (n, at))
    ok(199 - 3 <= n[0] + n[2] <= 199 + 3, "each step gives its own token and those accepted", n)
    state = json.loads(ask("GET", "/stepcost/state")[1])
    r = state["arms"][0]["replicas"][0]
    ok(state["arms"][0]["tokens_per_s"] > 0 and r["step_ms"] > 0 and r["step_tokens"] > 0 and
       sum(state["arms"][0]["ttft"]["all"]) == 1 and sum(state["arms"][0]["tpot"]["all"]) == 1, "the page has histograms",
       state)


{"each": each, "adapters": adapters, "pictures": pictures, "chars": chars, "drafts": drafts}[WHAT]()
