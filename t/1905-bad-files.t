#!/bin/sh
# The bad files of t/bad: each is refused with the exit code and the words of
# FILE.message beside it.  A folder is a kind of input.
. "${top_srcdir:-.}/t/lib/tap.sh"
bad=$(cd "$top_srcdir/t/bad" && pwd)
host=$(cd "$top_builddir" && pwd)/stepcost
: "${STEPCOST_DATA_PATH:=$(cd "$top_srcdir" && pwd)}"; export STEPCOST_DATA_PATH
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
cd "$tap_tmp" || exit 1

read_it() { # KIND FILE: what reads it, as its name beside us
	case $1 in
	configuration) "$host" run "$2" ;;
	steps) "$host" eval "$STEPCOST_DATA_PATH/etc/check.ini" --steps "$2" ;;
	points) "$host" kernel "$STEPCOST_DATA_PATH/etc/quickstart.ini" --points "$2" --arms v2_fixed ;;
	trace) "$host" trace info "$2" --set workload.format="${2%%-*}" ;;
	model) "$host" model show "./$2" ;;
	measured) "$host" validate "$STEPCOST_DATA_PATH/etc/validate.ini" --arms smooth_roofline --measured "$2" ;;
	table) mkdir -p sets/mine && cp "$2" sets/mine/gemm.csv && "$host" tables check mine --path sets ;;
	esac
}
# What it says, without what grows with the shipped data, and the folders of
# this machine.
said() { # KIND FILE
	read_it "$1" "$2" 2>&1 </dev/null >stdout; code=$?
	[ "$1" != table ] || cat stdout
	echo "exit $code"
}
shown() { said "$@" | sed 's/; \(known\|supported\|allowed\): .*/; \1: .../; s|\.so in [^(]* (did|.so in ... (did|'; }
is_refused() { # KIND FILE
	cp "$bad/$1/$2" . && shown "$1" "$2" >got
	diff "$bad/$1/$2.message" got && grep -q '^exit [23]$' got
}
n=0
for kind in "$bad"/*/; do
	kind=$(basename "$kind")
	for file in "$bad/$kind"/*; do
		file=$(basename "$file")
		case $file in *.message) continue ;; esac
		n=$((n + 1))
		t "$kind: $file" is_refused "$kind" "$file"
	done
done
t 'there are many' [ "$n" -gt 80 ]
tap_done
