/* fit_knobs.c -- Reads the knobs of a fit. */
#include "steps/fit_knobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "keys/keys.h"
#include "validate/fit/calibrate.h"
#include "stepcost/kernel/linear_defaults.h"

/* The figure that the plugin `linear` has for a factor that is not set. */
static double start_of_linear(const char *name, int is_work)
{
	static const struct {
		const char *name;
		double v;
	} of[] = {{"weights", SC_LINEAR_WEIGHTS},
		  {"prompt", SC_LINEAR_PROMPT},
		  {"decode", SC_LINEAR_DECODE},
		  {"kv", SC_LINEAR_KV},
		  {"pairs", SC_LINEAR_PAIRS}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (!strcmp(of[i].name, name))
			return is_work ? of[i].v : 1;
	return 1;
}

/* A factor of `linear` that is not set begins at the shipped figure, or, with
 * scale = time, at 1. */
static double start_of(const sc_plugin *plugin, const sc_knob *k,
		       const void *block)
{
	const sc_knob *scale =
	    knob_named(plugin->knob, plugin->n_knobs, "scale");
	int64_t word = 0;
	double v;
	memcpy(&v, (const char *)block + k->offset, sizeof v);
	if (v != -1 || strcmp(plugin->name, "linear") != 0 || !scale)
		return v;
	memcpy(&word, (const char *)block + scale->offset, sizeof word);
	return start_of_linear(k->name, word == 0);
}

/* Reads "LOW..HIGH"; returns the end, or NULL. */
static const char *read_bounds(const char *s, double *low, double *high)
{
	char text[40];
	const char *dots = strstr(s, "..");
	size_t n = dots ? (size_t)(dots - s) : 0;
	if (!dots || n >= sizeof text)
		return NULL;
	memcpy(text, s, n);
	text[n] = '\0';
	const char *end = number_parse(text, low);
	if (end == text || *end)
		return NULL;
	end = number_parse(dots + 2, high);
	return end == dots + 2 ? NULL : end;
}

/* The bounds that the plugin gives to fits, else its range. */
static void bounds_of(const sc_knob *k, struct fit_knob *to)
{
	int given = SC_HAS(k, fit_high) && isfinite(k->fit_low) &&
		    isfinite(k->fit_high) && k->fit_high > k->fit_low;
	to->low = given ? k->fit_low : k->min;
	to->high = given ? k->fit_high : k->max;
}

static int read_knob(struct fit_knob *to, const char *text,
		     const sc_plugin *plugin, const void *block,
		     struct problem *p)
{
	size_t n = strcspn(text, "=:");
	const char *rest = text + n;
	to->name = strndup(text, n);
	if (!to->name)
		return problem_no_memory(p);
	const sc_knob *k = knob_named(plugin->knob, plugin->n_knobs, to->name);
	if (!k || k->type != SC_KNOB_DOUBLE)
		return calibrate_no_knob(plugin, to->name, p);
	to->start = start_of(plugin, k, block);
	bounds_of(k, to);
	if (*rest == '=') {
		const char *end = number_parse(rest + 1, &to->start);
		rest = end == rest + 1 ? NULL : end;
	}
	int has_bounds = rest && *rest == ':';
	if (has_bounds)
		rest = read_bounds(rest + 1, &to->low, &to->high);
	if (rest && !*rest && to->low >= to->high)
		return problem_set(p, EXIT_USAGE,
				   "--knobs: %s: LOW is not below HIGH", text);
	if (!rest || *rest || !(to->low < to->high) || to->low < k->min ||
	    to->high > k->max)
		return problem_set(p, EXIT_USAGE,
				   "--knobs: %s is not NAME[=START]"
				   "[:LOW..HIGH] within [%g, %g]",
				   text, k->min, k->max);
	if (to->start < to->low || to->start > to->high) {
		to->start_was_outside = 1;
		to->start = to->low > 0 ? sqrt(to->low * to->high)
					: (to->low + to->high) / 2;
	}
	return 0;
}

int fit_knobs_read(struct fit *f, const char *text, const sc_plugin *plugin,
		   const void *block, struct problem *p)
{
	char *list = strdup(text), *rest = list, *one;
	int rc = list ? 0 : problem_no_memory(p);
	while (rc == 0 && (one = strsep(&rest, ","))) {
		if (f->n == FIT_KNOBS)
			rc =
			    problem_set(p, EXIT_USAGE,
					"--knobs: at most %d knobs", FIT_KNOBS);
		else
			rc = read_knob(&f->knob[f->n++], one, plugin, block, p);
	}
	free(list);
	for (size_t i = 0; rc == 0 && i < f->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(f->knob[i].name, f->knob[k].name))
				rc = problem_set(p, EXIT_USAGE,
						 "--knobs: %s is given twice",
						 f->knob[i].name);
	return rc;
}
