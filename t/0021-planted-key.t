#!/bin/sh
# A key of [engine] is planted in a copy of the tree: with a row, its fields and a
# policy that reads it, everything follows; each part that is left out or wrong fails
# the build, t/engine/keys/rows or t/sim/engine_keys.  Only the files are compiled again
# that know struct engine.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v cc >/dev/null 2>&1 || { echo '1..0 # SKIP no cc'; exit 0; }
build=$(cd "$top_builddir" && pwd)
if grep -q __asan_init "$build/.libs/const_step.so"; then
	echo '1..0 # SKIP built with a sanitizer'; exit 0
fi
cp -R "$top_srcdir/src" "$top_srcdir/include" "$tap_tmp/" && mkdir "$tap_tmp/t" &&
	cp -R "$top_srcdir/t/lib" "$top_srcdir/t/engine" "$top_srcdir/t/sim" "$tap_tmp/t/" &&
	chmod -R u+w "$tap_tmp" && cd "$tap_tmp" || exit 1

# --- the plant ------------------------------------------------------------------------
row() { # PRESETS INTO [HELP]
	printf '    INT(planted, "0", 0, 9, "1", "%s", %s,\n\t%s),\n' "${3-Tokens of a chunk at most.}" "$1" "$2"
}
planted() { # ROW: rows.c with it
	row=$1 awk '/^    INT\(block_size, "16"/ { print ENVIRON["row"] } { print }' rows.c >src/engine/keys/rows.c
}
cp src/engine/keys/rows.c src/sim/policy/ideal.c .
whole=$(row PLAIN 'COPIED(planted, SCHEDULE)')
fields() {
	sed -i 's/^struct engine_keys {$/&\n\tint64_t planted;/' src/engine/keys/engine_keys.h
	sed -i 's/^struct engine {$/&\n\tuint32_t planted;/' src/engine/engine.h
	grep -c '	int64_t planted;' src/engine/keys/engine_keys.h && grep -c '	uint32_t planted;' src/engine/engine.h
}
reader() {
	sed 's/^	uint32_t most = s->is.e->long_prefill_token_threshold;$/	uint32_t most = s->is.e->planted ? s->is.e->planted : s->is.e->long_prefill_token_threshold;/' ideal.c >src/sim/policy/ideal.c
	! cmp ideal.c src/sim/policy/ideal.c
}

