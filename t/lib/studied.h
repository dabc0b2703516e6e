/* studied.h -- the study of a configuration, given as the text of an INI. */
#ifndef T_STUDIED_H
#define T_STUDIED_H
#include "config_of.h"
#include "study/study.h"

static struct config config;
static struct study study;

static void studied_free(void)
{
	study_free(&study);
	config_free(&config);
}

/* All arms; returns what study_run() does, with `why`. */
static int studied_with(const char *ini, const struct study_options *o)
{
	studied_free();
	config_good(&config, ini);
	return study_run(&study, "compare", &config, config.n_arms, o, NULL,
			 NULL, &why);
}

__attribute__((unused)) static void studied(const char *ini)
{
	/* Seeds and swaps of the study read them later. */
	static struct study_options o;
	o = study_defaults;
	o.why = 1;
	if (studied_with(ini, &o) < 0)
		bail_out(why.text);
}
#endif
