#!/bin/sh
# Configurations, plugins and data by name: the current folder, the user's own
# folder, the installed one.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
case $host in /*) ;; *) host=$PWD/$host ;; esac
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
: "${STEPCOST_DATA_PATH:=$(cd "$top_srcdir" && pwd)}"
shipped=$STEPCOST_DATA_PATH XDG_DATA_HOME=$tap_tmp/own
export STEPCOST_DATA_PATH XDG_DATA_HOME
cd "$tap_tmp" || exit 1
says() { # CODE WANT COMMAND...
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; [ $got -eq "$code" ] && grep -qF -- "$want" out
}
same() { "$host" "$@" --quiet >1.txt 2>&1 && cat 1.txt && cmp 1.txt by_path.txt; }
few='--set workload.num_requests=20'

# ---- configurations ------------------------------------------------------------
"$host" compare "$shipped/etc/quickstart.ini" $few --quiet >by_path.txt
t 'the file was compared' [ -s by_path.txt ]
t 'compare quickstart is the shipped file' same compare quickstart $few
"$host" eval "$shipped/etc/operators/qwen3-8b-h20.ini" --steps "$shipped/etc/operators/qwen3-8b-h20.csv" >by_path.txt
t 'those of etc/operators as well' same eval qwen3-8b-h20 --steps "$shipped/etc/operators/qwen3-8b-h20.csv"
t 'run' "$host" run quickstart $few
t 'capacity' "$host" capacity quickstart $few --slo ttft_p99_ms=1e6
t 'sweep' "$host" sweep quickstart $few --set workload.num_requests=5 --store s.db --axis workload.seed=1:2:1
printf 'op,dtype,m,n,k\ngemm,bf16,64,4096,4096\n' >p.csv
t 'kernel' says 0 gemm "$host" kernel quickstart --points p.csv
printf '[arrivals]\n' >m.csv
t 'validate and calibrate read it before the measurement' says 3 'm.csv' "$host" validate quickstart --measured m.csv
t 'plugins check --config' says 0 '1..' "$host" plugins check "${STEPCOST_PLUGIN_PATH%%:*}/const_step.so" --config check
mkdir -p data/etc && cp "$shipped/etc/quickstart.ini" data/etc/copy.ini
t 'an output that is the configuration is refused' says 2 data/etc/copy.ini env STEPCOST_DATA_PATH="data:$shipped" "$host" run copy --output data/etc/copy.ini
t 'the nearest is named' says 2 "no 'quikstart.ini' in this folder, etc or etc/operators (did you mean 'quickstart'?)" "$host" compare quikstart
t 'those that there are as well' says 2 'known: all-reduce, arena, check, ' "$host" compare nothing_like_it
t 'a path is a path' says 2 './quickstart: No such file' "$host" compare ./quickstart
t 'a name with .ini is one' says 2 'quickstart.ini: No such file' "$host" compare quickstart.ini
mkdir quickstart
"$host" compare "$shipped/etc/quickstart.ini" $few --quiet >by_path.txt
t 'a folder of that name is none' same compare quickstart $few
rmdir quickstart
mkdir -p own/stepcost/etc
echo '[own]' >own/stepcost/etc/mine.ini
t 'one of the user' says 2 'own/stepcost/etc/mine.ini' "$host" compare mine
echo '[own]' >own/stepcost/etc/quickstart.ini
t 'STEPCOST_DATA_PATH comes before it' same compare quickstart $few
t 'the user comes before what is installed' says 2 'own/stepcost/etc/quickstart.ini' env -u STEPCOST_DATA_PATH "$host" compare quickstart
echo '[here]' >quickstart.ini
t 'the current folder comes first' says 2 './quickstart.ini:' "$host" compare quickstart
echo '[exact]' >quickstart
t 'and in it a file of just that name' says 2 'quickstart:' "$host" compare quickstart
rm quickstart quickstart.ini

# ---- models of the user's ------------------------------------------------------
mkdir own/stepcost/etc/models own/stepcost/plugins
cp "$shipped/etc/models/qwen3-8b.ini" own/stepcost/etc/models/my_model.ini
cp "$shipped/etc/hardware/a10.ini" gpu.ini
t 'a path that --set says is from here' says 0 '1 gpu' "$host" run "$shipped/etc/quickstart.ini" --arms roofline_v1 $few --all --set hardware.config=./gpu.ini
t 'a model of the user' "$host" compare quickstart $few --set model.config=my_model

# ---- plugins -------------------------------------------------------------------
cp "$top_builddir/.libs/const_step.so" own/stepcost/plugins/ 2>/dev/null || cp "${STEPCOST_PLUGIN_PATH%%:*}/const_step.so" own/stepcost/plugins/
t 'no plugin' says 2 'in /nowhere, /no/stepcost/plugins, ' env XDG_DATA_HOME=/no STEPCOST_PLUGIN_PATH=/nowhere "$host" plugins describe const_step
t 'a plugin of the user' says 0 'const_step ' env STEPCOST_PLUGIN_PATH=/nowhere "$host" plugins describe const_step
t 'is listed' says 0 const_step env STEPCOST_PLUGIN_PATH=/nowhere "$host" plugins list
t 'STEPCOST_PLUGIN_PATH comes before it' says 0 "$tap_tmp/own/stepcost/plugins/const_step.so is not used" "$host" plugins describe const_step
t 'templates that are not installed' says 2 'on Debian, install libstepcost-dev' env XDG_DATA_HOME=/no STEPCOST_DATA_PATH="$tap_tmp" "$host" plugins new mine
tap_done