# --- the build ------------------------------------------------------------------------
cc_() {
	cc -O0 -w -include config.h '-DSC_PLUGINDIR="/nowhere"' '-DSC_DATADIR="/nowhere"' -I"$build" \
		-I"$tap_tmp/include" -I"$tap_tmp/src" -I"$tap_tmp/t/lib" "$@"
}
compiled() { # FILE.c...: of one folder, to objects beside them
	for file; do set -- "$@" "${file##*/}"; shift; done
	(cd "${file%/*}" && cc_ -c "$@")
}
knows_engine() { # the sources that include one of the changed headers; the other objects: to "old"
	: >old
	find "$build/src" -name '*.Po' | while read -r deps; do
		object=${deps##*/} room=${deps%/.deps/*}
		object=${object%.Po} room=src${room#"$build/src"}
		source=$room/${object#lib*_a-}.c
		[ -e "$source" ] || continue
		if grep -qE 'engine/(engine|keys/engine_keys|keys/rows)\.h' "$deps"; then echo "$source"
		else echo "${deps%/.deps/*}/$object.o" >>old; fi
	done | sort
}
libraries=$(top_builddir=$build; build_libraries)
all_compiled() {
	knows_engine >new && sed 's|/[^/]*$||' new | sort -u | while read -r folder; do
		# shellcheck disable=SC2046 # paths without spaces
		compiled $(grep "^$folder/[^/]*$" new) || exit 1
	done || return 1
	[ "$(find src -name '*.c' | wc -l)" -eq "$(($(wc -l <new) + $(wc -l <old)))" ] || { echo 'sources that have no object'; return 1; }
	# shellcheck disable=SC2046
	ar rc others.a $(grep -v '/cmd/' old) $(grep -vE '/cmd/|/rows\.c|/ideal\.c' new | sed 's/c$/o/') || return 1
	for test in engine/keys/rows sim/engine_keys lib/units; do
		cc_ -c -o "t/$test.o" "t/$test.c" || return 1
	done
}
tested() { # ROW: the plant is compiled, and both tests say yes
	planted "$1" && compiled src/engine/keys/rows.c || return 1
	for program in engine/keys/rows sim/engine_keys; do
		# shellcheck disable=SC2086
		cc -fno-lto -s -o "t/$program" "t/$program.o" t/lib/units.o src/engine/keys/rows.o src/sim/policy/ideal.o others.a others.a $libraries || return 1
		# t/engine/keys/rows does not read it.
		"t/$program" planted >said 2>&1 || { grep -v '^ok' said; return 1; }
	done
}
fails() { # WANT ROW: it does not, and says why
	tested "$2" >out 2>&1 && return 1
	cat out; grep -qE -- "$1" out
}

t 'without fields the row is not compiled' fails "has no member named .planted|no member .planted" "$whole"
t 'fields' fields
t 'a policy that reads it' reader
t 'what knows struct engine is compiled again' all_compiled
t 'whole: both tests say yes' tested "$whole"
t 'no row' fails '^not ok' ''
t 'no help' fails '^not ok' "$(row PLAIN 'COPIED(planted, SCHEDULE)' '')"
t 'no presets' fails '^not ok' "$(row 0 'COPIED(planted, SCHEDULE)')"
t 'no copy' fails '^not ok .*planted is read' "$(row PLAIN 'READ_BY_ARM(SCHEDULE)')"
t 'another effect' fails 'planted = .* makes other steps' "$(row PLAIN 'COPIED(planted, PRICE)')"
t 'presets that do not read it' fails 'planted = .* changes nothing under sglang' "$(row ANY 'COPIED(planted, SCHEDULE)')"
t 'not the preset that reads it' fails '^not ok' "$(row VLLM 'COPIED(planted, SCHEDULE)')"
t 'no field in struct engine' fails 'no.* member .*planted' "$(row PLAIN 'COPIED(planted_too, SCHEDULE)')"
unread() {
	cp ideal.c src/sim/policy/ideal.c && compiled src/sim/policy/ideal.c && fails '^not ok .*planted is read' "$whole"
}
t 'no policy that reads it' unread

# --- what users meet ---------------------------------------------------------------------
host() {
	planted "$whole" && compiled src/engine/keys/rows.c && reader && compiled src/sim/policy/ideal.c &&
		cc -fno-lto -o host $(grep '/cmd/' old) $(grep '/cmd/' new | sed 's/c$/o/') src/engine/keys/rows.o src/sim/policy/ideal.o \
			others.a others.a $(top_builddir=$build; build_wraps) $libraries
}
t 'the program is linked' host
cat >two.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 40
request_rate = 20
input_tokens = 300
output_tokens = 30
[cost_model:one]
plugin = const_step
[cost_model:two]
plugin = const_step
engine.planted = 5
X
says() { # CODE WANT COMMAND...
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; echo "exit $got"; [ $got -eq "$code" ] && grep -qF -- "$want" out
}
t 'arms that differ in it have another schedule' says 0 'Its schedule differs: planted is' ./host compare two.ini --why
sed 's/planted = 5/planted = 0/' two.ini >same.ini
same() { ./host compare same.ini --why >out 2>&1 && cat out && ! grep -q 'schedule differs' out; }
t 'those that do not have the same' same
t 'results have it' says 0 '"planted": 5' ./host compare two.ini --arms two --format json
t 'help has it' says 0 'Tokens of a chunk at most.' ./host help engine
sed 's/^\[workload\]/[engine]\npreset = sglang\nplanted = 3\n&/; s/^engine.planted.*//' two.ini >refused.ini
t 'an engine that does not read it refuses it' says 2 'planted' ./host compare refused.ini
tap_done
