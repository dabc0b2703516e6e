/* report/cite.h -- the sources that a result must cite, as BibTeX: stepcost,
 * the plugins of its arms, its tables, its traces; from the list of inputs
 * (base/file/inputs.h). */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Writes the BibTeX entries instead of the command's own output, `text`; a
 * `finish` of outfile_through().  Returns 0. */
int cite_finish(FILE *to, const char *text, size_t n);
