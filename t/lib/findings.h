/* What checks of a table say, as text: "!LINE KIND: TEXT" a line, with '!' for
 * an error. */
#ifndef T_FINDINGS_H
#define T_FINDINGS_H
#include <stdio.h>
#include <string.h>
#include "tables/checked_table.h"
#include "tap.h"

static char said[4000];

static inline void note_finding(void *user, const struct finding *f)
{
	(void)user;
	size_t n = strlen(said);
	snprintf(said + n, sizeof said - n, "%s%llu %s: %s\n",
		 f->is_error ? "!" : "", (unsigned long long)f->line, f->kind,
		 f->text);
}

static inline void says(const char *want)
{
	if (!ok(strstr(said, want) != NULL, "%s", want))
		printf("#  got: %s\n", said);
}
#endif
