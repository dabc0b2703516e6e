#!/bin/sh
# A plugin of another project: built with pkg-config alone against a staged
# install, found on the plugin path, priced.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v pkg-config >/dev/null || { echo '1..0 # SKIP no pkg-config'; exit 0; }
stage=$tap_tmp/stage
install_staged() { make -s -C "$top_builddir" install DESTDIR="$stage"; }
t 'make install' install_staged
PKG_CONFIG_PATH=$(dirname "$(find "$stage" -name stepcost.pc)")
export PKG_CONFIG_PATH
prefix=$stage$(pkg-config --variable=prefix stepcost)
pc() { pkg-config --define-variable=prefix="$prefix" "$@" stepcost; }
plugindir=$(pc --variable=plugindir)
host=$(find "$stage" -type f -name stepcost -perm -u+x)
source=$top_srcdir/t/fixtures/outoftree/linear_step.c
t 'under 60 lines' test "$(wc -l <"$source")" -lt 60
# shellcheck disable=SC2046 # a list of options
build() { ${CC:-cc} -Wall -Wextra -Werror $(pc --cflags) -fPIC -shared -o "$plugindir/linear_step.so" "$source"; }
t 'it builds with pkg-config alone' build
headers() { (cd "$1" && find stepcost -type f | LC_ALL=C sort); }
all_there() { [ -n "$(headers "$top_srcdir/include")" ] && [ "$(headers "$top_srcdir/include")" = "$(headers "$(pc --variable=includedir)")" ]; }
t 'every public header is installed' all_there
cat >"$tap_tmp/c.ini" <<X
[cost_model]
plugin = linear_step
base_us = 20
[cost_model:shipped]
plugin = const_step
X
printf 'step,decode,prefill\n0,100;300,\n' >"$tap_tmp/s.csv"
eval_it() {
	STEPCOST_PLUGIN_PATH=$plugindir "$host" eval "$tap_tmp/c.ini" --steps "$tap_tmp/s.csv" >"$tap_tmp/out"
	cat "$tap_tmp/out"
	grep -q '^0,linear_step,120,120,' "$tap_tmp/out" && grep -q '^0,shipped,101,' "$tap_tmp/out"
}
t 'and is priced beside a shipped one' eval_it
t 'data is installed' test -e "$(pc --variable=datadir)/etc/models/llama-3.1-8b.ini"
field() { # the published models, their figures and the pages' configurations came along, and nothing else is looked at
	(cd "$tap_tmp" && STEPCOST_DATA_PATH="!$prefix/share/stepcost" STEPCOST_PLUGIN_PATH="!$plugindir" "$host" compare field --why --quiet \
		--set workload.num_requests=10) >"$tap_tmp/compared" 2>&1; code=$?
	cat "$tap_tmp/compared"
	[ $code -eq 0 ] && grep -q '^llm_optimizer ' "$tap_tmp/compared"
}
t 'the field is compared in the installed tree' field
no_la() { [ -z "$(find "$stage" -name '*.la')" ]; }
t 'no .la files beside the plugins' no_la
uninstall() { make -s -C "$top_builddir" uninstall DESTDIR="$stage" && rm "$plugindir/linear_step.so"; find "$stage" ! -type d; [ -z "$(find "$stage" ! -type d)" ]; }
t 'make uninstall leaves nothing' uninstall
tap_done
