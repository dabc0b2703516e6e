#!/bin/sh
# KV events of `stepcost serve` over ZMQ: a subscriber follows the blocks of all
# replicas, with a model of its own; and asks for all batches again.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
python3 -c 'import ctypes; ctypes.CDLL("libzmq.so.5")' 2>/dev/null || { echo "1..0 # SKIP no python3 with libzmq"; exit 0; }
server_config 3000 <<'EOF'
num_gpu_blocks = 200
max_model_len = 2048
enable_lora = true
replicas = 2
[serve]
dev = true
speed = 20
lora_modules = adapter
image_tokens = 100
hash_seed = seed
kv_topic = kv@{port}@{rank}
EOF
# Free ports are drawn; another program may take one before the server does.
free() { python3 -c '
import socket
s = [socket.socket() for i in range(8)]
for x in s: x.bind(("127.0.0.1", 0))
p = sorted(x.getsockname()[1] for x in s)
print(p[0])'; }
follow() {
	form=$1; shift
	for try in 1 2 3 4 5; do
		events=$(($(free) % 20000 + 20000 + try)); replay=$((events + 10))
		serve "$d/c.ini" --set "serve.kv_events=tcp://127.0.0.1:$events" --set serve.kv_events_bind=true \
			--set "serve.kv_replay=tcp://127.0.0.1:$replay" "$@" && break
	done
	timeout 300 python3 "$top_srcdir/t/ref/kv_events.py" "$port" $events $replay 2 "$form"
	good=$?
	end_server && [ $good = 0 ]
}
t 'maps, with numbers' follow map
t 'arrays, with bytes; synchronous' follow array --set serve.kv_events_form=array --set serve.kv_hashes=bytes \
	--set engine.async_scheduling=false
sed '/lora/d' "$d/c.ini" >"$d/plain.ini"
for preset in sglang tensorrt_llm; do
	t "$preset has no such blocks" sh -c "! '$s' serve '$d/plain.ini' --listen 127.0.0.1:0 \
		--set engine.preset=$preset --set serve.kv_events=tcp://127.0.0.1:1 2>'$d/err' &&
		grep -q 'serve.kv_events: this engine' '$d/err'"
done
t 'an endpoint that cannot be' sh -c "! '$s' serve '$d/c.ini' --listen 127.0.0.1:0 --set serve.kv_events=nonsense 2>'$d/err' && grep -q nonsense '$d/err'"
tap_done
