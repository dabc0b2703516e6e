/* fuzz.h -- a fuzz target: one function that is given bytes, and must neither
 * crash nor break what it asserts.  libFuzzer has the main() where the compiler
 * instruments for it; everywhere else replay.c has one, which gives the files
 * of a corpus to the same function. */
#ifndef SC_FUZZ_H
#define SC_FUZZ_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a stream; NULL: there are none.  The caller closes it. */
static inline FILE *fuzz_stream(const uint8_t *data, size_t size)
{
	return size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
}
/* The bytes as a text that is freed by the caller; NULL: they hold a NUL, or
 * are more than `most`. */
char *fuzz_text(const uint8_t *data, size_t size, size_t most);
/* Returns the path of a file with these bytes.  It is in memory, and the next
 * call replaces it. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* Two inputs in one: a line "==" ends the first.  Returns the size of the
 * first, and in *second the place where the second begins.  Without such a
 * line it returns 0, and all bytes are the second. */
size_t fuzz_split(const uint8_t *data, size_t size, size_t *second);
/* A folder of this process, made at the first call in $TMPDIR, and removed at
 * exit().  libFuzzer ends without exit(), so that tools/fuzz.sh removes the
 * rest. */
const char *fuzz_folder(void);
/* The bytes as a file in that folder; folders in its name are made. */
void fuzz_put(const char *name, const uint8_t *data, size_t size);
/* Puts a text into a file of the data folders.  From the first call on the
 * program's own files are not found: they are many, and reading them takes
 * longer than an input does. */
void fuzz_put_data(const char *name, const char *text);
#endif
