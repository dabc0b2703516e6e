/* trust/mismatch.h -- names the keys in which a run differs from every run that
 * was scored.
 *
 * A key of [hardware] or [model] does if it changes the file that `config`
 * names; a number of a GPU described elsewhere, if it lies outside those of its
 * family in etc/hardware.  A key of [engine] does if it is given, is a flag of
 * the engine that no other property of a place stands for, and its value is
 * neither a default of the engine nor one of scored runs (a number: in their
 * range).  [any thread]; no printing. */
#pragma once
#include "arm/configuration.h"
#include "trust/scored.h"

enum { MISMATCH_TEXT = 400 };
/* Writes "memory_bandwidth_tbs 10 (h100-sxm: 3.35), max_num_seqs 1 (scored: 32
 * to 1024)" to text, or "".  s: the scored rows of arm i.  Returns text. */
const char *mismatch_scored(char text[MISMATCH_TEXT], const struct config *c,
			    size_t i, const struct scored *s);
