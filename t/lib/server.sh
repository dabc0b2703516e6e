# server.sh -- a server in the background of a script (after tap.sh).

# await PID FILE TEXT -- waits until the text is in the file: up to some minutes, as
# long as the process lives.
await() {
	tries=0
	until grep -q "$3" "$2" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] && kill -0 "$1" 2>/dev/null || { grep -q "$3" "$2"; return; }
		sleep 0.1
	done
}
# await_end PID -- waits until it is gone, up to some minutes.
await_end() {
	tries=0
	while kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		sleep 0.1
	done
}
# Prints the port that the server has named in the file; 1, a port that no program uses: none.
port_of() {
	named=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$1")
	echo "${named:-1}"
}
