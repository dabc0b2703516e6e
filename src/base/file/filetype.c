/* filetype.c -- Recognises files that are not text by their first bytes. */
#include "base/file/filetype.h"
#include <stdio.h>
#include <string.h>

const char *filetype_not_text(const char *head, size_t n)
{
	static const struct {
		const char *magic;
		size_t n;
		const char *what;
	} known[] = {
	    {"\x1f\x8b", 2, "is compressed by gzip: unpack it first"},
	    {"\x28\xb5\x2f\xfd", 4, "is compressed by zstd: unpack it first"},
	    {"\xfd"
	     "7zXZ",
	     5, "is compressed by xz: unpack it first"},
	    {"BZh", 3, "is compressed by bzip2: unpack it first"},
	    {"PK\x03\x04", 4, "is a zip archive: unpack it first"},
	    {"PAR1", 4, "is a Parquet file: convert it to CSV first"},
	    {"\xff\xfe", 2, "is UTF-16: convert it to UTF-8 first"},
	    {"version https://git-lfs", 23,
	     "is a git-LFS pointer, not the data: run git lfs pull"},
	    {"<!DOCTYPE", 9, "is a web page, not the data"},
	    {"<html", 5, "is a web page, not the data"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].n &&
		    !memcmp(head, known[i].magic, known[i].n))
			return known[i].what;
	return NULL;
}

size_t filetype_bom(const char *head, size_t n)
{
	return n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
}

int filetype_bad_json(const json_error_t *e, const char *origin,
		      uint64_t first_line, struct problem *p)
{
	/* jansson says of some failed allocations that the text is wrong. */
	if (problem_machine_failed())
		return problem_no_memory(p);
	char why[JSON_ERROR_TEXT_LENGTH + 40];
	uint64_t line = first_line + (e->line > 0 ? (uint64_t)e->line - 1 : 0);
	int is_cut = json_error_code(e) == json_error_premature_end_of_input;
	int is_other = json_error_code(e) == json_error_invalid_syntax;
	if (is_cut && e->position == 0)
		snprintf(why, sizeof why, FILETYPE_EMPTY);
	else
		snprintf(why, sizeof why, "%s%s",
			 is_cut     ? "the file is cut short: "
			 : is_other ? "not JSON: "
				    : "",
			 e->text);
	return problem_at(p, origin, line, why);
}
