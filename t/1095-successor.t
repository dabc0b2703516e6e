#!/bin/sh
# Fields appended to every struct of the ABI: plugins built against the header
# as it is run in a host built against its successor, and the other way round,
# with the same bits.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v cc >/dev/null 2>&1 || { echo '1..0 # SKIP no cc'; exit 0; }
if grep -q __asan_init "$top_builddir/.libs/const_step.so"; then
	echo '1..0 # SKIP built with a sanitizer'; exit 0
fi
cd "$tap_tmp" || exit 1
src=$top_srcdir new=$tap_tmp/include
minor=$(sed -n 's/^#define SC_ABI_MINOR \([0-9]*\)u/\1/p' "$src/include/stepcost/plugin.h")
mkdir -p include old succ
cp -R "$src/include/stepcost" include/
chmod -R u+w include
awk '/^} sc_[a-z_]+;/ { print "\tuint64_t later[4];" } { print }' "$src/include/stepcost/plugin.h" |
	sed "s/^#define SC_ABI_MINOR .*/#define SC_ABI_MINOR $((minor + 1))u/" >include/stepcost/plugin.h
structs() { [ "$(grep -c 'later\[4\]' include/stepcost/plugin.h)" -eq "$(grep -c '^} sc_' "$src/include/stepcost/plugin.h")" ]; }
t 'every struct has a successor' structs

# Objects of this build that know nothing of the ABI serve both hosts.
unaware() {
	build=$(cd "$top_builddir" && pwd)
	find "$build/src" -name '*.Po' | while read -r deps; do
		object=${deps##*/} folder=${deps%/.deps/*}
		object=${object%.Po}
		source=$src/src${folder#"$build/src"}/${object#lib*_a-}.c
		[ ! -e "$source" ] || grep -q 'stepcost/' "$deps" || echo "$source $folder/$object.o"
	done | sort
}
host_of_successor() {
	unaware >unaware
	find "$src/src" -name '*.c' | sort | while read -r source; do
		grep -q "^$source " unaware || echo "$source"
	done >aware
	[ "$(wc -l <aware)" -ge 150 ] || { echo 'few sources know the ABI'; return 1; }
	# shellcheck disable=SC2046 # paths without spaces
	cc -O0 -w -fno-lto -include config.h "-DSC_PLUGINDIR=\"/nowhere\"" "-DSC_DATADIR=\"/nowhere\"" -I"$top_builddir" \
		-I"$new" -I"$src/src" -o newhost $(cat aware) $(cut -d' ' -f2 unaware) \
		$(build_wraps) $(build_libraries)
}
t 'a host of the successor' host_of_successor
plugins='const_step latency_interp mfu_interp mfu_per_request operators roofline_v1 roofline_v2 smooth_roofline'
for p in $plugins; do
	cp "$top_builddir/.libs/$p.so" old/
	t "$p of the successor" cc -O1 -w -std=gnu17 -ffp-contract=off -fno-builtin-pow -fno-builtin-log -fno-builtin-exp \
		-fPIC -fvisibility=hidden -shared -I"$new" -I"$src/plugins/$p" -o "succ/$p.so" $(find "$src/plugins/$p" -name '*.c') -lm
done

{ cat <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
set = h100-sxm.infersim
[workload]
num_requests = 30
request_rate = 20
input_tokens = uniform:20,900
output_tokens = uniform:2,40
X
for p in $plugins; do printf '[cost_model:%s]\nplugin = %s\n' "$p" "$p"; done; } >all.ini
cp "$src/etc/templates/common/steps.csv" steps.csv
ask() { # HOST PLUGINS: eval and compare
	STEPCOST_PLUGIN_PATH=$tap_tmp/$2 "$1" eval all.ini --steps steps.csv >"$3.eval" 2>"$3.err" &&
		STEPCOST_PLUGIN_PATH=$tap_tmp/$2 "$1" compare all.ini --format json >"$3.json" 2>>"$3.err" ||
		{ cat "$3.err"; return 1; }
}
host=$top_builddir/stepcost
t 'this host, these plugins' ask "$host" old a
t "this host, the successor's plugins" ask "$host" succ b
t "the successor's host, these plugins" ask ./newhost old c
t "the successor's host, its own plugins" ask ./newhost succ d
lines() { [ "$(wc -l <a.eval)" -eq $((1 + 6 * $(echo $plugins | wc -w))) ]; }
t 'all steps are priced' lines
for x in b c d; do
	t "the same steps ($x)" cmp a.eval $x.eval
	t "the same runs ($x)" same_results a.json $x.json
done

# One that fills what only it knows of.
cat >succ/writer.c <<'X'
#include "stepcost/plugin.h"
static int32_t create(void **i, const sc_setup *s, const void *k, sc_error *e) { (void)s, (void)k, (void)e; *i = 0; return SC_OK; }
static void destroy(void *i) { (void)i; }
static int32_t eval(void *i, const sc_step *s, sc_result *out, sc_error *err)
{
	(void)i;
	out->size = sizeof *out;
	out->total_us = 100 + (SC_HAS(s, later) ? 0 : 1);
	for (int k = 0; k < 4; k++)
		out->later[k] = err->later[k] = ~(uint64_t)0;
	return SC_OK;
}
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .abi_minor = SC_ABI_MINOR, .name = "writer", .version = "1", .summary = "writes later fields", .create = create, .destroy = destroy, .eval = eval};
SC_PLUGIN_DEFINE(plugin);
X
t 'a plugin that fills later fields' cc -shared -fPIC -I"$new" -o succ/writer.so succ/writer.c
{ sed '/^\[cost_model/,$d' all.ini; printf '[cost_model]\nplugin = writer\n'; } >writer.ini
writes() { # HOST TOTAL
	STEPCOST_PLUGIN_PATH=$tap_tmp/succ "$1" eval writer.ini --steps steps.csv | grep -q ",writer,$2," &&
		STEPCOST_PLUGIN_PATH=$tap_tmp/succ "$1" run writer.ini --quiet >/dev/null
}
t 'harms nothing in this host, which has none' writes "$host" 101
t "and finds them in the successor's" writes ./newhost 100
t 'its promises can be checked here' "$host" plugins check succ/writer.so
tap_done
