#!/bin/sh
# Every module has a test of its own: t/ROOM/NAME.c for src/ROOM/NAME.c, and
# t/ROOM/FOLDER/NAME.c for src/ROOM/FOLDER/NAME.c.  Those that lack one are
# listed here, each group with its reason.  The list may only shrink, but a new
# command is added to it, because a script tests commands.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
lacking='
# To be written: scripts test them.
api/chat
api/error
api/plan
api/serve_keys
arm/arm
arm/key_tables
arm/known_plugins
arm/process
arm/provenance
arm/run
arm/variants
cmd/allocations
cmd/arena
cmd/bundle/bundle
cmd/bundle/bundle_run
cmd/bundle/bundle_show
cmd/bundle/contents
cmd/capacity
cmd/cmd
cmd/commands
cmd/commit
cmd/compare
cmd/dispatch
cmd/eval
cmd/experiment/experiment
cmd/experiment/experiment_file
cmd/experiment/experiment_list
cmd/fit
cmd/fit_measured
cmd/former_options
cmd/help
cmd/import/import
cmd/import/import_launch
cmd/import/import_steps
cmd/kernel
cmd/kernel_against
cmd/main
cmd/model
cmd/oracle
cmd/output/command_files
cmd/output/outputs
cmd/plugins/plugins
cmd/plugins/plugins_check
cmd/plugins/plugins_new
cmd/pricing
cmd/recommend/emit
cmd/recommend/options
cmd/recommend/recommend
cmd/run
cmd/score
cmd/serve
cmd/step_set
cmd/study
cmd/study_output
cmd/sweep/sweep
cmd/sweep/sweep_check
cmd/sweep/sweep_effects
cmd/sweep/sweep_merge
cmd/sweep/sweep_pareto
cmd/sweep/sweep_plot
cmd/sweep/sweep_rows
cmd/sweep/sweep_show
cmd/sweep/sweep_slurm
cmd/tables
cmd/thresholds
cmd/trace
cmd/validate
cmd/validate_page
cmd/watch
draw/heatmap
experiment/experiment
experiment/run
experiment/scope
live/child
live/live
model/hf_config
model/hf_family
model/hf_reader
oracle/batch
oracle/pricer
plugin/checks
plugin/checks_bits
plugin/checks_effects
plugin/checks_figures
plugin/checks_kernels
plugin/checks_knobs
plugin/checks_work
plugin/conformance
plugin/forbidden_calls
plugin/installed
plugin/scaffold
plugin/subject
record/figures
record/recorder
record/steplog
record/timeline
report/capacity
report/document_html
report/document_text
report/experiment
report/explain/explain_document
report/explain/explain_json
report/explain/swap
report/findings
report/help/completion
report/help/find
report/help/keys
report/help/manual
report/help/reference
report/help/reference_tables
report/help/shipped
report/kernel_plot
report/model
report/page/page
report/page/page_replicas
report/plugins
report/results/results_csv
report/results/results_details
report/results/results_document
report/results/results_json
report/results/simulated
report/score/fit
report/score/score_data
report/score/score_document
report/score/score_figures
report/sweep/sweep_choice
report/sweep/sweep_data
report/sweep/sweep_page
report/sweep/sweep_pareto_rows
report/sweep/sweep_progress
report/sweep/sweep_table
report/tables
report/trace
report/validation/coverage
report/validation/explain
report/validation/scatter
report/validation/validation_csv
report/validation/validation_document
report/validation/validation_json
serve/adapters
serve/endpoints
serve/flight
serve/header
serve/http
serve/listen
serve/measures
serve/mhd
serve/page
serve/post
serve/publisher
serve/run
serve/status
serve/submit
serve/zmq
sim/hand_out
sim/policy/fast_decodes
sim/routing
steps/fit
steps/fit_job
steps/score
steps/score_price
study/arm_keys
sweep/key
sweep/run
sweep/sweep
sweep/work
tables/check_grid
tables/check_mfu
tables/checked_table
trust/place
validate/replay/protocol
validate/replay/row_replay
validate/replay/row_replay_requests
validate/replay/row_replay_run
validate/replay/row_replay_settings
workload/generate/arrival_keys
workload/trace/trace_csv
workload/trace/trace_document
workload/trace/trace_reader
# The stages of a capacity search simulate: t/1400-capacity.t.
capacity/capacity
capacity/carries
capacity/decision_inputs
capacity/deployment
capacity/deployment_search
capacity/excess
capacity/highest
capacity/least
capacity/run
capacity/settle
capacity/stages
capacity/stretches
'
modules() { find src -name '*.c' | LC_ALL=C sort | sed 's|^src/||; s|\.c$||' | grep .; }
listed() { printf '%s' "$lacking" | sed '/^#/d; /^$/d'; }
none() { # COMMAND...: prints nothing
	bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }
}
untested() {
	modules | while read -r m; do
		[ -e "t/$m.c" ] || listed | grep -qxF "$m" || echo "$m has no test t/$m.c"
	done
	[ "$(modules | wc -l)" -ge 300 ] || echo 'few modules were found'
}
t 'every module has a test of its own, or is listed' none untested
tested() {
	listed | while read -r m; do
		[ -e "src/$m.c" ] || echo "$m is no module: take it from the list"
		[ ! -e "t/$m.c" ] || echo "$m has a test: take it from the list"
	done
}
t 'and none that is listed has one' none tested
in_order() { # within its group
	printf '%s' "$lacking" | LC_ALL=C awk '/^#/ { last = ""; reason = 1; next } /^$/ { next }
		!reason { print $0 " has no reason above it" }
		last != "" && $0 <= last { print $0 " stands behind " last } { last = $0 }'
	listed | sort | uniq -d
}
t 'the list is in order, and gives reasons' none in_order
built() { # every test is also run
	modules | while read -r m; do
		[ ! -e "t/$m.c" ] || grep -qE "^	t/$m( \\\\)?\$" lists.am || echo "t/$m is not in lists.am"
	done
}
t 'every test is built' none built
twice() { ls t/[0-9]*.t | sed 's|^t/\([0-9]*\)-.*|\1|' | sort | uniq -d; }
t 'no two scripts have one number' none twice
unrunnable() { for f in t/[0-9]*.t; do [ -x "$f" ] || echo "$f is not executable: chmod +x"; done; }
t 'scripts can be run' none unrunnable
tap_done
