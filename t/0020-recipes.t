#!/bin/sh
# HACKING.md tells the truth.  Its recipes are followed in a copy of the tree:
# t/recipes/RECIPE.sh makes the smallest change of each kind, in exactly the files
# that the recipe lists; the copy is built, and the commands of the recipe work.
# The copy has the objects of this build, so only a part of it is compiled.
. "${top_srcdir:-.}/t/lib/tap.sh"
top=$(cd "$top_srcdir" && pwd) && build=$(cd "$top_builddir" && pwd) || exit 1
hacking=$top/HACKING.md
none() { # COMMAND...: prints nothing
	bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }
}

# --- what HACKING.md says of the tree ----------------------------------------------
floors() { # FLOOR ROOM of HACKING.md: room names follow the floor, then two blanks
	sed -n '/^## The floors/,/^\*\*The rule/s/^\([1-9][0-9]*\)  *\([a-z ]*[a-z]\)  .*/\1 \2/p' "$hacking" |
		while read -r floor rooms; do
			for room in $rooms; do echo "$floor $room"; done
		done | sort
}
same_floors() {
	floors >"$tap_tmp/floors"
	sed 's/#.*//' "$top/src/ROOMS" | awk 'NF { print $1, $2 }' | sort | diff - "$tap_tmp/floors"
}
t 'the floors are those of src/ROOMS' same_floors
named_files() { # in backquotes, without words in capitals
	grep -o '`[a-z_.]*/[a-z0-9_./-]*`' "$hacking" | tr -d '`' | sort -u | grep .
}
lost_files() {
	named_files | while read -r file; do
		ls "$top/$file" "$top/$file.c" "$top/src/$file" "$top/src/$file.c" 2>/dev/null | grep -q . || echo "$file"
	done
	[ "$(named_files | wc -l)" -ge 30 ] || echo 'few files are named'
}
t 'files that it names are there' none lost_files
lost_targets() {
	grep -o '`make [a-z-]*' "$hacking" | awk '$2 != "" { print $2 }' | sort -u | while read -r target; do
		grep -qE "^$target( .*)?:" "$build/Makefile" || echo "make $target"
	done
}
t 'targets that it names are there' none lost_targets
unlisted_families() { # the first two digits of scripts
	sed -n '/^### A script test/,/^```recipe/p' "$hacking" >"$tap_tmp/legend"
	ls "$top"/t/[0-9]*.t | sed 's|.*/\([0-9][0-9]\).*|\1|' | sort -u | while read -r family; do
		grep -qE "(^| )$family " "$tap_tmp/legend" || echo "$family is not in the legend"
	done
	grep -oE '(^| )[0-9][0-9] ' "$tap_tmp/legend" | tr -d ' ' | while read -r family; do
		ls "$top/t/$family"* >/dev/null 2>&1 || echo "no script is of $family"
	done
}
t 'the legend has the families of scripts, and no other' none unlisted_families
recipes=$(sed -n 's/^```recipe //p' "$hacking")
same_recipes() { printf '%s\n' "$recipes" | sort | diff - "$tap_tmp/there"; }
ls "$top/t/recipes" | sed 's/\.sh$//' | sort >"$tap_tmp/there"
t 'each recipe is tried here, and none that is gone' same_recipes

# --- a copy --------------------------------------------------------------------------
for tool in automake autoconf make cc; do
	command -v $tool >/dev/null || { skip 'the recipes' "$tool is not installed"; tap_done; }
done
inside=$(realpath --relative-to="$top" "$build") # where the Makefile looks for ".."
copy=$tap_tmp/copy/tree copy_build=$(realpath -m "$tap_tmp/copy/tree/$inside") work=$tap_tmp/work
copied() {
	mkdir -p "$copy" "$copy_build" "$work" || return 1
	(cd "$top" && find . -maxdepth 1 ! -name . ! -name .git ! -name 'build?*' ! -name 'autom4te.cache' \
		! -path "./${inside%%/*}" -exec cp -a {} "$copy" \; && cp -a build-aux "$copy") || return 1
	cp -a "$build/." "$copy_build" && chmod -R u+w "$copy" "$copy_build" || return 1
	# Absolute names are those of the copy; no file gets younger by that.
	grep -rlF -e "$top" -e "$build" --include=Makefile --include=config.status --include=libtool \
		--include='*.P*o' --include='*.la' "$copy_build" | while read -r file; do
		sed "s|$build|$copy_build|g; s|$top|$copy|g" "$file" >"$tap_tmp/new" &&
			chmod --reference="$file" "$tap_tmp/new" && touch -r "$file" "$tap_tmp/new" && mv "$tap_tmp/new" "$file"
	done
}
t 'the tree is copied' copied
cd "$copy" || exit 1

