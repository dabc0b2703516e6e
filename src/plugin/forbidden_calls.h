/* plugin/forbidden_calls.h -- finds out what eval() calls.  After
 * forbid_calls() every function of the C library that a loaded shared object
 * imports, except functions that only compute, points to an unmapped address:
 * the first call faults, and the fault tells the name of the function.  Only
 * for a process that ends afterwards: nothing is restored.  64-bit ELF with
 * RELA relocations, as on x86-64 and AArch64. */
#pragma once
#include "base/problem.h"

/* Receives the name of the function, in the signal handler; must not return. */
typedef void (*forbidden_call_fn)(void *user, const char *function);

/* dso: a handle from dlopen().  Returns 0, or -1 with *p filled in. */
int forbid_calls(void *dso, forbidden_call_fn on_call, void *user,
		 struct problem *p);
