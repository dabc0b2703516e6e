#!/bin/sh
# doc/plugins.md is followed to the letter: its commands are run, its changes
# applied, and what it says they print is what they print ("..." stands for any
# lines).
. "${top_srcdir:-.}/t/lib/tap.sh"
doc=$top_srcdir/doc/plugins.md
PATH=$top_builddir:$PATH PKG_CONFIG_PATH=$top_builddir
export PATH PKG_CONFIG_PATH
for tool in pkg-config patch make; do
	command -v $tool >/dev/null 2>&1 || { echo "1..0 # SKIP no $tool"; exit 0; }
done
cd "$tap_tmp" || exit 1
n_commands=0 n_edited=0

# like FILE WANTED: the same lines; "..." in WANTED stands for any lines.
like() {
	awk 'NR == FNR { want[++n] = $0; next }
		{
			if (skip && i < n && $0 == want[i + 1]) skip = 0
			if (skip) next
			if (want[i + 1] == "..." && i < n) {
				skip = 1
				i++
				if (i < n && $0 == want[i + 1]) { skip = 0; i++ }
				next
			}
			if (i == n || $0 != want[++i]) { bad = 1; print "line " FNR ": " $0; exit }
		}
		END {
			while (i < n && want[i + 1] == "...") i++
			if (!bad && i < n) { bad = 1; print "missing: " want[i + 1] }
			exit bad
		}' "$2" "$1"
}
check() { # the command last run
	[ -n "${command-}" ] || return 0
	t "\$ $command" like "$tap_tmp/out" "$tap_tmp/wanted"
	command=
}
start() { # COMMAND: in this shell, since it may be cd
	command=$1 n_commands=$((n_commands + 1))
	: >"$tap_tmp/wanted"
	eval "$command" >"$tap_tmp/out" 2>&1
}

in=text
while IFS= read -r line; do
	case $in:$line in
	text:'```console') in=console ;;
	text:'```diff') in=diff; : >"$tap_tmp/diff" ;;
	console:'```') check; in=text ;;
	diff:'```')
		in=text
		t 'a change can be made as shown' patch -p0 -s -i "$tap_tmp/diff"
		n_edited=$((n_edited + $(grep -c '^+[^+]' "$tap_tmp/diff"))) ;;
	console:'$ '*) check; start "${line#\$ }" ;;
	console:*) printf '%s\n' "$line" >>"$tap_tmp/wanted" ;;
	diff:*) printf '%s\n' "$line" >>"$tap_tmp/diff" ;;
	esac
done <"$doc"
t "no more than 11 commands ($n_commands)" [ $n_commands -le 11 ]
t "no more than 10 edited lines ($n_edited)" [ $n_edited -le 10 ]
tap_done
