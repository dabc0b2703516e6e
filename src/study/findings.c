/* findings.c -- Combines the exit codes of a study and everything that follows
 * it. */
#include "study/findings.h"

int findings_code(const struct findings *w)
{
	const int code[] = {study_code(&w->study), seeds_code(&w->seeds),
			    explain_code(&w->explain), swap_code(&w->swap)};
	int highest = EXIT_DONE;
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		if (code[i] > highest)
			highest = code[i];
	return highest;
}

int findings_interrupted(const struct findings *w)
{
	const int by[] = {
	    w->study.arms.interrupted, seeds_interrupted(&w->seeds),
	    w->explain.arms.interrupted, w->explain.split.arms.interrupted,
	    w->swap.arms.interrupted};
	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		if (by[i])
			return by[i];
	return 0;
}

void findings_free(struct findings *w)
{
	swap_free(&w->swap);
	explain_free(&w->explain);
	seeds_free(&w->seeds);
	study_free(&w->study);
	effects_free(&w->effects);
	variants_free(&w->variants);
}
