/* report/help/find.h -- what the reference has on a word that is no topic of
 * its own: "fp8", "tp", "acceptance".  [main] */
#pragma once
#include <stdio.h>

/* Writes a line for each key and each question that has the word in its name,
 * its values, its short form (tp) or its meaning.  Returns how many. */
size_t help_find(FILE *f, const char *word);
