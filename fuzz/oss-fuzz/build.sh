#!/bin/bash -eu
# Builds every target for OSS-Fuzz, each with its corpus and dictionary.  The
# sanitizers are in CFLAGS, the engine is in LIB_FUZZING_ENGINE.
autoreconf -fi
./configure --enable-sanitizer=fuzzer-no-link \
	CC="$CC" CFLAGS="$CFLAGS"
make -j"$(nproc)" fuzz fuzz_ldflags="$LIB_FUZZING_ENGINE"
for corpus in fuzz/corpus/*; do
	target=$(basename "$corpus")
	cp "fuzz/$target" "$OUT/"
	zip -qj "$OUT/${target}_seed_corpus.zip" "$corpus"/*
	[ ! -e "fuzz/$target.dict" ] || cp "fuzz/$target.dict" "$OUT/"
done
