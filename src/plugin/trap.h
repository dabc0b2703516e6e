/* plugin/trap.h -- what does eval() call?  After trap_set() every function of
 * the C library that a loaded shared object imports, but for those that only
 * compute, is an address where nothing is: the first call ends in a fault, and
 * the fault names the function.  For a process that is to be thrown away:
 * nothing is put back.  64-bit ELF with RELA relocations, as on x86-64 and
 * AArch64. */
#ifndef SC_PLUGIN_TRAP_H
#define SC_PLUGIN_TRAP_H
#include "base/problem.h"

/* What is told the function's name, in the signal handler; it does not
 * return. */
typedef void (*trap_fn)(void *user, const char *function);

/* dso: a handle of dlopen().  0, or -1 with *p. */
int trap_set(void *dso, trap_fn sprung, void *user, struct problem *p);
#endif
