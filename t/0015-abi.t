#!/bin/sh
# Cost models that were built for a release work with later ones: tools/abi.py
# recorded the interface of the release in t/abi/MAJOR.MINOR, and
# include/stepcost/plugin.h still has all of it.  Fields and constants may be
# added behind the others, with a new SC_ABI_MINOR.  A C program compares types,
# offsets, sizes and values; abidiff, where it is installed, compares the debug
# information of two objects.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v cc >/dev/null 2>&1 || { echo '1..0 # SKIP no cc'; exit 0; }
printf 'int main(void) { return sizeof(void *) != 8; }\n' >"$tap_tmp/wide.c"
{ cc -o "$tap_tmp/wide" "$tap_tmp/wide.c" && "$tap_tmp/wide"; } || { echo '1..0 # SKIP recorded for pointers of 64 bits'; exit 0; }
top=$(cd "$top_srcdir" && pwd) || exit 1
records=$(cd "$top/t/abi" && ls)

# --- a program: the record as assertions ---------------------------------------
assertions() { # RECORD
	awk '
		function rest(n,  text) { text = $0; while (--n) sub(/^[^ ]+ /, "", text); return text }
		function must(what) { printf "_Static_assert(%s, \"%s\");\n", what, what }
		BEGIN { print "#include \"stepcost/plugin.h\"\n#include <string.h>" }
		$1 == "constant" && $2 == "SC_ABI_MINOR" { must($2 " >= " $3); minor = $3; next }
		$1 == "constant" { must($2 " == " $3) }
		$1 == "text" { texts = texts " || strcmp(" $2 ", \"" rest(3) "\")" }
		$1 == "type" { must("__builtin_types_compatible_p(" $2 ", " rest(3) ")") }
		$1 == "struct" { must("sizeof(" $2 ") == " $3 " || (sizeof(" $2 ") > " $3 " && SC_ABI_MINOR > " minor ")") }
		$1 == "member" {
			must("offsetof(" $2 ", " $3 ") == " $4)
			must("sizeof(((" $2 " *)0)->" $3 ") == " $5)
			must("__builtin_types_compatible_p(__typeof__(((" $2 " *)0)->" $3 "), " rest(6) ")") }
		END { print "int main(void) { return 0" texts "; }" }' "$top/t/abi/$1"
}
kept() { # RECORD INCLUDE
	assertions "$1" >"$tap_tmp/kept.c"
	[ "$(grep -c '^_Static_assert' "$tap_tmp/kept.c")" -gt 500 ] || { echo "few facts in $1"; return 1; }
	cc -std=gnu17 -I "$2" -o "$tap_tmp/kept" "$tap_tmp/kept.c" && "$tap_tmp/kept"
}

# --- abidiff: the record as a header ---------------------------------------------
header() { # RECORD
	awk '
		function rest(n,  text) { text = $0; while (--n) sub(/^[^ ]+ /, "", text); return text }
		BEGIN { print "#include <stdint.h>" }
		$1 != "member" && inside { print "} " inside ";"; inside = "" }
		$1 == "constant" { print "#define", $2, $3 }
		$1 == "struct" { inside = $2; print "typedef struct " $2 " {" }
		$1 == "member" { print "__typeof__(" rest(6) ") " $3 ";" }
		$1 == "type" { print "typedef __typeof__(" rest(3) ") " $2 ";" }' "$top/t/abi/$1"
}
object() { # RECORD INCLUDE TO: a library with debug information about each struct
	{ echo '#include "stepcost/plugin.h"'
	  sed -n 's/^struct \([a-z_]*\) .*/void use_\1(\1 *p); void use_\1(\1 *p) { (void)p; }/p; s/^type \([a-z_]*\) .*/void use_\1(\1 p); void use_\1(\1 p) { (void)p; }/p' "$top/t/abi/$1"; } >"$tap_tmp/use.c"
	cc -std=gnu17 -g -shared -fPIC -I "$2" -o "$3" "$tap_tmp/use.c"
}
minor_of() { awk '/^#define SC_ABI_MINOR/ { print $3 + 0 }' "$1/stepcost/plugin.h"; }
# What a later minor version has added is left to the program: abidiff 2.2 with
# this suppression also passes over a member of another type.
same_to_abidiff() { # RECORD INCLUDE
	mkdir -p "$tap_tmp/recorded/stepcost"
	header "$1" >"$tap_tmp/recorded/stepcost/plugin.h"
	appended='[suppress_type]\ntype_kind = struct\nhas_data_member_inserted_at = end\n'
	[ "$(minor_of "$2")" -gt "${1#*.}" ] || appended=
	# shellcheck disable=SC2059 # a text of this file
	printf "$appended" >"$tap_tmp/suppressed"
	object "$1" "$tap_tmp/recorded" "$tap_tmp/before.so" && object "$1" "$2" "$tap_tmp/after.so" &&
		abidiff --suppressions "$tap_tmp/suppressed" "$tap_tmp/before.so" "$tap_tmp/after.so"
}

