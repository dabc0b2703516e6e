#!/bin/sh
# Texts that plugins and files name come back from CSV as they were: a comma, a
# quote or a newline moves no cell, and nothing begins as a formula.
. "${top_srcdir:-.}/t/lib/tap.sh"
if ! command -v python3 >/dev/null; then echo '1..0 # SKIP no python3'; exit 0; fi
host=$(cd "$top_builddir" && pwd)/stepcost
include=$(cd "$top_srcdir" && pwd)/include
plugins=$(cd "$top_builddir" && pwd)/.libs
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$(cd "$top_srcdir" && pwd)}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1
STEPCOST_PLUGIN_PATH=$tap_tmp:$plugins; export STEPCOST_PLUGIN_PATH
cat >odd.c <<'X'
#include <stdio.h>
#include "stepcost/plugin.h"
#define HOSTILE(what) "=" what "(), \"beta\"\nnext"
static const char *const choices[] = {"slow", "-1,\"2\"", NULL};
static const sc_knob pace = {.size = sizeof pace, .type = SC_KNOB_CHOICE, .offset = 0, .name = "pace", .def = "slow", .unit = HOSTILE("UNIT"), .help = HOSTILE("HELP"), .choices = choices};
static const sc_knob *const knob[] = {&pace};
static int32_t create(void **inst, const sc_setup *s, const void *k, sc_error *e) { (void)s; (void)k; (void)e; *inst = NULL; return SC_OK; }
static void destroy(void *inst) { (void)inst; }
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *e)
{
	(void)inst; (void)s;
#ifdef FAILS
	snprintf(e->text, sizeof e->text, "%s", HOSTILE("ERROR"));
	return SC_EINVAL;
#endif
	(void)e;
	out->total_us = 1000;
	return SC_OK;
}
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .name = NAME, .version = HOSTILE("VERSION"), .summary = HOSTILE("SUMMARY"),
	.n_knobs = 1, .knob = knob, .knob_block = 8, .create = create, .destroy = destroy, .eval = eval};
SC_PLUGIN_DEFINE(plugin);
X
made() { name=$1; shift; cc -shared -fPIC -I"$include" -D"NAME=\"$name\"" "$@" -o "$name.so" odd.c; }
if ! made odd; then echo '1..0 # SKIP no cc'; exit 0; fi
made fails -DFAILS || exit 1
cat >odd.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
trace = ./t.csv
[cost_model:odd]
plugin = odd
[cost_model:fails]
plugin = fails
X
cat >t.csv <<'X'
arrival_us,input_tokens,output_tokens,request_id
0,10,2,"'=HYPERLINK(""http://x"",""y"")"
10,10,2,"@a, ""b""
c"
20,10,2,-1+1
30,10,2,plain
X
cat >s.csv <<'X'
step,decode,prefill
"'=STEP(), ""a""",64,
"+b
c",64,
X
# A spreadsheet's view of a file: prints the cells of a column as Python does,
# and fails if a row has another length than the header or a cell that is no
# number begins a formula.
cat >cells.py <<'X'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline='')))
head, rows = rows[0], rows[1:]
def number(s):
    try: float(s); return True
    except ValueError: return False
for row in rows:
    if len(row) != len(head): sys.exit(f'{len(row)} cells, not {len(head)}: {row}')
    for cell in row:
        if cell[:1] in '=+-@\t\r' and cell and not number(cell): sys.exit(f'a formula: {cell}')
