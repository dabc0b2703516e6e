/* cmd/allocations.h -- the program notes every allocation that fails, its own
 * and those of jansson and SQLite (problem_machine_failed()).  Then code that
 * goes on without what it lacks cannot pass for code that had it, and jansson's
 * "not JSON" or SQLite's empty cell for the content of a file.  SQLite's reads
 * are noted, too: it calls a file damaged that cannot be read.  The linker puts
 * these functions in place of the C library's (--wrap, Makefile.am). */
#pragma once

/* Call it once, before the first use of these libraries.  [main] */
void allocations_begin(void);
