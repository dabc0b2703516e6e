#!/bin/sh
# --watch: again when the INI or a plugin changes, what that changed, and every
# output anew.  --make: builds the plugins when a source changes.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
mkdir so; cp "$top_builddir/t/so/.libs/known_cost.so" "$top_builddir/t/so/.libs/faulty.so" so/
STEPCOST_PLUGIN_PATH=$tap_tmp/so
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 20
request_rate = 4
input_tokens = constant:200
output_tokens = constant:20
[cost_model:a]
plugin = known_cost
base_us = 5000
[cost_model:b]
plugin = known_cost
base_us = 6000
X
# until_there FILE START N: waits for N lines with that start, 20 s at most.
seen() { grep "^$2" "$1" 2>/dev/null | wc -l; }
until_there() { i=0; while [ "$(seen "$1" "$2")" -lt "$3" ] && [ $i -lt 200 ]; do sleep 0.1; i=$((i + 1)); done; sleep 0.3; }
edit() { sed "$1" c.ini >d.ini && mv d.ini c.ini; }

timeout 60 "$host" compare c.ini --quiet --watch=3 >out 2>err & pid=$!
until_there out mean_ttft_ms 1
edit 's/6000/7000/'
until_there out '  b ' 1
edit 's/base_us = 7000/base_us = seven/'
until_there err stepcost: 1
edit 's/base_us = seven/base_us = 7000/'
wait $pid; code=$?
cat out err | sed 's/^/# /'
t 'ends after so many changes' [ $code -eq 0 ]
t 'the table, once' [ "$(grep -c '^mean_ttft_ms' out)" -eq 1 ]
t 'three changes' [ "$(grep -c '^changed: .*c.ini' out)" -eq 3 ]
t 'the arm that did not change' grep -q '^  a  *unchanged' out
t 'the one that did' grep -q '^  b  *mean ms:  TTFT .*  TPOT 6[0-9.]* -> 7[0-9.]* (+1[0-9.]* %)' out
t 'a broken INI is said, and waited over' grep -q 'c.ini:15: .*seven' err

# A plugin is built anew, and nothing else happens.
timeout 60 "$host" compare c.ini --quiet --watch=1 >out 2>err & pid=$!
until_there out mean_ttft_ms 1
if sed 's/total_us = k->base_us/total_us = 2 * k->base_us/' "$top_srcdir/t/so/known_cost.c" >known_cost.c &&
	cc -shared -fPIC -I"$top_srcdir/include" -o so/new known_cost.c 2>/dev/null; then now='.*TPOT 5[0-9.]* -> 1[0-9.]* (+[19][0-9.]* %)'
else now=unchanged; cp so/known_cost.so so/new; fi
mv so/new so/known_cost.so
wait $pid; code=$?
cat out err | sed 's/^/# /'
t 'a plugin that is built anew is noticed' grep -qx "changed: $tap_tmp/so/known_cost.so" out
t 'and is what runs' grep -q "^  a  $now" out
t 'that was all' [ $code -eq 0 ]

# The same for a plugin that the INI names by its file.
sed 's|^plugin = .*|plugin = ./so/known_cost.so|' c.ini >file.ini
timeout 60 "$host" compare file.ini --quiet --watch=1 >out 2>err & pid=$!
until_there out mean_ttft_ms 1
cp so/known_cost.so so/new; mv so/new so/known_cost.so
wait $pid
cat out err | sed 's/^/# /'
t 'a plugin by its file' grep -qx 'changed: .*/so/known_cost.so' out

# What else was asked for, each time.
timeout 60 "$host" compare c.ini --quiet --watch=1 --why --html page.html --write-steps steps.csv >out 2>err & pid=$!
until_there page.html '</body></html>' 1
t 'a page of the first run' grep -q '</html>' page.html
mv page.html first.html; mv steps.csv first.csv
edit 's/7000/8000/'
wait $pid
cat out err | sed 's/^/# /'
t 'a page of the second' sh -c "grep -q '</html>' page.html && ! cmp -s page.html first.html"
t 'and its steps' sh -c "[ -s steps.csv ] && ! cmp -s steps.csv first.csv"
t 'why, of both' [ "$(grep -c '^Why b is not a' out)" -eq 2 ]
t 'the changes come first' sh -c "sed -n '/^changed/,\$p' out | sed -n 2p | grep -q '^  a '"

