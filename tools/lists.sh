#!/bin/sh
# lists.sh -- writes lists.am, which Makefile.am includes: the files that make
# builds, tests and releases, found in the folders of the tree and in src/ROOMS.
# autoreconf runs it, and make does when a folder has changed.  A list that is as before is
# not written again, so that nothing is made again because of it.
#   sh tools/lists.sh [FILE]
# Builds may leave programs, objects and logs beside the sources: files are taken
# by the end of their names, and names that begin with a dot never.
set -eu
cd "$(dirname "$0")/.."
file=${1:-lists.am}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
tops='bench bench_data doc etc fuzz include plugins python src t tools'
found() { # f: files, d: folders; those that Makefile.am names whole are left out
	# shellcheck disable=SC2086 # a list of folders
	find $tops \( -name '.?*' -o -name __pycache__ -o -path fuzz/corpus -o -path fuzz/found \
		-o -path fuzz/oss-fuzz -o -path t/bad \) -prune -o -type "$1" ! -name '*~' -print | LC_ALL=C sort
}

# A page with a block "$ COMMAND" has a test; doc/plugins.md is followed by another.
for page in README.md doc/*.md; do
	name=$(basename "$page" .md)
	case $page in doc/README.md | doc/plugins.md) continue ;; esac
	grep -q '^\$ ' "$page" || continue
	[ -e "t/pages/$name.t" ] || {
		printf '%s\n' '#!/bin/sh' '# The commands of a page print what it shows (t/lib/page.sh).' \
			'. "${top_srcdir:-.}/t/lib/page.sh"' 'page_test' >"t/pages/$name.t"
		chmod +x "t/pages/$name.t"
	}
done

{
# Which room stands on which floor, which commands have a page, the folders, the
# files, and which unit tests load plugins of t/so and of
# plugins/variants.
sed -n 's/^\([0-9][0-9]*\)  *\([a-z]*\) .*/floor \1 \2/p' src/ROOMS
sed -n 's/^COMMAND(\([a-z_]*\))$/command \1/p' src/cmd/list.inc | LC_ALL=C sort
sed '/^#/d; /^$/d; / daily /d; s/^[0-9]* *\([^ ]*\).*/long \1/' t/TIERS
found d | sed 's/^/folder /'
found f | sed 's/^/file /'
find t -name '*.c' -exec grep -lE 't/so/|plugins/variants/\.libs' {} + | LC_ALL=C sort | sed 's/^/with_plugins /'
} | awk '
function add(list, name) {
	if (!(list in names))
		order[++lists] = list
	names[list] = names[list] " \\\n\t" name
}
function says(line) { lines = lines line "\n" }
function once(key) { return !seen[key]++ }
# The name of an automake variable that belongs to a file.
function variable(name) { gsub(/[^A-Za-z0-9_]/, "_", name); return name }

