#!/bin/sh
# Runs a test and writes the CPU seconds that it and its children took into
# FOLDER/NAME.  One that would end too late (tiers.sh) is skipped, and says so.
#   sh timed.sh FOLDER TEST [ARGUMENT...]
folder=$1; shift
test=${1#"${top_srcdir:-.}"/}
[ -z "${TESTS_UNTIL:-}" ] || sh "$(dirname "$0")/tiers.sh" fits "$test" "$folder" || {
	echo '1..0 # SKIP it would end too late on this machine'
	exit 0
}
"$@"
code=$?
times >"$folder/$(printf '%s' "$test" | tr / :)"
exit $code
