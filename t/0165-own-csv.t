#!/bin/sh
# A CSV file of one's own as a workload, by the columns that the user names.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
: "${STEPCOST_DATA_PATH:=$(cd "$top_srcdir" && pwd)}"; export STEPCOST_DATA_PATH
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
cd "$tap_tmp" || exit 1
says() { # CODE WANT COMMAND...: exits with CODE, and has WANT in its output
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; echo "exit $got"
	[ $got -eq "$code" ] && grep -qF -- "$want" out
}
info() { # CODE WANT COLUMNS [OPTION...]
	code=$1 want=$2 columns=$3; shift 3
	says "$code" "$want" "$host" trace info own.csv --set "workload.columns=$columns" "$@"
}
printf '\357\273\277Arrival Time;"Prompt tokens";reply tokens;model\r\n10,5;100;20;a\r\n12,5;200;30;b\r\n11,5;300;40;a\r\n' >own.csv
all='time:Arrival Time@s, input:Prompt tokens, output:reply tokens'

t 'without columns the line to write is shown' says 3 \
	"own.csv:1: its columns are not those of a known format; write [workload] columns = time:Arrival Time, input:Prompt tokens, output:reply tokens; the file has: Arrival Time, Prompt tokens, reply tokens, model" \
	"$host" trace info own.csv
line=$("$host" trace info own.csv 2>&1 | sed 's/.*columns = //; s/; the file.*//')
t 'and works as it is' info 0 'requests                   3' "$line"
t 'trace info says what was understood' info 0 "columns                    $all" "$all"
t 'also in JSON' info 0 "\"columns\": \"$all\"," "$all" --format json
t 'the unit is guessed' info 0 'columns                    time:Arrival Time@s, ' 'time:Arrival Time, input:Prompt tokens, output:reply tokens'
t 'and a note says so' info 0 "the unit of column 'Arrival Time' is guessed: s; write time:Arrival Time@s" 'time:Arrival Time, input:Prompt tokens, output:reply tokens'
t 'a span' info 0 'span_s                     2' "$all"
t 'another unit' info 0 'span_s                     0.002' 'time:Arrival Time@ms, input:Prompt tokens, output:reply tokens'
t 'lengths alone' info 0 '"span_s": null,' 'input:Prompt tokens, output:reply tokens' --format json
t 'a near name' info 3 "own.csv:1: no column Prompt token (did you mean 'Prompt tokens'?); the file has: Arrival Time, Prompt tokens, reply tokens, model" 'input:Prompt token, output:reply tokens'
t 'a rate that no service has' info 0 '1e+06 requests/s is more than a service gets: the time is probably in s, not in us' 'time:Arrival Time@us, input:Prompt tokens, output:reply tokens'
t 'a role that there is not' info 2 "no role 'prompt'" 'prompt:Prompt tokens, output:reply tokens'
t 'two ways to name the columns' info 2 'format = azure names the columns itself' "$all" --set workload.format=azure

printf 't,in,out\n"2026-11-02 09:00:00,024",10,20\n2026-11-02 09:00:01.024,10,20\n' >logged.csv
t 'a comma before the fraction of a date' says 0 'span_s                     1' "$host" trace info logged.csv --set 'workload.columns=time:t@date, input:in, output:out'

cat >c.ini <<'END'
[hardware]
config = h100-sxm
[model]
config = llama-3.1-8b
[cost_model]
plugin = const_step
base_us = 5000
[workload]
trace = own.csv
columns = time:Arrival Time@s, input:Prompt tokens, output:reply tokens
END
reads() { "$host" run c.ini --all >out 2>&1; cat out; tr -s ' \n' ' ' <out | grep -qF "columns = $all"; }
t 'a configuration reads it' reads
sed -i 's/^columns = .*/columns = time:Arrival Time@sec, input:a, output:b/' c.ini
t 'an error names the line' says 2 'c.ini:10: columns = time:Arrival Time@sec' "$host" run c.ini
sed -i "s/^columns = .*/columns = $all/" c.ini

# Points of a sweep that differ in the columns have requests of their own.
swap='input:reply tokens, output:Prompt tokens, time:Arrival Time@s'
t 'a sweep over columns' "$host" sweep c.ini --quiet --axis "workload.columns=$all;$swap" --store s.db
t 'has requests of its own at each point' sh -c "'$host' sweep show s.db --format csv | tee rows; grep -q ',600,90,' rows && grep -q ',90,600,' rows"
tap_done