# --- the header as it is -----------------------------------------------------------
version=$(awk '/^#define SC_ABI_M/ { v = v (v == "" ? "" : ".") $3 + 0 } END { print v }' "$top/include/stepcost/plugin.h")
t 'there are records' [ -n "$records" ]
for record in $records; do
	t "plugin.h keeps what $record promised" kept "$record" "$top/include"
	what="abidiff finds no other difference to $record"
	if command -v abidiff >/dev/null; then t "$what" same_to_abidiff "$record" "$top/include"
	else skip "$what" 'abidiff (abigail-tools) is not installed'; fi
done
whole() { python3 "$top/tools/abi.py" | diff "$top/t/abi/$version" -; }
if [ ! -e "$top/t/abi/$version" ]; then skip "the record of $version is whole" 'it is not released'
elif command -v python3 >/dev/null; then t "the record of $version is whole" whole
else skip "the record of $version is whole" 'python3 is not installed'; fi

if command -v python3 >/dev/null; then
	as_data() { python3 "$top/tools/abi.py" --fields | diff "$top/src/report/abi_fields.inc" -; }
	t 'the list of fields that stepcost prints is that of the header' as_data
	in_rust() { python3 "$top/tools/abi.py" --rust | diff "$top/etc/templates/rust/abi.rs" -; }
	t "so are the structs of Rust's template" in_rust
fi

# --- changes that break a promise, and one that does not ----------------------------
planted() { # SED-SCRIPT: into a copy of the header
	mkdir -p "$tap_tmp/planted/stepcost"
	sed "$1" "$top/include/stepcost/plugin.h" >"$tap_tmp/planted/stepcost/plugin.h"
	! cmp -s "$top/include/stepcost/plugin.h" "$tap_tmp/planted/stepcost/plugin.h"
}
newest=$(printf '%s\n' "$records" | sort -V | tail -1)
found() { planted "$1" && ! kept "$newest" "$tap_tmp/planted"; }
found_by_abidiff() { planted "$1" && ! same_to_abidiff "$newest" "$tap_tmp/planted"; }
allowed() { planted "$1" && kept "$newest" "$tap_tmp/planted"; }
more='s/^\(	const uint32_t \*prefill_prompt;\)/\1 uint64_t later;/'
next='s/^\(#define SC_ABI_MINOR\) .*/\1 99u/'
t 'a field that is gone is found' found '/^	uint32_t sm_count;/d'
t 'two that changed places' found 's/^	uint32_t hidden, vocab;/	uint32_t vocab, hidden;/'
t 'one of another type and as many bytes' found 's/^	double total_us;/	uint64_t total_us;/'
t 'one in the midst' found 's/^	uint64_t step_index;/	uint64_t other; uint64_t step_index;/'
t 'a hook with another argument' found 's/^	void (\*destroy)(void \*inst)/	void (*destroy)(const void *inst)/'
t 'a constant of another value' found 's/^#define SC_DECODE 1/#define SC_DECODE 2/'
t 'another entry' found 's/"stepcost_plugin"/"stepcost_model"/'
t 'a field behind the others without a new minor version' found "$more"
t 'and with one it is allowed' allowed "$more;$next"
if command -v abidiff >/dev/null; then
	t 'abidiff finds a field of another type' found_by_abidiff 's/^	double total_us;/	uint64_t total_us;/'
	t 'and one in the midst' found_by_abidiff 's/^	uint64_t step_index;/	uint64_t other; uint64_t step_index;/'
	appended() { planted "$more;$next" && same_to_abidiff "$newest" "$tap_tmp/planted"; }
	t 'and allows one behind the others' appended
fi
tap_done
