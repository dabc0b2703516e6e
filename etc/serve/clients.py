"""Clients of an OpenAI-compatible server, which send the requests of a simulated run
(`stepcost run --write-requests FILE`) at their times, and stream the answers.

usage: clients.py FILE [--url http://127.0.0.1:8000] [--speed 1] [--ports 1]
                  [--route round_robin|least_outstanding] [--retries 0] [--result FILE] [--model NAME]

With --ports N it is a router in front of N servers on consecutive ports.  A request
that gets no answer, an error, or half of one is sent again, to the next port, up to
--retries times.  --result writes the file that `vllm bench serve --save-result
--save-detailed` writes, with latencies in simulated time (times the speed)."""
import argparse
import asyncio
import csv
import json
import statistics
import time
import urllib.parse

p = argparse.ArgumentParser(usage=__doc__)
p.add_argument("file")
p.add_argument("--url", default="http://127.0.0.1:8000")
p.add_argument("--speed", type=float, default=1)
p.add_argument("--ports", type=int, default=1)
p.add_argument("--route", default="round_robin")
p.add_argument("--retries", type=int, default=0)
p.add_argument("--result")
p.add_argument("--model", default="model")
o = p.parse_args()
url = urllib.parse.urlsplit(o.url)
rows = list(csv.DictReader(open(o.file)))
outstanding, turn = [0] * o.ports, 0


def next_port():
    global turn
    turn += 1
    if o.route == "round_robin":
        return (turn - 1) % o.ports
    return min(range(o.ports), key=lambda i: (outstanding[i], i))


async def ask(port, body):
    """The times of the chunks; an OSError if the answer is not whole."""
    reader, writer = await asyncio.open_connection(url.hostname, (url.port or 80) + port)
    times, done = [], False
    try:
        data = json.dumps(body).encode()
        writer.write(b"POST /v1/completions HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\nConnection: close\r\n\r\n" % (url.netloc.encode(), len(data)) + data)
        status = await reader.readline()
        if b" 200 " not in status:
            raise OSError(status.decode().strip() or "no answer")
        while line := await reader.readline():
            if line.startswith(b"data: [DONE]"):
                done = True
            elif line.startswith(b"data: {") and b'"choices":[{' in line:
                times.append(time.monotonic())
    finally:
        writer.close()
    if not done:
        raise OSError("the answer broke off")
    return times


async def request(row, start):
    n_in, n_out = int(row["input_tokens"]), int(row["output_tokens"])
    at = start + int(row["arrival_ns"]) / 1e9 / o.speed
    await asyncio.sleep(max(0, at - time.monotonic()))
    began = time.monotonic()
    body = {"prompt": [hash((row["request"], i)) % 100000 for i in range(n_in)], "max_tokens": n_out,
            "ignore_eos": True, "temperature": 0, "stream": True, "stream_options": {"include_usage": True}}
    for attempt in range(o.retries + 1):
        port, error = next_port(), ""
        outstanding[port] += 1
        try:
            times = await ask(port, body)
            break
        except OSError as e:
            times, error = [], str(e) or type(e).__name__
        finally:
            outstanding[port] -= 1
    gaps = [(b - a) * o.speed for a, b in zip(times, times[1:])]
    return {"in": n_in, "out": n_out if times else 0, "ttft": (times[0] - began) * o.speed if times else 0,
            "itl": gaps, "start": (began - start) * o.speed, "end": (time.monotonic() - start) * o.speed,
            "error": error, "attempts": attempt + 1}


def summary(name, values):
    s = sorted(values) or [0]
    return {"mean_%s_ms" % name: statistics.mean(s), "median_%s_ms" % name: statistics.median(s),
            "std_%s_ms" % name: statistics.pstdev(s), "p99_%s_ms" % name: s[min(len(s) - 1, int(0.99 * len(s)))]}


async def main():
    start = time.monotonic() + 0.05
    done = await asyncio.gather(*(request(r, start) for r in rows))
    good = [d for d in done if not d["error"]]
    seconds = max(d["end"] for d in done)
    ttft = [1e3 * d["ttft"] for d in good]
    tpot = [1e3 * sum(d["itl"]) / (d["out"] - 1) for d in good if d["out"] > 1]
    result = {"date": time.strftime("%Y%m%d-%H%M%S"), "backend": "openai", "model_id": o.model, "num_prompts": len(rows),
              "request_rate": "inf", "max_concurrency": None, "duration": seconds, "completed": len(good),
              "failed": len(done) - len(good), "total_input_tokens": sum(d["in"] for d in good),
              "total_output_tokens": sum(d["out"] for d in good), "request_throughput": len(good) / seconds,
              "output_throughput": sum(d["out"] for d in good) / seconds,
              "total_token_throughput": sum(d["in"] + d["out"] for d in good) / seconds,
              "input_lens": [d["in"] for d in done], "output_lens": [d["out"] for d in done],
              "ttfts": [d["ttft"] for d in done], "itls": [d["itl"] for d in done],
              "start_times": [d["start"] for d in done], "errors": [d["error"] for d in done],
              **summary("ttft", ttft), **summary("tpot", tpot), **summary("itl", [1e3 * x for d in good for x in d["itl"]])}
    if o.result:
        json.dump(result, open(o.result, "w"))
    print("%d of %d answered, %d sent again, mean TTFT %.0f ms" %
          (len(good), len(done), sum(d["attempts"] - 1 for d in done), result["mean_ttft_ms"]))


asyncio.run(main())
