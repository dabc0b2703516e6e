/* findings.c -- Sums up how a study and what follows from it went. */
#include <config.h>
#include "study/findings.h"

int findings_code(const struct findings *w)
{
	const int code[] = {study_code(&w->study), seeds_code(&w->seeds),
			    explain_code(&w->explain)};
	int highest = EXIT_DONE;
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		if (code[i] > highest)
			highest = code[i];
	return highest;
}

int findings_interrupted(const struct findings *w)
{
	return w->study.arms.interrupted   ? w->study.arms.interrupted
	       : w->seeds.arms.interrupted ? w->seeds.arms.interrupted
					   : w->explain.arms.interrupted;
}

void findings_free(struct findings *w)
{
	explain_free(&w->explain);
	seeds_free(&w->seeds);
	study_free(&w->study);
	variants_free(&w->variants);
}
