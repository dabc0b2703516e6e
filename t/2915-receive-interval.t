#!/bin/sh
# SGLang's scheduler_recv_interval: random arrivals against a program written from
# the rule.  A step takes 1 ms whatever it holds, so times tell only when requests
# were looked for.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<'E'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = sglang
front_end = none
disable_radix_cache = true
disable_overlap_schedule = true
num_gpu_blocks = 100000
max_running_requests = 64
[workload]
trace = trace.csv
[cost_model]
plugin = const_step
base_us = 1000
per_token_us = 0
E
cat >reference.py <<'E'
import csv, random, subprocess, sys
host, interval, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
r = random.Random(seed)
n, at, requests = 40, 0, []
for i in range(n):
    at += r.choice((0, 300, 1700, 5300, 90000))
    requests.append([at, r.randint(4, 60)])
with open('trace.csv', 'w') as f:
    print('arrival_us,input_tokens,output_tokens', file=f)
    for a, out in requests: print(f'{a},16,{out}', file=f)
# Every pass: look, form, run.  Prompts go before decodes, alone.
first, now, passes, last, k = [None] * n, 0, 0, None, 0
waiting, running = [], []
while k < n or waiting or running:
    if last == 'none' and not waiting and not running: now = max(now, requests[k][0])
    if last: passes += 1000 if last == 'prompts' else 1
    if last in (None, 'none') or interval == 1 or passes >= interval:
        passes = 0
        while k < n and requests[k][0] <= now: waiting.append(k); k += 1
    if waiting:
        now += 1000
        for q in waiting: first[q] = now
        running += [[q, requests[q][1] - 1] for q in waiting]
        waiting, last = [], 'prompts'
    elif running:
        now += 1000
        for q in running: q[1] -= 1
        last = 'decodes'
    else: last = 'none'
    running = [q for q in running if q[1] > 0]
subprocess.run([host, 'run', 'c.ini', '--quiet', '--set', f'engine.scheduler_recv_interval={interval}',
                '--write-requests', 'out.csv', '--output', 'log'], check=True)
rows = sorted(csv.DictReader(open('out.csv')), key=lambda x: int(x['request']))
bad = [(i, 1e3 * float(x['ttft_ms']), first[i] - requests[i][0]) for i, x in enumerate(rows)
       if abs(1e3 * float(x['ttft_ms']) - (first[i] - requests[i][0])) > .5]
print(f'{len(rows)} requests, {len(bad)} differ: {bad[:5]}')
sys.exit(len(rows) != n or bool(bad))
E
for n in 1 2 7 30 999 1500; do
	t "an interval of $n" python3 reference.py "$host" "$n" "$n"
done
says() { # CODE WANT COMMAND...
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; echo "exit $got"; [ $got -eq "$code" ] && grep -qF -- "$want" out
}
# shellcheck disable=SC2086 # words
set_run() { "$host" run c.ini --quiet ${1:+--set $1} ${2:+--set $2} ${3:+--set $3}; }
t 'attention data parallelism takes an interval of 1 alone' says 2 'scheduler_recv_interval = 10: SGLang takes no more than 1 with data_parallel_size = 2' \
	set_run engine.scheduler_recv_interval=10 engine.data_parallel_size=2 model.config=qwen3-30b-a3b
sed -i '/^disable_/d; /^max_running/d; s/preset = sglang/preset = tensorrt_llm/' c.ini
t 'no other engine has it' says 2 'scheduler_recv_interval is a key of scheduler = sglang, not of tensorrt_llm' set_run engine.scheduler_recv_interval=10
tap_done
