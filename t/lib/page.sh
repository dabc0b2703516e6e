# page.sh -- the test of a page: each block "$ COMMAND" prints what the page has.
# Sourced by t/pages/NAME.t, which tools/lists.sh makes for each page with such a
# block; README.t is of the first README.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v python3 >/dev/null 2>&1 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
page_top=$(cd "$top_srcdir" && pwd)
page_built=$(cd "$top_builddir" && pwd)
STEPCOST_PLUGIN_PATH=$page_built/.libs STEPCOST_DATA_PATH=$page_top
PATH=$page_built:$PATH PKG_CONFIG_PATH=$page_built
PYTHONPATH=$page_top/python STEPCOST=$page_built/stepcost PYTHONDONTWRITEBYTECODE=1
export PATH PKG_CONFIG_PATH PYTHONPATH STEPCOST PYTHONDONTWRITEBYTECODE STEPCOST_PLUGIN_PATH STEPCOST_DATA_PATH
pages() { python3 "$page_top/tools/pages.py" "$@"; }
# A page of more than ten CPU minutes: tools/nightly.sh runs it.
nightly=field
page_test() { # of the page that the name of this test names
	page=$(basename "$0" .t)
	if [ "$page" = "$nightly" ] && [ -z "${STEPCOST_NIGHTLY:-}" ]; then
		echo '1..0 # SKIP more than ten CPU minutes; STEPCOST_NIGHTLY=1 runs it'
		exit 0
	fi
	page=$page.md
	[ "$page" = README.md ] || page=doc/$page
	t "$page" pages "$page_top/$page"
	tap_done
}