# --make: builds first, builds again when a source changes, and runs nothing that
# was not built.
mkdir -p own/part
sed 's|^plugin = .*|plugin = ./known_cost.so|' c.ini >own/own.ini
echo 6000 >own/part/base.h; echo '#!/bin/sh' >own/known.py
cat >own/build.sh <<'X'
grep -q '^[0-9]*$' own/part/base.h || { echo "own/part/base.h: no number"; exit 1; }
[ ! -e own/slow ] || { echo $$ >own/pid; sleep 30; }
cp so/known_cost.so own/new && mv own/new own/known_cost.so
sed -i "s/^base_us = .*/base_us = $(cat own/part/base.h)/" own/own.ini
X
begin_make() { timeout 60 "$host" compare own/own.ini --watch="$1" --make 'sh own/build.sh' >out 2>err & pid=$!; }
begin_make 2
until_there out mean_ttft_ms 1
echo nine >own/part/base.h
until_there err 'stepcost: --make: ' 1
echo 9000 >own/part/base.h
wait $pid; code=$?
cat out err | sed 's/^/# /'
t 'the first run is of what was built first' [ -e own/known_cost.so ]
t 'sources are counted' grep -q '^stepcost: --make: [1-9].* watched' err
t 'a change of a source is told' [ "$(grep -c '^changed: .*own/part/base.h' out)" -eq 2 ]
t 'a failed build is shown' grep -qx 'own/part/base.h: no number' err
t 'with its command and exit code' grep -q "^stepcost: --make: 'sh own/build.sh' ended with exit code 1" err
t 'and nothing is run after it' [ "$(grep -c '^  b ' out)" -eq 1 ]
t 'a line for each arm' [ "$(grep -c '^  [ab]  .*TPOT [0-9.]* -> [0-9.]* (+[45][0-9.]* %)' out)" -eq 2 ]
t 'what the build writes is no further change' [ "$(grep -c '^changed' out)" -eq 2 ]
t 'the exit code is that of the last run' [ $code -eq 0 ]
printf 'one' >own/part/base.h
begin_make 0
wait $pid
t 'a build that fails at first leaves no table' sh -c '! grep -q mean_ttft_ms out && grep -q "ended with exit code 1" err'

# Ends with a signal, also while it builds, and leaves nothing behind.
echo 9000 >own/part/base.h; : >own/slow
"$host" compare own/own.ini --watch --make 'sh own/build.sh' >out 2>err & pid=$!
i=0; while [ ! -s own/pid ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
kill -TERM $pid; wait $pid; code=$?
t 'a signal ends it while it builds' [ $code -eq 143 ]
t 'and the build' sh -c "! kill -0 $(cat own/pid) 2>/dev/null || grep -q '^State:.*Z' /proc/$(cat own/pid)/status"
rm own/slow
"$host" compare own/own.ini --watch --make 'sh own/build.sh' >out 2>err & pid=$!
until_there out mean_ttft_ms 1
kill -TERM $pid; wait $pid; code=$?
t 'and while it waits' sh -c "[ $code -eq 143 ] && ! grep -qi 'fault\|error' err"
t '--make without --watch' sh -c '"$@" 2>&1 | grep -q "add --watch"' - "$host" compare c.ini --make true
mkdir empty && cp c.ini empty/
t 'no source: says where to start' sh -c 'cd empty && STEPCOST_PLUGIN_PATH=. && "$@" 2>&1 | grep -q "folder of the sources"' - "$host" compare c.ini --watch=0 --make true

# On standard output the whole result stands once; a file has that of the last.
timeout 60 "$host" compare c.ini --quiet --watch=1 --format json --output r.json >out 2>err & pid=$!
until_there r.json '}' 1
cp r.json first.json
edit 's/8000/9000/'
wait $pid
t 'results in a file are those of the last run' sh -c "grep -q '^}' r.json && ! cmp -s r.json first.json"
t 'and the changes are printed' grep -q '^  b .*TPOT .* -> ' out
tap_done
