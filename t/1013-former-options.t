#!/bin/sh
# An option that is gone is refused by a sentence that says what does its work.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
gone() { # COMMAND OPTION WORD...: the sentence has the words
	command=$1 option=$2; shift 2
	# shellcheck disable=SC2086 # words
	"$host" $command "--$option" x >"$tap_tmp/said" 2>&1
	[ $? -eq 2 ] || { cat "$tap_tmp/said"; return 1; }
	for word in "stepcost: $command: there is no option --$option; " "$@"; do
		grep -qF -- "$word" "$tap_tmp/said" || { cat "$tap_tmp/said"; return 1; }
	done
	# shellcheck disable=SC2086
	! "$host" help $command | grep -qe "^  --$option "
}
while read -r command option word; do
	t "$command --$option" gone "$(echo "$command" | tr _ ' ')" "$option" "$word"
done <<'X'
capacity max-rejected goodput=SHARE
capacity alike 3 %
capacity until-told --precision
import_vllm seconds --since
recommend agree 5 %
recommend store --output
recommend shard --arms
recommend shards --arms
recommend slurm srun
recommend slurm-options srun
recommend slurm-dry-run srun
recommend exhaustive sweep --capacity
recommend verify sweep --capacity
sweep sample --points FILE.csv
sweep sample-seed --points FILE.csv
sweep strict-points sweep show
sweep_plot front-x sweep pareto
sweep_plot front-y sweep pareto
sweep_plot axes --where
X
t 'another command has its own' sh -c "'$host' sweep --store 2>&1 | grep -q -- '--store needs FILE.db'"
tap_done
