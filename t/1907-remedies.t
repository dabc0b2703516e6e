#!/bin/sh
# Wrong input of many kinds: each answer says what is wrong, where, and what to
# do. A row of the table: exit code|command|a pattern with the remedy.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_DATA_PATH=$(cd "$top_srcdir" && pwd); export STEPCOST_DATA_PATH
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
max_num_seqs = 8
[cost_model:a]
plugin = const_step
[cost_model:b]
plugin = const_step
base_us = 9000
[workload]
num_requests = 20
request_rate = 2
input_tokens = 100
output_tokens = 10
X
sed '/^\[model\]/,/^config/d' c.ini >nomodel.ini
sed 's/^max_num_seqs.*/prefill_replicas = 1/' c.ini >apart.ini
printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n9,20,3\n' >t.csv
printf 'step,decode,prefill,time_us\n0,64;128,0:512,100\n' >s.csv
printf 'step,decode,prefill\n' >header.csv
: >empty.csv; mkdir folder; echo '{"a":1}' >a.json; echo '{"a":1' >cut.json; printf 'a\0b\n' >nul.csv
lists='"output_lens":[10],"ttfts":[0.01],"itls":[[0.1]],"start_times":[0]'
run='"num_prompts":1,"completed":1,"request_rate":2,"duration":2,"mean_ttft_ms":20,"mean_tpot_ms":8'
echo "{\"model_id\":\"x/y\",$run,\"input_lens\":[\"ten\"],$lists}" >text.json
echo "{\"model_id\":\"x/y\",$run,\"input_lens\":[10],$lists}" >other.json

answers() { # CODE PATTERN COMMAND
	code=$1 pattern=$2
	eval "set -- $3"
	"$host" "$@" >out 2>err </dev/null; got=$?
	cat out err
	[ $got -eq "$code" ] && grep -qe "$pattern" err
}
while IFS='|' read -r code command pattern; do
	t "$command" answers "$code" "$pattern" "$command"
