/* base/file/filetype.h -- recognises a file that is not the text it should be:
 * an archive, a git-LFS pointer, a web page, JSON with faults.  Knows nothing
 * of the rest of the program. */
#pragma once
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

/* What is wrong with a file without content. */
#define FILETYPE_EMPTY                                                         \
	"is empty: nothing was written to it; make it again, or name another " \
	"file"

/* head: the first n bytes of a file; 256 are enough.  Returns "is a git-LFS
 * pointer, not the data: …" or similar, or NULL if it recognises nothing. */
const char *filetype_not_text(const char *head, size_t n);
/* Returns the length of the UTF-8 byte order mark at the start: 3 or 0. */
size_t filetype_bom(const char *head, size_t n);
/* Says what is wrong with JSON that jansson could not read, also that the file
 * is cut short.  first_line: the line of the file where the text began, from 1.
 * Returns -1 with "origin:line: what" in *p (EXIT_INPUT). */
int filetype_bad_json(const json_error_t *e, const char *origin,
		      uint64_t first_line, struct problem *p);
