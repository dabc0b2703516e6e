#!/bin/sh
# Commands and options are few, and an option has an example in a page that runs
# (t/pages), so that a reader sees what it is for.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
none() { # COMMAND...: prints nothing
	bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }
}
commands() { "$host" help completion bash | sed -n "s/^	'\(.*\) --.*') values=.*/\1/p" | sort -u | grep .; }
options() { # each name once
	commands | while read -r command; do
		# shellcheck disable=SC2086 # several words
		"$host" help $command | sed -n 's/^  --\([a-z0-9-]*\).*/\1/p'
	done | sort -u
}
options >"$tap_tmp/options"
n=$(commands | sed 's/ .*//' | sort -u | wc -l)
t "commands: $n, at most 21" [ "$n" -ge 10 -a "$n" -le 21 ]
n=$(wc -l <"$tap_tmp/options")
t "options: $n, at most 125" [ "$n" -ge 80 -a "$n" -le 125 ]

# What a page runs: lines of blocks that begin with a command, and their next lines.
awk '/^```/ { on = !on; first = 1; next } on && first { runs = /^\$ /; first = 0 } on && runs' \
	"$top_srcdir"/README.md "$top_srcdir"/doc/*.md "$top_srcdir"/plugins/*/*.md >"$tap_tmp/runs"
without() { # OPTION...: those that no page runs
	for option; do grep -qE -e "--$option([^a-z0-9-]|\$)" "$tap_tmp/runs" || echo "$option"; done
}
# shellcheck disable=SC2046 # words
without $(cat "$tap_tmp/options") >"$tap_tmp/without"
exempt='help version in-process'
new() { # without an example, and not exempt
	for option in $(cat "$tap_tmp/without"); do
		case " $exempt " in *" $option "*) ;; *) echo "--$option" ;; esac
	done
}
t 'an option has an example in a page' none new
tap_done