function source_of_room(path, room) {
	if (floor[room] == top)
		return add("stepcost_SOURCES", path)
	if (once("room " room)) {
		add("noinst_LIBRARIES", "lib" room ".a")
		members[floor[room]] = members[floor[room]] " lib" room ".a $(" room "_libs)"
	}
	add("lib" room "_a_SOURCES", path)
}
function public_header(path, sub_folder) {
	if (once("headers " sub_folder))
		says("headers" variable(sub_folder) "dir = $(includedir)/stepcost" sub_folder)
	add("headers" variable(sub_folder) "_HEADERS", path)
}
function file_of_plugin(path, name, folder, part) {
	if (path ~ /\.[ch]$/)
		add(variable(name) "_la_SOURCES", path)
	split(path, part, "/")
	if (path ~ /\.c$/ && part[4])
		in_folder[name "_" part[3]] = in_folder[name "_" part[3]] " " path
	if (once("plugin " name)) {
		plugin_names[name]
		folder_of[name] = folder
		add("pkglib_LTLIBRARIES", name ".la")
		says(variable(name) "_la_CPPFLAGS = $(plugin_cppflags) -I$(top_srcdir)/plugins/" folder name (folder ? " -I$(top_srcdir)/plugins/" folder : ""))
		says(variable(name) "_la_CFLAGS = $(plugin_cflags)")
		says(variable(name) "_la_LDFLAGS = $(plugin_ldflags)")
	}
	add("nobase_dist_pkgdata_DATA", path)
}
function daily(list, path) { if (!(path in is_long)) add("daily_" list, path) }
# The tests of a room are one program, t/ROOM/all; each has a link to it.
function unit(path, room) {
	if (once("units " room)) {
		add("unit_programs", "t/" room "/all")
		add("units", "$(" room "_units)")
		if (room in floor)
			says("t_" room "_all_LDADD = $(libs_" floor[room] ") $(unit_libs)")
		says("$(" room "_units): t/" room "/all$(EXEEXT)\n\t$(link_unit)")
	}
	add("t_" room "_all_SOURCES", path)
	sub(/\.c$/, "", path)
	add(room "_units", path)
	daily("units", path)
}
# One that replaces a table of the host is a program of its own: t/ROOM/alone/.
function unit_alone(path, room) {
	sub(/\.c$/, "", path)
	add("unit_programs", path)
	add("units", path)
	daily("units", path)
	if (room in floor)
		says(variable(path) "_LDADD = $(libs_" floor[room] ") $(unit_libs)")
}
# t/plugins/NAME_*.c includes headers of the plugin NAME, and those of two plugins
# have the same names: each test is a program.  t/plugins/NAME_FOLDER.c is linked
# with the files of plugins/NAME/FOLDER, which a shared object hides.
function unit_of_plugin(path, base, name) {
	unit_alone(path, "plugins")
	sub(/\.c$/, "", path)
	base = path
	sub(/.*\//, "", base)
	for (name in plugin_names)
		if (index(base, name "_") == 1)
			says(variable(path) "_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plugins/" folder_of[name] name (folder_of[name] ? " -I$(top_srcdir)/plugins/" folder_of[name] : ""))
	if (base in in_folder)
		says(variable(path) "_SOURCES = " path ".c" in_folder[base])
}
function test_plugin(path) {
	sub(/\.c$/, "", path)
	add("test_plugins", path ".la")
	says(variable(path) "_la_LDFLAGS = $(test_plugin_ldflags)")
	says(variable(path) "_la_LIBADD =")
}
# A variant is an example: built for the tests, and installed as source.
function variant(path) {
	add("nobase_dist_pkgdata_DATA", path)
	test_plugin(path)
	sub(/\.c$/, "", path)
	says(variable(path) "_la_CPPFLAGS = $(plugin_cppflags)")
	says(variable(path) "_la_CFLAGS = $(plugin_cflags)")
}
function fuzz_target(path) {
	sub(/\.c$/, "", path)
	add("fuzz_programs", path)
	says(variable(path) "_LDADD = $(fuzz_ldadd)")
	says(variable(path) "_LINK = $(fuzz_link)")
}

$1 == "floor" { floor[$3] = $2; if ($2 > top) top = $2; next }
$1 == "command" { gsub(/_/, "-", $2); add("manual_pages", "man/stepcost-" $2 ".1"); next }
$1 == "folder" { add("listed_folders", $2); next }
$1 == "long" { is_long[$2]; next }
$1 == "with_plugins" { sub(/\.c$/, "", $2); add("units_with_plugins", $2); next }
{ path = $2; split(path, part, "/") }
path ~ /^src\/[^\/]*\/.*\.(c|h|inc)$/ { source_of_room(path, part[2]); next }
path ~ /^include\/stepcost\/.*\.(h|inc)$/ {
	folder = path
	sub(/^include\/stepcost/, "", folder)
	sub(/\/[^\/]*$/, "", folder)
	public_header(path, folder)
	next
}
path ~ /^plugins\/variants\/.*\.c$/ { variant(path); next }
# Published cost models have a folder of their own, and share headers in it.
path ~ /^plugins\/field\/[^\/]*$/ { add("nobase_dist_pkgdata_DATA", path); next }
path ~ /^plugins\/field\/.*(\.(c|h|md|csv|ini)|\/MANIFEST)$/ { file_of_plugin(path, part[3], "field/"); next }
path ~ /^plugins\/.*\.(c|h|md|py)$/ { file_of_plugin(path, part[2], ""); next }
path ~ /^(bench_data|etc)\// { add("nobase_dist_pkgdata_DATA", path); next }
path ~ /^doc\/.*\.(md|png|svg)$/ { add("nobase_dist_doc_DATA", path); next }
path ~ /^t\/(pages\/)?[^\/]*\.t$/ { add("dist_check_SCRIPTS", path); daily("scripts", path); next }
path ~ /^t\/so\/.*\.c$/ { test_plugin(path); next }
path ~ /^t\/(abi|fixtures|golden|lib|ref)\// { add("EXTRA_DIST", path); next }
path ~ /^t\/plugins\/.*\.c$/ { unit_of_plugin(path); next }
path ~ /^t\/[^\/]*\/alone\/.*\.c$/ { unit_alone(path, part[2]); next }
path ~ /^t\/[^\/]*\/.*\.c$/ { unit(path, part[2]); next }
path ~ /^fuzz\/(fuzz|replay)\.c$/ { add("EXTRA_DIST", path); next }
path ~ /^fuzz\/[^\/]*\.c$/ { fuzz_target(path); next }
path ~ /^bench\/.*\.c$/ { sub(/\.c$/, "", path); add("bench_programs", path); next }
path ~ /^tools\// || path ~ /^(python|t\/python)\/.*\.(py|toml|typed)$/ || path ~ /\.(c|dict|h|ini|sh)$/ || path == "src/ROOMS" { add("EXTRA_DIST", path); next }
END {
	print "# Written by tools/lists.sh from the folders of the tree and src/ROOMS."
	for (i = 1; i <= lists; i++)
		print order[i] " =" names[order[i]]
	printf "%s", lines
	for (i = 1; i < top; i++)
		print "libs_" i " =" members[i] (i > 1 ? " $(libs_" i - 1 ")" : "")
	print "program_libs = $(libs_" top - 1 ")"
}' >"$new"
cmp -s "$new" "$file" || cat "$new" >"$file"
