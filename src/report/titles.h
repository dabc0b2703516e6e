/* report/titles.h -- names of figures for people, with their units:
 * "p99_ttft_ms" is "TTFT p99, ms".  Takes metrics of a run, figures of a
 * capacity search, columns of a sweep, and bounds. */
#pragma once
#include <stdio.h>

enum { TITLE_SIZE = 80 };
/* Returns buf.  A name without a title of its own keeps its words. */
const char *title_of(char buf[TITLE_SIZE], const char *name);
/* Writes "TTFT p99 <= 500 ms" for the bound "ttft_p99_ms" of 500. */
void title_bound(FILE *f, const char *name, double limit);
