/* source.c -- Reads a text of a server from a file. */
#include <config.h>
#include "metrics/source.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/infile.h"

/* The page of a server has less than 1 MiB, a day of its log less than 10. */
enum { LONGEST_MIB = 256 };

int source_is_address(const char *where)
{
	return !strncmp(where, "http://", 7) || !strncmp(where, "https://", 8);
}

int source_read(const char *where, char **text, size_t *n, struct problem *p)
{
	struct stat st;
	if (source_is_address(where))
		return problem_set(p, EXIT_USAGE,
				   "%s: an address; save its page in a file: "
				   "curl -s %s >page.txt",
				   where, where);
	FILE *f = infile_open_short(where, LONGEST_MIB, p);
	if (!f)
		return -1;
	if (fstat(fileno(f), &st) < 0) {
		fclose(f);
		return problem_set(p, EXIT_USAGE, "%s: %s", where,
				   strerror(errno));
	}
	size_t size = (size_t)st.st_size;
	char *s = malloc(size + 1);
	*n = s ? fread(s, 1, size, f) : 0;
	int failed = ferror(f);
	fclose(f);
	if (!s)
		return problem_no_memory(p);
	if (failed) {
		free(s);
		return problem_set(p, EXIT_USAGE, "%s: cannot be read", where);
	}
	s[*n] = '\0';
	*text = s;
	return 0;
}
