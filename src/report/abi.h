/* report/abi.h -- the ABI between host and plugins as data: every struct and
 * field of stepcost/plugin.h with type, offset, size, first minor version and
 * meaning.  tools/abi.py makes the list from the header; the compiler knows the
 * offsets. */
#pragma once
#include <stdio.h>

/* "sc_step.prefill_new  const uint32_t *  at 40, since 1.0: meaning", a line a
 * field. */
void abi_text(FILE *f);
void abi_csv(FILE *f);
void abi_json(FILE *f);
