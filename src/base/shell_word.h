/* base/shell_word.h -- a word as a POSIX shell reads it back, byte by byte,
 * also an empty one.  Every script and command line that stepcost writes goes
 * through it. [any thread] */
#pragma once
#include <stdio.h>

/* Returns 1 if the character means nothing to a shell, also in double quotes.
 */
int shell_is_plain(char c);
/* Writes s: as it is if all its characters are plain; else in single quotes. */
void shell_word(FILE *f, const char *s);
