/* source.c -- Reads a text of a server from a file. */
#include "metrics/source.h"
#include <string.h>
#include "base/file/infile.h"

/* The page of a server has less than 1 MiB, a day of its log less than 10. */
enum { LONGEST_MIB = 256 };

int source_is_address(const char *where)
{
	return !strncmp(where, "http://", 7) || !strncmp(where, "https://", 8);
}

int source_read(const char *where, char **text, size_t *n, struct problem *p)
{
	if (source_is_address(where))
		return problem_set(p, EXIT_USAGE,
				   "%s: an address; save its page in a file: "
				   "curl -s %s >page.txt",
				   where, where);
	*text = infile_read(where, LONGEST_MIB, n, p);
	return *text ? 0 : -1;
}
