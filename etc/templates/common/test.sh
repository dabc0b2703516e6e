# make check: does the plugin keep the promises of stepcost/plugin.h, and does
# it still answer steps.csv as in expected.csv?  Write that file with
# `make expected.csv` once you believe the answers.
set -eu
stepcost plugins check @NAME@.so >check.tap || {
	grep -A3 '^not ok' check.tap
	exit 1
}
echo "@NAME@ keeps its promises: $(grep -c '^ok' check.tap) checks"
[ -f expected.csv ] || exit 0
stepcost eval @NAME@.ini --arms @NAME@ --steps steps.csv --output answers.csv
cut -d, -f1,3 answers.csv | diff expected.csv -
echo 'steps.csv is answered as expected'