# Each fails where the line is not there, or twice.
at() { # FILE TEXT: the number of the one line that begins with it
	[ "$(awk -v s="$2" 'index($0, s) == 1' "$1" | wc -l)" = 1 ] || { echo "$1: not one line begins with '$2'" >&2; return 1; }
	awk -v s="$2" 'index($0, s) == 1 { print NR }' "$1"
}
put() { # FILE LINE TEXT: behind that line
	printf '%s\n' "$3" >"$tap_tmp/text" && sed "$2r $tap_tmp/text" "$1" >"$tap_tmp/new" && cat "$tap_tmp/new" >"$1"
}
behind() { line=$(at "$1" "$2") && put "$1" "$line" "$3"; }
before() { line=$(at "$1" "$2") && put "$1" "$((line - 1))" "$3"; }
replace() { # FILE PATTERN TEXT
	grep -q "$2" "$1" && sed "s/$2/$3/" "$1" >"$tap_tmp/new" && cat "$tap_tmp/new" >"$1"
}

# --- the recipes ---------------------------------------------------------------------
listed() { # RECIPE SIGN: the lines of that sign, with the words of the recipe
	line=$(sed -n "/^\`\`\`recipe $1\$/,/^\`\`\`\$/s/^$2 //p" "$hacking")
	for word in $words; do line=$(printf '%s\n' "$line" | sed "s|\\b${word%%=*}\\b|${word#*=}|g"); done
	printf '%s\n' "$line" | grep .
}
planted() { # RECIPE: changes the files of its list
	: >"$tap_tmp/mark" && sleep 0.05
	plant
	find . -path "./$inside" -prune -o -type f -newer "$tap_tmp/mark" -print | sed 's|^\./||' | sort >"$tap_tmp/changed"
	same_files "$1"
}
same_files() { # RECIPE: those that changed and those that its list has, new ones as new
	{ listed "$1" '[+]'; listed "$1" '~'; } | awk '{ print $1 }' | sort | diff - "$tap_tmp/changed" || return 1
	{ listed "$1" '[+]' | sed 's/^/new /'; listed "$1" '~'; } | while read -r is file; do
		case $is in
		new) [ ! -e "$top/${file%% *}" ] || { echo "$file is not new"; return 1; } ;;
		*) [ -e "$top/$is" ] || { echo "$is is new"; return 1; } ;;
		esac
	done
}
# Objects of another optimization may be linked together.
make() { command make -s CFLAGS='-O0 -g0 -fno-lto' LTO_CFLAGS= LTO_LDFLAGS= "$@"; }
works() { # RECIPE: its commands say what they should
	listed "$1" '[$]' >"$tap_tmp/commands" || return 1
	printf '%s\n' "$wants" >"$tap_tmp/wants"
	[ "$(wc -l <"$tap_tmp/commands")" = "$(wc -l <"$tap_tmp/wants")" ] || { echo "$1: not a text for each command"; return 1; }
	exec 3<"$tap_tmp/commands" 4<"$tap_tmp/wants"
	while read -r command <&3 && read -r want <&4; do
		echo "\$ $command"
		(cd "$copy_build" && eval "$command") >"$tap_tmp/out" 2>&1 3<&- 4<&-
		code=$?
		tail -20 "$tap_tmp/out"
		{ [ $code -eq 0 ] && grep -qF -- "$want" "$tap_tmp/out"; } || { echo "exit code $code; '$want' is looked for"; return 1; }
	done
}
top_srcdir=$copy top_builddir=$copy_build STEPCOST_PLUGIN_PATH=$copy_build/.libs STEPCOST_DATA_PATH=$copy
PATH=$copy_build:$PATH
export top_srcdir top_builddir STEPCOST_PLUGIN_PATH STEPCOST_DATA_PATH PATH
taken() { # RECIPE
	words='' wants=''
	# shellcheck disable=SC1090 # one of t/recipes
	. "$top/t/recipes/$1.sh"
}
built() {
	# plugins/NAME/NAME.c; other folders hold several plugins.
	modules=$(cd "$copy" && ls plugins/*/*.c plugins/field/*/*.c | sed -n 's|^plugins/\(field/\)\{0,1\}\(.*\)/\2\.c$|\2.la|p')
	# shellcheck disable=SC2086 # a list of targets
	(cd "$copy_build" && make stepcost $modules)
}
# Half of all objects know struct engine: what needs no program comes last.
last=engine-key
for recipe in $recipes; do
	[ "$recipe" = $last ] || { taken "$recipe"; t "$recipe: exactly the files of the list change" planted "$recipe"; }
done
lied() { # SED-SCRIPT: HACKING.md tells something else of the recipe that came last
	sed "$1" "$hacking" >"$tap_tmp/lie" && ! cmp -s "$hacking" "$tap_tmp/lie" || return 1
	(hacking=$tap_tmp/lie; ! same_files "$recipe")
}
t 'a file that the list lacks is found' lied '/^```recipe '"$recipe"'/,/^```$/{ /^~ src/d; }'
t 'and one that it has for no reason' lied 's|^```recipe '"$recipe"'|&\n~ src/base/ini.c|'
t 'and one that is not new' lied '/^```recipe '"$recipe"'/,/^```$/s|^~ src|+ src|'
t 'all of them together are built' built
for recipe in $recipes; do
	[ "$recipe" = $last ] || { taken "$recipe"; t "$recipe: the commands work" works "$recipe"; }
done
t 'and the rules of the house hold' sh "$copy/t/0005-rooms.t"
taken $last
t "$last: exactly the files of the list change" planted $last
t "$last: the commands work" works $last
tap_done
