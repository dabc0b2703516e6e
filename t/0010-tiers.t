#!/bin/sh
# Which tests are long is asked of CPU times that a machine measured
# (t/lib/tiers.sh): of a machine as fast as that of t/TIERS, and of slow ones.
. "${top_srcdir:-.}/t/lib/tap.sh"
lib=$top_srcdir/t/lib
tree=$tap_tmp/tree
times=$tap_tmp/times
mkdir -p "$tree/t/pages" "$times"
cat >"$tree/t/TIERS" <<'LISTED'
# CPU-seconds test why-it-is-long
100 daily all others
30 t/1000-slow.t waits
8 t/store/many writes
LISTED
tiers() { top_srcdir=$tree top_builddir=$times sh "$lib/tiers.sh" "$@"; }
took() { # TEST SECONDS, as the shell's times prints them
	printf '0m0.001s 0m0.001s\n%dm%d.000s 0m0.000s\n' $(($2 / 60)) $(($2 % 60)) >"$times/$(echo "$1" | tr / :)"
}
over() { tiers over "$times" >"$tap_tmp/over"; }
names() { grep -q "^$1 takes" "$tap_tmp/over"; }

took t/2000-quick.t 24
took t/1000-slow.t 90
took t/pages/run.t 12
took t/sim/units 43
t 'times as on the machine of t/TIERS' over
t 'whose sum leaves out what is long' grep -qx 'The daily tier took 79 CPU seconds (t/TIERS: 100).' "$tap_tmp/over"
took t/2000-quick.t 25
t 'a script that takes four times what it may is named' eval '! over && names t/2000-quick.t'
t 'alone' test "$(wc -l <"$tap_tmp/over")" -eq 2
took t/2000-quick.t 24
took t/pages/run.t 13
t 'and a page' eval '! over && names t/pages/run.t'
took t/2000-quick.t 72
took t/pages/run.t 36
took t/sim/units 192
t 'a machine that is three times slower' over
took t/2000-quick.t 80
t 'names what is longer than the rest there' eval '! over && names t/2000-quick.t'

may_begin() { # TEST, with SECONDS left
	TESTS_UNTIL=$(($(date +%s) + $2)) tiers fits "$1" "$times"
}
t 'a long test begins if it ends in time' may_begin t/1000-slow.t 120
t 'on this machine' eval '! may_begin t/1000-slow.t 60'
t 'one that is shorter still begins' may_begin t/store/many 60
printf '#!/bin/sh\necho 1..1; echo ok 1\n' >"$tree/t/1000-slow.t"
timed() { top_srcdir=$tree sh "$lib/timed.sh" "$times" "$@"; }
skipped() { TESTS_UNTIL=1 timed "$tree/t/1000-slow.t" | grep -q '^1[.][.]0 # SKIP '; }
t 'which otherwise is skipped, and says so' skipped
rm "$times/t:1000-slow.t"
chmod +x "$tree/t/1000-slow.t"
t 'and each runs where nobody waits' eval 'timed "$tree/t/1000-slow.t" | grep -qx "ok 1"'
t 'the shortest is the first' test "$(tiers long | tr '\n' ' ')" = "t/store/many $tree/t/1000-slow.t "
tap_done
