# declared.sh -- for tests of what a cost model says of itself: in a folder of its own
# base.ini with an arm `a` of t/so/declares.c, needy.ini with one of t/so/needy.c, and
# steps.csv with one step.
. "${top_srcdir:-.}/t/lib/tap.sh"
export STEPCOST_PLUGIN_PATH="$top_builddir/.libs:$top_builddir/t/so/.libs"
sc=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >base.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 20
request_rate = 20
input_tokens = uniform:20,900
output_tokens = uniform:2,40
[cost_model:a]
plugin = declares
base_us = 6000
X
sed 's/plugin = declares/plugin = needy/; /base_us/d' base.ini >needy.ini
printf 'step,decode,prefill\n0,64,\n' >steps.csv
is_price() { # WANT ARGS: of the arm and the step in base.ini and steps.csv
	want=$1; shift
	got=$("$sc" eval base.ini --steps steps.csv --quiet "$@" 2>/dev/null | sed -n 2p | cut -d, -f2,3)
	[ "$got" = "$want" ] || { echo "$got, not $want"; return 1; }
}
fails() { # MESSAGE ARGS
	want=$1; shift
	"$sc" eval base.ini --steps steps.csv "$@" >out 2>err; [ $? -eq 2 ] && grep -qF "$want" err || { cat err; return 1; }
}
needy() { # CODE MESSAGE ARGS
	code=$1 want=$2; shift 2
	"$sc" eval needy.ini --steps steps.csv "$@" >out 2>err; got=$?
	[ $got -eq "$code" ] && { [ -z "$want" ] || grep -qF "$want" err; } || { echo "exit $got"; cat err; return 1; }
}
