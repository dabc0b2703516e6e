#!/bin/sh
# help, manual pages and completion: all of them from the tables that parse.
. "${top_srcdir:-.}/t/lib/tap.sh"
build=$(cd "$top_builddir" && pwd)
host=$build/stepcost
cd "$tap_tmp" || exit 1
has() { # WANT COMMAND...
	want=$1; shift; "$@" >out 2>&1; cat out; grep -qF -- "$want" out
}
t 'help tells what else can be asked' has 'help engine' "$host" help
t '-h' has 'usage: stepcost COMMAND' "$host" -h
t '-V' has 'stepcost 0' "$host" -V
t '-h behind a command' has '--write-steps FILE' "$host" run -h
t 'a section' has 'max_num_batched_tokens' "$host" help engine
t "with other engines' names" has 'SGLang: max_running_requests.' "$host" help engine
t 'a key' has '[1, 65536]' "$host" help max_num_seqs
t 'a key of one section' has '[workload]' "$host" help workload.num_requests
t 'a key of many sections' test "$("$host" help config | grep -c '^\[')" -ge 2
t 'the commands that begin with a word' has 'plugins new NAME' "$host" help plugins
t "the same for programs" has '"name": "max_num_seqs", "type": "int"' "$host" help ini json
t 'those of a section, too' has 'tables list' "$host" help tables
t 'and its keys' has 'Folder of table sets.' "$host" help tables
t 'a command and the section of its name' has 'max_body ' "$host" help serve
t 'the words of results' has 'substituted: ' "$host" help glossary
t 'every verdict on a run among them' has 'stable, backlogged, overloaded: ' "$host" help glossary
t 'one of the words' has 'Time to the first token' "$host" help TTFT
t 'in small letters' has 'TTFT, TPOT, ITL, E2EL: ' "$host" help tpot
t 'a figure of the results' has 'doc/results.md lists' "$host" help mean_ttft_ms
t 'and the words in its name' has 'Time to the first token' "$host" help mean_ttft_ms
t 'where to begin' has 'How do I add a GPU?' "$host" help questions
no_help() { "$host" help "$1" 2>err; [ $? -eq 2 ] && cat err && grep -q "did you mean '$2'" err; }
t 'a key that is not quite one' no_help maxnumseqs max_num_seqs
t 'a command that is not quite one' no_help cmpare compare
pages() { # each page of doc/ that a question names is there
	"$host" help questions | grep -o 'More: .*' | sed 's/More: //' >pages
	[ -s pages ] && while read -r page; do [ -f "$top/$page" ] || { echo "$page"; return 1; }; done <pages
}
top=$(cd "$OLDPWD" && cd "$top_srcdir" && pwd)
t 'questions name pages that there are' pages

# --- manual pages -------------------------------------------------------------------
"$host" help | sed -n '/^  [a-z]/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\).*/\1/p' | grep -v '^help' >named
commands() { # the words of a line that are a command
	while read -r first second; do
		"$host" help man "$first" "$second" >/dev/null 2>&1 && { echo "$first $second"; continue; }
		echo "$first"
	done <named | sort -u
}
commands >commands
t 'there are commands' test "$(wc -l <commands)" -ge 20
every_page() {
	while read -r command; do
		page=$build/man/stepcost-$(echo "$command" | tr ' ' -).1
		# shellcheck disable=SC2086 # words
		"$host" help man $command | cmp - "$page" || return 1
		"$host" help $command | sed -n 's/^  --\([a-z-]*\).*/\1/p' >options
		[ -s options ] || return 1
		while read -r option; do
			grep -qF "\\-\\-$(echo "$option" | sed 's/-/\\-/g')" "$page" || { echo "$command: --$option"; return 1; }
		done <options
	done <commands
}
t 'each command has a page with all its options' every_page
every_key() {
	"$host" help ini | sed -n 's/^  \([a-z][a-z0-9_]*\)  *[=(].*/\1/p' | sort -u >keys
	sed -n 's/^\\fB\([a-z0-9_]*\)\\fR = .*/\1/p' "$build/man/stepcost.ini.5" | sort -u >in_page
	[ "$(wc -l <keys)" -ge 100 ] && diff keys in_page
}
t 'stepcost.ini(5) has every key' every_key
unset_keys() { # every key of the reference is one that --set takes
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model]\nplugin = const_step\n' >c.ini
	for key in $("$host" help engine | sed -n 's/^  \([a-z][a-z0-9_]*\)  *=.*/\1/p'); do
		"$host" run c.ini --set "engine.$key=" 2>err >/dev/null
		! grep -q 'unknown key' err || { cat err; return 1; }
	done
}
t 'and each can be set' unset_keys
if command -v groff >/dev/null 2>&1; then
	lint() { groff -k -man -ww -z "$@" 2>&1 | grep -v "can't break line\|cannot adjust line\|cannot break line" | tee lint; [ ! -s lint ]; }
	t 'groff has nothing to say about them' lint "$build"/man/*.[15]
else
	skip 'groff has nothing to say about them' 'groff is not installed'
fi

# --- completion -----------------------------------------------------------------------
complete() { # WORD...: what bash offers for the last
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stepcost; printf "%s " "${COMPREPLY[@]}"' \
		"$build/completion/stepcost" "$@"
}
offers() { want=$1; shift; got=$(complete "$@"); echo "$got"; [ "$got" = "$want " ]; }
if command -v bash >/dev/null 2>&1; then
	t 'commands' offers 'compare' stepcost comp
	t 'second words' offers 'describe' stepcost plugins de
	t 'options' offers '--write-requests --write-steps --write-transfers --write-scaling --write-replicas --write-sessions' stepcost run c.ini --write
	t 'options of two words' offers '--axis' stepcost sweep --ax
	t 'what an option may be' offers 'json' stepcost run c.ini --format j
	t 'files' offers 'c.ini' stepcost run c.i
else
	skip 'completion in bash' 'bash is not installed'
fi
if command -v zsh >/dev/null 2>&1; then
	t 'zsh reads its own' zsh -n "$build/completion/_stepcost"
else
	skip 'zsh reads its own' 'zsh is not installed'
fi

# --- names as others spell them -----------------------------------------------------------
means() { "$host" run c.ini --set "$1" >out 2>&1; cat out; grep -q "did you mean '$2'" out; }
t "another engine's key" means engine.max_running_requests=8 max_num_seqs
t "and another's" means engine.max_batch_size=8 max_num_seqs
t 'a GPU' means hardware.config=H100 h100-sxm
t 'a model of a hub' means model.config=deepseek-community/DeepSeek-V3 deepseek-v3

# ---- where to begin: the examples of `stepcost` alone work as they are --------
start() { "$host" >out 2>&1; [ $? -eq 2 ] && sed -n 's/^           stepcost //p' out >examples && cat out && [ "$(wc -l <examples)" -ge 5 ]; }
t 'stepcost alone has an example of each first command' start
t 'in the order of need' [ "$(sed -n 's/^\(run\|compare\|validate\|capacity\|recommend\) .*/\1/p' out | tr '\n' ' ')" = 'run compare validate capacity recommend ' ]
example() { # as it is, but with few requests
	(cd "${STEPCOST_DATA_PATH:-$top_srcdir}" && eval "'$here/stepcost' $1 $few --quiet") >log2 2>&1; rc=$?; cat log2; [ $rc -le 1 ]
}
here=$(cd "$top_builddir" && pwd)
few='--set workload.num_requests=40'
for name in run compare; do t "the example of $name" example "$(grep "^$name " examples)"; done
few=
t 'the example of validate' example "$(grep '^validate ' examples)"
tap_done
