# sweep.sh -- what tests of sweeps have in common; after tap.sh.  From here on
# the working directory is $tap_tmp.
# shellcheck disable=SC2164 # absolute, as tests are run from elsewhere
top=$(cd "$top_srcdir" && pwd) build=$(cd "$top_builddir" && pwd)
host=$build/stepcost
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$top}
STEPCOST_PLUGIN_PATH=$build/.libs:$build/t/so/.libs
export STEPCOST_DATA_PATH STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
rows() { python3 "$top/t/lib/store.py" rows "$@"; }
same() { rows "$1" >rows.1 && rows "$2" >rows.2 && [ -s rows.1 ] && diff rows.1 rows.2; }
says() { # CODE TEXT COMMAND...
	code=$1 want=$2; shift 2; "$@" >said 2>&1; got=$?
	cat said; [ $got -eq "$code" ] && grep -qF -- "$want" said
}
is() { [ "$1" = "$2" ] || { echo "'$1', not '$2'"; return 1; }; }
serving() { # NUM_REQUESTS: a configuration without arms
	cat <<-INI
	[model]
	config = llama-3.1-8b
	[hardware]
	config = h100-sxm
	[workload]
	num_requests = $1
	request_rate = 10
	input_tokens = lognormal:mean=512,p50=400
	output_tokens = lognormal:mean=32,p50=25
	INI
}
