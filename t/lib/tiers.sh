#!/bin/sh
# Compares the CPU times that timed.sh wrote with t/TIERS.
#   sh tiers.sh over FOLDER        fails if a script that is not listed takes too long
#   sh tiers.sh fits TEST FOLDER   may TEST begin?  Not if it would end after
#                                  TESTS_UNTIL (seconds since 1970)
#   sh tiers.sh long               prints the long tests, the shortest first
#   sh tiers.sh left               prints what the daily tier leaves out, and its time
# A script may take 6 CPU seconds, a page 3; only four times as much is a fault.
# Machines differ: one that takes twice the listed time for the daily tier takes
# about twice as long for each test, more if the test starts many programs.
tiers=${top_srcdir:-.}/t/TIERS
listed() { sed '/^#/d; /^$/d; / daily /d' "$tiers"; } # SECONDS TEST REASON
seconds_of() { # FOLDER: SECONDS TEST, a line a test
	for file in "$1"/*; do
		[ "$file" != "$1/slowness" ] || continue
		awk -v name="$(basename "$file" | tr : /)" '
			function s(text, p) { split(text, p, "[ms]"); return 60 * p[1] + p[2] }
			NR == 2 { print s($1) + s($2), name }' "$file"
	done
}
case $1 in
over)
	[ -n "$(ls "$2")" ] || { echo "no times in $2"; exit 1; }
	daily=$(sed -n 's/^\([0-9]*\) daily .*/\1/p' "$tiers")
	{ listed | sed 's/^/listed /'; seconds_of "$2"; } | awk -v daily="$daily" -v file="$2/slowness" '
		$1 == "listed" { long[$3]; next }
		!($2 in long) { took[$2] = $1; sum += $1 }
		END {
			slowness = sum > daily ? sum / daily : 1
			print slowness >file
			printf "The daily tier took %d CPU seconds (t/TIERS: %d).\n", sum, daily
			for (name in took) {
				most = name ~ /^t\/pages\// ? 3 : 6
				if (name !~ /\.t$/ || took[name] <= 4 * most * slowness)
					continue
				printf "%s takes %.1f CPU seconds of %d: make it shorter, or list it in t/TIERS\n", name, took[name], sum
				bad = 1
			}
			exit bad
		}' ;;
fits)
	slowness=$(cat "$3/slowness" 2>/dev/null || echo 1)
	listed | awk -v test="$2" -v slowness="$slowness" -v left="$((TESTS_UNTIL - $(date +%s)))" '
		$2 == test { takes = $1 * slowness }
		END { exit takes > left }' ;;
long)
	listed | sort -n | awk '{ print ($2 ~ /\.t$/ ? ENVIRON["top_srcdir"] "/" : "") $2 }' ;;
left)
	listed | awk '{ sum += $1 } END {
		printf "%d long tests were left out (t/TIERS, %d CPU seconds). All of them: make -C %s prove-long\n", NR, sum, ENVIRON["top_builddir"] }' ;;
esac
