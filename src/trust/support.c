/* support.c -- Judges how far a prediction can be trusted. */
#include <config.h>
#include "trust/support.h"
#include <math.h>

const char *const support_name[] = {"not scored", "extrapolated", "measured",
				    "known wrong"};

struct support support_of(const char *plugin, const char *version)
{
	(void)plugin, (void)version;
	return (struct support){.verdict = SUPPORT_NOT_SCORED, .error = NAN};
}

void support_write(const struct support *s, FILE *f)
{
	fputs(support_name[s->verdict], f);
	if (*s->detail)
		fprintf(f, ": %s", s->detail);
	if (s->n)
		fprintf(f, "%s %u row%s, mean error %.1f %%",
			*s->detail ? ";" : ":", s->n, s->n == 1 ? "" : "s",
			100 * s->error);
}