for row in rows: print(ascii(row[head.index(sys.argv[2])]))
X
# COLUMN WANT COMMAND...: the cells of its CSV hold WANT
holds() {
	column=$1 want=$2; shift 2; "$@" >out.csv 2>err; cat err
	python3 cells.py out.csv "$column" >cells || { cat cells; return 1; }
	cat cells; grep -qF -- "$want" cells
}
files_hold() { holds "$2" "$3" cat "$1"; }
hostile() { printf '%s' "\\'=$1(), \"beta\"\\nnext"; }
t 'list: version' holds version "$(hostile VERSION)" "$host" plugins list --format csv
t 'list: summary' holds summary "$(hostile SUMMARY)" "$host" plugins list --format csv
t 'describe: unit' holds unit "$(hostile UNIT)" "$host" plugins describe odd --format csv
t 'describe: help' holds help "$(hostile HELP)" "$host" plugins describe odd --format csv
t 'describe: choices' holds allowed 'slow' "$host" plugins describe odd --format csv
"$host" compare odd.ini --format csv --write-requests r.csv --write-steps w.csv >c.csv 2>err
t 'compare: version' files_hold c.csv version "$(hostile VERSION)"
t 'compare: error' files_hold c.csv error 'ERROR(), "beta"'
t 'requests: a formula' files_hold r.csv request_id "'=HYPERLINK(\"http://x\",\"y\")"
t 'requests: a newline' files_hold r.csv request_id "'@a, \"b\"\\nc"
t 'requests: a sum' files_hold r.csv request_id "'-1+1"
t 'requests: plain' files_hold r.csv request_id "'plain'"
t 'requests: all of them' [ "$(python3 cells.py r.csv request_id | wc -l)" -eq 4 ]
t 'steps of a run' files_hold w.csv arm "'odd'"
t 'eval: a formula' holds step "'=STEP(), \"a\"" "$host" eval odd.ini --arms odd --steps s.csv --format csv
t 'eval: a newline' holds step "'+b\\nc" "$host" eval odd.ini --arms odd --steps s.csv --format csv
t 'eval: error' holds arm "odd" "$host" eval odd.ini --steps s.csv --format csv

# the other writers, with what else a file names
mkdir -p 'bench_data/set,a' && cat >'bench_data/set,a/MANIFEST' <<'X'
gpu = test
source = =SOURCE(), "beta"
X
cat >'bench_data/set,a/gemm.csv' <<'X'
format,m,n,k,latency_us
bf16,1,64,64,1
bf16,1,64,64,9
X
cat >open.csv <<'X'
id,mode,arrival,model,gpu,gpu_count,tensor_parallel_size,engine,workload,concurrency,input_tokens,output_tokens,mean_ttft_ms,mean_tpot_ms,mean_e2el_ms,flags
"=ID(), ""beta""
next",agg,"closed loop, fixed concurrency",meta-llama/Llama-3.1-8B,H100-SXM-80GB,1,1,vllm,-WORKLOAD,1,32,4,10,10,50,
X
cat >many.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 4
input_tokens = constant:10
output_tokens = constant:2
arrival = poisson
request_rate = 1
[cost_model:odd]
plugin = odd
[cost_model:fails]
plugin = fails
X
t 'tables: source' holds source "$(hostile SOURCE | sed 's/.nnext//')" "$host" tables list --path bench_data --format csv
t 'tables: set' holds set "'set,a'" "$host" tables list --path bench_data --format csv
t 'tables check: set' holds set "'set,a'" "$host" tables check --path bench_data --format csv
t 'validate: a row' holds id "$(hostile ID)" "$host" validate many.ini --arms odd --measured open.csv --format csv
t 'validate: a workload' holds workload "'-WORKLOAD" "$host" validate many.ini --arms odd --measured open.csv --format csv
"$host" validate many.ini --arms odd --measured open.csv --write-requests r.csv --write-errors e.csv --rows rows.csv >/dev/null 2>err; cat err
t 'validate: requests' files_hold r.csv id "$(hostile ID)"
t 'validate: errors' files_hold e.csv version "$(hostile VERSION)"
t 'validate: rows' files_hold rows.csv id "$(hostile ID)"
t 'capacity: an error' holds error 'ERROR(), "beta"' "$host" capacity many.ini --slo 'e2el_p99_ms=1000' --format csv
"$host" sweep many.ini --axis workload.input_tokens=1,-5 --store s.db >out 2>&1
t 'sweep show: an error' holds error 'ERROR(), "beta"' "$host" sweep show s.db --format csv
t 'sweep show: the message of a bad axis' holds error "'--axis: input_tokens = -5" "$host" sweep show s.db --format csv
tap_done