done <<'X'
2|validate c.ini --measured ''|--measured '': needs FILE
2|validate c.ini --measured t.cvs|t.cvs: No such file or directory (did you mean 't.csv'
2|validate c.ini --measured folder|folder: Is a directory; name a file in it
3|validate c.ini --measured nul.csv|nul.csv:1: has a NUL, so it is no text: name a CSV file
3|validate c.ini --measured empty.csv|empty.csv:1: is empty: .*make it again
3|validate c.ini --measured cut.json|cut.json:2: the file is cut short
3|validate c.ini --measured c.ini|c.ini:1: not JSON: .*a result of a benchmark program
3|validate c.ini --measured t.csv|t.csv:1: is neither a file of runs (.*nor of requests
3|validate c.ini --measured text.json|text.json:1: input_lens has no number for request 0; write one
2|validate c.ini --measured t.csv --fail-above ttft=-3|--fail-above ttft=-3: not METRIC=PERCENT, as in ttft=10.*0 or more
2|sweep shwo s.db|unknown command 'sweep shwo' (did you mean 'sweep show'
2|sweep c.ini --store x.db|needs --axis SECTION.KEY=VALUES or --points FILE.csv
2|sweep c.ini --store x.db --axis workload.request_rate=|an empty value; write values as a,b,c
2|sweep c.ini --store x.db --axis workload.request_rat=1,2|unknown key 'request_rat'.*did you mean 'request_rate'
2|sweep c.ini --store x.db --axis workload.request_rate=1,2,x|request_rate = x: not a number in
2|sweep c.ini --store folder/none/x.db --axis workload.request_rate=1,2|x.db.lock: No such file.*make its folder first
3|sweep show empty.csv|empty.csv: is empty, not a store
2|sweep show x.bd|x.bd: No such file
2|fit c.ini --steps s.csv --knobs base_us|one arm at a time; choose it with --arms; there are: a, b
3|fit c.ini --steps a.json --knobs base_us --arms a|a.json:1: not CSV: .*if it is JSON, write it as CSV
2|fit c.ini --steps s.csv --knobs base --arms a|base is no knob of const_step.*there are: base_us
3|fit c.ini --steps header.csv --knobs base_us --arms a|header.csv:1: no column time_us: .*add the measured time
3|eval c.ini --steps header.csv|header.csv has no steps: write one row
3|eval c.ini --steps t.csv|t.csv:1: a file of steps needs a column decode or prefill
3|trace info a.json|a.json:1: it is JSON, .*help workload.format lists them
3|trace info c.ini|c.ini:1: it is JSON, or an INI, .*help workload.format
3|trace info s.csv|s.csv:1: its columns are not those.*write \[workload\] columns =
2|compare c.ini --ablate a.foo|--ablate a.foo: not ARM.KNOB=VALUE,VALUE, as in
2|compare c.ini --ablate a.base_u=1,2|const_step has no knob 'base_u' (did you mean 'base_us'?); there are
2|compare c.ini --ablate x.base_us=1,2|c.ini has no arm or plugin 'x'; there are: a, b
2|compare c.ini --ablate a.base_us=1 --ablate a.base_us=3|--ablate is given twice; give it once
2|compare c.ini --swap a,x|--swap: no arm 'x' in c.ini
2|compare c.ini --fail-if 'ttft>3'|no metric 'ttft'; metrics are
2|compare c.ini --fail-if mean_ttft_ms|--fail-if mean_ttft_ms: not METRIC>LIMIT
1|compare c.ini --fail-if 'mean_ttft_ms>+3' --quiet|mean_ttft_ms is 9.575 under b and 0.150 under a
2|compare c.ini --seeds x|--seeds x: not a number from 1 to 1000, nor LOW..HIGH, as in 5..64
2|compare c.ini --plot x.bmp|x.bmp: a plot ends in .svg or .png
2|compare c.ini --html folder|cannot write folder: Is a directory; name a file in it
2|compare c.ini --html folder/none/x.html|cannot write .*make its folder first
2|compare c.ini --arms ''|--arms '': needs A,B
2|compare c.ini --arms x|no arm 'x' in c.ini; there are: a, b
2|compare c.ini --format xml|--format xml: not one of text
2|compare c.ini --set engine.tp=2|unknown key 'tp' in \[engine\] (did you mean 'tensor_parallel_size'
2|compare c.ini --set cost_model.base_us=3|\[cost_model\] needs plugin = NAME; a key of another arm
2|comapre c.ini|did you mean 'compare'
2|c.ini|is a configuration, not a command (did you mean 'run c.ini'
2|run c.ini --ablate a.base_us=1|unknown option --ablate; it is an option of compare
2|run c.ini --watch=x|--watch=x: .*as in --watch=3
2|run nomodel.ini|the size of the weights is unknown; add \[model\] config = NAME
2|run c.ini --set workload.trace=nowhere.csv|nowhere.csv: No such file or directory; name a file that is there
2|run c.ini --set hardware.config=h900|no 'h900.ini' in etc/hardware (did you mean 'h800'?); known: a10
2|capacity c.ini|needs --slo METRIC=MS
2|capacity c.ini --slo ttft_p99=500|no such latency; metrics are
2|capacity c.ini --slo ttft_p99_ms=5s|give a number of ms, without a unit: ttft_p99_ms=5000
2|capacity c.ini --slo goodput=0.95|no \[slo\] says which request is good; add one, as in --set slo.ttft_ms
2|capacity c.ini --slo ttft_p99_ms=5 --rate 1e9|--rate 1e9: more than 1e+07 requests/s, .*give requests a second
2|capacity c.ini --slo ttft_p99_ms=5 --rate 0|--rate 0: not requests/s above 0, nor the word trace
2|capacity c.ini --slo ttft_p99_ms=5 --try engine.max_num_seqs|needs NAME:SECTION.KEY=VALUE, as in tp2
2|capacity c.ini --slo ttft_p99_ms=5 --try a:|--try a:: needs NAME:SECTION.KEY=VALUE
2|recommend c.ini --slo ttft_p99_ms=5|needs --gpus N
2|recommend c.ini --slo ttft_p99_ms=5 --gpus 2,2|2 numbers, but 1 kind of GPU; --hardware A,B names the kinds
2|recommend c.ini --slo ttft_p99_ms=5 --gpus 2 --hardware h900|^stepcost: --hardware: config = h900: .*did you mean 'h800'
2|recommend c.ini --slo ttft_p99_ms=5 --gpus 2 --fix engine.foo|--fix engine.foo: no key that is tried; these are: engine.tensor_parallel_size
2|recommend c.ini --slo ttft_p99_ms=5 --gpus 2 --rate -1|--rate -1: not a number in
2|score c.ini --steps s.csv --fail-above mean=-3|--fail-above mean=-3: not FIGURE=PERCENT.*as in mean=10:decode
2|score c.ini --steps s.csv --by foo|--by foo: not regime, deployment
3|kernel c.ini --points t.csv|t.csv:1: column 'arrival_us' is not known.*columns are op,dtype
2|serve c.ini --port 80|there is no option --port; --listen HOST:PORT has it
2|serve c.ini --listen localhost:99999|localhost:99999: not HOST:PORT with .*PORT 0 to 65535
2|arena c.ini|\[arena\] has neither sets nor runs; name measured files
2|model show ./a.json --quiet --quiet=1|--quiet takes no value
2|model show empty.csv|for the file write ./empty.csv
2|models|stepcost help models lists
2|gpus|stepcost help gpus lists
2|plugins describe const_stop|did you mean 'const_step'?); stepcost plugins list has all
2|plugins check ./none.so|there is no file ./none.so; build it first
2|bundle x.stepcost -- nothing|no command nothing; write: stepcost bundle OUT.stepcost
2|help nothing_at_all|no help on 'nothing_at_all': a command, a section or key of the INI, models, gpus
X

says() { # PATTERN COMMAND...: its result has it
	pattern=$1; shift
	"$host" "$@" >out 2>err; cat out err
	tr '\n' ' ' <out | tr -s ' ' | grep -qe "$pattern"
}
t 'an unknown model of the file is named in the result' \
	says 'No model is known as x/y: \[model\] of the configuration is used' validate c.ini --measured other.json --quiet
t 'pools of a configuration do not stop the search' \
	says 'prefill_replicas = 1 is left out' recommend apart.ini --gpus 2 --rate 2 --slo ttft_p99_ms=500 --arms a --one-draw --quiet
t 'too small a GPU is not blamed on a file' says 'no configuration is possible: \[engine\] num_gpu_blocks' \
	recommend --slo ttft_p99_ms=5 --gpus 1 --model llama-3.1-405b --hardware l4 --input-tokens 9 --output-tokens 9 --arms operators
t 'models' says 'llama-3.1-8b  *meta-llama/Llama-3.1-8B' help models
t 'GPUs' says 'h100-sxm  *Hopper, 80 GiB, 3.35 TB/s' help gpus
t 'a group of commands has help' says 'model show NAME' model --help
gone() { # a reader that takes one line is no error
	mkfifo pipe
	head -1 <pipe >/dev/null &
	"$host" help engine >pipe 2>err; got=$?
	wait $!; cat err
	[ $got -eq 0 ] && [ ! -s err ]
}
t 'a reader that has seen enough' gone
tap_done
