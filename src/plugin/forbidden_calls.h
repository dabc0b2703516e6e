/* plugin/forbidden_calls.h -- what does eval() call?  After forbid_calls()
 * every function of the C library that a loaded shared object imports, but for
 * those that only compute, is an address where nothing is: the first call ends
 * in a fault, and the fault names the function.  For a process that is to be
 * thrown away: nothing is put back.  64-bit ELF with RELA relocations, as on
 * x86-64 and AArch64. */
#ifndef SC_PLUGIN_FORBIDDEN_CALLS_H
#define SC_PLUGIN_FORBIDDEN_CALLS_H
#include "base/problem.h"

/* What is told the function's name, in the signal handler; it does not
 * return. */
typedef void (*forbidden_call_fn)(void *user, const char *function);

/* dso: a handle of dlopen().  0, or -1 with *p. */
int forbid_calls(void *dso, forbidden_call_fn on_call, void *user,
		 struct problem *p);
#endif
