#!/bin/sh
# The page that takes too long for CI (t/lib/page.sh).  Then laws of random
# configurations without end, or for SECONDS: each call has another seed.  A
# configuration that breaks a law is shrunk and written into t/laws/;
# t/2940-laws.t replays that folder.     sh tools/nightly.sh [SECONDS]
# Exit code 1: the page has other figures, or a law was broken.
. "$(dirname "$0")/setup.sh"
seconds=${1:-0}
folder=$tools_top/build-nightly
[ -e "$folder/config.status" ] || configured "$folder" >/dev/null
cd "$folder"
make -s -j "$(nproc)"
where_to_find "$PWD"
STEPCOST_NIGHTLY=1 make -s check TESTS=t/pages/field.t || exit 1
exec nice python3 "$tools_top/t/ref/laws.py" "$PWD/stepcost" --seed "$(date +%s)" --cases 0 --seconds "$seconds" \
	--found "$tools_top/t/laws"
