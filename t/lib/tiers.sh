#!/bin/sh
# Compares the CPU times that timed.sh wrote with t/TIERS.
#   sh tiers.sh over FOLDER   fails if a script that is not listed takes too long
#   sh tiers.sh left          prints what the daily tier leaves out, and its time
# A script may take 6 CPU seconds, a page 3.  Machines differ, and so does one
# machine from hour to hour: half as much again is still no fault.
tiers=${top_srcdir:-.}/t/TIERS
listed() { sed '/^#/d; /^$/d' "$tiers"; } # SECONDS TEST REASON
case $1 in
over)
	for file in "$2"/*.t; do
		[ -e "$file" ] || { echo "no times in $2"; exit 1; }
		awk -v name="$(basename "$file" | tr : /)" '
			function s(text, p) { split(text, p, "[ms]"); return 60 * p[1] + p[2] }
			NR == 2 { print s($1) + s($2), name }' "$file"
	done | { listed | sed 's/^/listed /'; cat; } | awk '
		$1 == "listed" { long[$3]; next }
		{ most = $2 ~ /^t\/pages\// ? 3 : 6 }
		!($2 in long) && $1 > 1.5 * most {
			printf "%s takes %.1f CPU seconds: make it shorter, or list it in t/TIERS\n", $2, $1; bad = 1 }
		END { exit bad }' ;;
left)
	listed | awk '{ sum += $1 } END {
		printf "%d long tests were left out (t/TIERS, %d CPU seconds). All of them: make -C %s prove-long\n", NR, sum, ENVIRON["top_builddir"] }' ;;
esac
