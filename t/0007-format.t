#!/bin/sh
# The sources are as clang-format writes them.  Versions differ in details: only
# the one of Debian 12 is asked.
. "${top_srcdir:-.}/t/lib/tap.sh"
case $(clang-format --version 2>/dev/null) in
*' 14.'*) ;;
*) echo '1..0 # SKIP clang-format 14 is not installed'; exit 0 ;;
esac
cd "$top_srcdir" || exit 1
find bench fuzz include plugins src t -name '*.[ch]' >"$tap_tmp/files"
t 'there are sources' test "$(wc -l <"$tap_tmp/files")" -gt 300
formatted() { xargs clang-format --dry-run <"$tap_tmp/files" 2>&1 | grep warning && return 1; return 0; }
t 'formatted' formatted
torn() { # a macro's #name that the formatter took for a directive
	xargs grep -nE '^# *[a-z_]+' <"$tap_tmp/files" |
		grep -vE '^[^:]*:[0-9]+:# *(if|ifdef|ifndef|elif|else|endif|include|define|undef|error|pragma)\>'
}
no_macro_is_torn() { torn && return 1; return 0; }
t 'no macro is torn' no_macro_is_torn
planted() { printf 'int  f( void ){return 0;}\n' | clang-format --dry-run --assume-filename=src/x.c 2>&1 | grep -q warning; }
t 'what is not is found' planted
tap_done
