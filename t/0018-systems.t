#!/bin/sh
# configure refuses systems that the tests have never run on, in one sentence.
. "${top_srcdir:-.}/t/lib/tap.sh"
configure=$(cd "$top_srcdir" && pwd)/configure
if [ -e "$top_srcdir/config.status" ]; then # then no other folder can be configured
	echo '1..0 # SKIP the source folder itself is configured'; exit 0
fi
refused() { # SENTENCE ARGUMENT...
	want=$1; shift
	(cd "$tap_tmp" && "$configure" -q "$@" 2>said); code=$?
	cat "$tap_tmp/said"
	[ $code -ne 0 ] && tail -n 1 "$tap_tmp/said" | grep -qF "configure: error: $want"
}
big='needs a little-endian system, because'
t '32 bits' refused 'needs a 64-bit system, because' CPPFLAGS='-U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=4'
t 'the other order of bytes' refused "$big" CPPFLAGS='-U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__'
if command -v s390x-linux-gnu-gcc >/dev/null; then
	t 's390x' refused "$big" --host=s390x-linux-gnu
fi
if command -v musl-gcc >/dev/null; then
	t 'musl' refused 'fegetmode() not found: needs glibc' CC=musl-gcc
fi
tap_done
