/* base/memstream.h -- a stream that collects text in memory.  open_memstream()
 * of the C library loses bytes in silence when memory runs out; this one keeps
 * what it has, fails in fclose(), and notes it (problem_machine_failed()). */
#pragma once
#include <stdio.h>

/* After fflush() or fclose() *text has the *size bytes that were written, and a
 * 0 behind them; it is never NULL, and the caller frees it after fclose().
 * Returns NULL without memory: then *text is NULL. */
FILE *memstream_open(char **text, size_t *size);
