#!/bin/sh
# Keys of [serve]: ports of their own, adapters, pictures, another token rule,
# drafts; and the law with each, with faults, a late start and rows of steps.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
python3 -c 'import asyncio, http.client' 2>/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
server_config 18000 <<'EOF'
[serve]
dev = true
EOF
# The replay of the record is the same, and has steps.
law() { replays "$d/c.ini" "$@" && [ "$(wc -l <"$d/run-steps.csv")" -gt 5 ]; }
# asked WHAT OPTION... -- its answers, then the law
asked() {
	asks=$1; shift
	t "$asks" recorded "$d/c.ini" --speed 20 "$@"
	timeout 600 python3 "$top_srcdir/t/ref/served_more.py" "$port" "$asks" >"$d/tap"
	t "$asks: all was asked" [ $? = 0 ]
	retell "$d/tap" "$asks: "
	t "$asks: it ends" end_server
	t "$asks: the law" law "$@"
}
asked each --set engine.replicas=3 --set serve.ports=each
asked adapters --set engine.enable_lora=true --set engine.max_loras=4 --set serve.runtime_lora=true
asked pictures --set serve.image_tokens=70
asked chars --set serve.tokens=chars:4
asked drafts --set engine.num_speculative_tokens=3 --set engine.synthetic_acceptance_rates=0.8,0.6,0.4

# clients OPTION... -- many clients with faults, some give up; then the law
clients() {
	recorded "$d/c.ini" --speed 100 "$@" || return 1
	timeout 600 python3 "$top_srcdir/t/ref/live.py" "$port" 80 5 0.6 faults || { end_server; return 1; }
	end_server && law "$@"
}
faults=serve.faults=429=0.05,500=0.05,503=0.05,reset=0.1,cut:3=0.2,stall:0.05=0.2
t 'the law with faults and a late start' clients --set $faults --set serve.startup_s=20
t 'the law with faults and few blocks' clients --set $faults --set engine.num_gpu_blocks=6000 \
	--set engine.max_num_batched_tokens=256
t 'the law when replicas fail' clients --set engine.replicas=2 --set serve.ports=each --set failures.at=0:30
t 'the configuration of the pod' sh -c "
	sed -n '/gateway.ini: |/,/^---/s/^    //p' '$top_srcdir/etc/serve/kubernetes.yaml' >'$d/pod.ini' &&
	POD_NAME=p '$s' serve '$d/pod.ini' --listen 127.0.0.1:0 --set serve.startup_s=0.01 --duration 0.1 | grep -q ready"
for bad in serve.tokens=tokenizer.json serve.tokens=chars:0 serve.runtime_lora=true 'serve.ports=each --listen unix:/x'; do
	# shellcheck disable=SC2086 # two words
	t "$bad is refused" sh -c "! '$s' serve '$d/c.ini' --set engine.replicas=2 --set $bad 2>'$d/o' && grep -q 'serve\.' '$d/o'"
done
# Another file at the path of a socket stays.
echo keep >"$d/file"
stays() { # OPTION...
	! "$s" serve "$d/c.ini" --duration 0.1 "$@" >"$d/o" 2>&1 && grep -q 'file: is there, and is no socket' "$d/o" && grep -qx keep "$d/file"
}
t 'a file at the path of a socket stays' stays --listen "unix:$d/file"
if "$s" serve "$d/c.ini" --listen 127.0.0.1:0 --duration 0.1 --set "serve.kv_events=ipc://$d/free" >"$d/o" 2>&1; then
	t 'and at that of events' stays --listen 127.0.0.1:0 --set "serve.kv_events=ipc://$d/file"
else
	skip 'and at that of events' 'no libzmq'
fi
left_socket() { python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$d/left" && "$s" serve "$d/c.ini" --listen "unix:$d/left" --duration 0.1 >"$d/o" 2>&1 && ! [ -e "$d/left" ]; }
t 'a socket that a server left is replaced' left_socket
two_servers() {
	: >"$d/out"
	"$s" serve "$d/c.ini" --listen "unix:$d/socket" >"$d/out" 2>"$d/err" &
	server=$!
	await $server "$d/out" ready || return 1
	! "$s" serve "$d/c.ini" --listen "unix:$d/socket" --duration 0.1 >"$d/o" 2>&1 && grep -q 'socket: another server listens there' "$d/o" && [ -S "$d/socket" ]
	code=$?
	end_server
	return $code
}
t 'that of a server that listens stays' two_servers
tap_done
