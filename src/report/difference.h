/* report/difference.h -- where two results differ: members of two JSON
 * documents, without their identity, provenance and elapsed. */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Writes the first `most` values that differ, one a line ("arms.0.mean_ttft_ms:
 * 5.31 was 5.3"), and how many others do.  Returns their number, or -1 if one
 * text is no JSON. */
long difference_write(const char *was, const char *is, size_t most, FILE *f);
