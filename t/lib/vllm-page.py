#!/usr/bin/env python3
"""vllm-page.py REQUESTS STEPS MODEL MAX_MODEL_LEN -- writes the page /metrics
that a vLLM server would have after the requests of a simulated run: the names,
labels and buckets of vllm/v1/metrics/loggers.py (0.15 and newer).  REQUESTS and
STEPS are what `stepcost run --write-requests --write-steps` wrote."""
import csv
import sys

TTFT = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5,
        5.0, 7.5, 10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0]
ITL = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0,
       7.5, 10.0, 20.0, 40.0, 80.0]
LATENCY = [0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0,
           60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0]


def lengths(limit):
    """1, 2, 5, 10, 20, 50 ... up to the limit."""
    edges, power = [], 1
    while True:
        for digit in (1, 2, 5):
            if digit * power > limit:
                return edges
            edges.append(float(digit * power))
        power *= 10


def gaps(steps):
    """Seconds between the tokens of a request, a step of drafts counted once."""
    last, found = {}, []
    for step in sorted(steps, key=lambda s: int(s['end_ns'])):
        for cell in filter(None, step['emitted'].split(';')):
            row = cell.split(':')[0]
            if row in last:
                found.append((int(step['end_ns']) - last[row]) / 1e9)
            last[row] = int(step['end_ns'])
    return found


def main():
    requests_path, steps_path, model, limit = sys.argv[1:]
    with open(requests_path, encoding='utf-8') as f:
        requests = [r for r in csv.DictReader(f) if r['status'] == 'completed']
    with open(steps_path, encoding='utf-8') as f:
        steps = list(csv.DictReader(f))
    labels = f'engine="0",model_name="{model}"'

    def head(name, kind, text):
        print(f'# HELP {name} {text}\n# TYPE {name} {kind}')

    def histogram(name, text, edges, values):
        name = 'vllm:' + name
        head(name, 'histogram', text)
        for edge in edges:
            n = sum(1 for v in values if v <= edge)
            print(f'{name}_bucket{{{labels},le="{edge}"}} {float(n)}')
        print(f'{name}_bucket{{{labels},le="+Inf"}} {float(len(values))}')
        print(f'{name}_count{{{labels}}} {float(len(values))}')
        print(f'{name}_sum{{{labels}}} {sum(values)!r}')

    head('vllm:num_requests_running', 'gauge', 'Number of requests in model execution batches.')
    print(f'vllm:num_requests_running{{{labels}}} 0.0')
    head('vllm:cache_config_info', 'gauge', 'Information of the LLMEngine CacheConfig')
    print('vllm:cache_config_info{block_size="16",cache_dtype="auto",enable_prefix_caching="True",'
          'engine="0",gpu_memory_utilization="0.9",kv_cache_memory_bytes="None",'
          'num_gpu_blocks="27000",num_gpu_blocks_override="None",sliding_window="None"} 1.0')
    prompt = [int(r['input_tokens']) for r in requests]
    output = [int(r['output_tokens']) for r in requests]
    cached = sum(int(r['cached_tokens']) for r in requests)
    for name, value, text in (('prompt_tokens', sum(prompt), 'Number of prefill tokens processed.'),
                              ('prompt_tokens_cached', cached, 'Number of cached prompt tokens.'),
                              ('generation_tokens', sum(output), 'Number of generation tokens.')):
        head('vllm:' + name, 'counter', text)
        print(f'vllm:{name}_total{{{labels}}} {float(value)}')
    histogram('request_prompt_tokens', 'Number of prefill tokens processed.',
              lengths(int(limit)), prompt)
    histogram('request_generation_tokens', 'Number of generation tokens processed.',
              lengths(int(limit)), output)
    histogram('time_to_first_token_seconds', 'Histogram of time to first token in seconds.', TTFT,
              [float(r['ttft_ms']) / 1e3 for r in requests])
    histogram('inter_token_latency_seconds', 'Histogram of inter-token latency in seconds.', ITL,
              gaps(steps))
    histogram('request_time_per_output_token_seconds',
              'Histogram of time_per_output_token_seconds per request.', ITL,
              [float(r['tpot_ms'] or 0) / 1e3 for r in requests])
    histogram('e2e_request_latency_seconds', 'Histogram of e2e request latency in seconds.',
              LATENCY, [float(r['e2el_ms']) / 1e3 for r in requests])
    histogram('request_queue_time_seconds',
              'Histogram of time spent in WAITING phase for request.', LATENCY,
              [(int(r['scheduled_ns']) - int(r['arrival_ns'])) / 1e9 for r in requests])


main()
