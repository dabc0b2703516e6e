/* fail_if.c -- Parses bounds, and checks the figures of arms. */
#include "study/fail_if.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"

/* Writes "; metrics are mean_ttft_ms, ...": those of the table. */
static const char *list_metrics(char *to, size_t size)
{
	size_t n = 0;
	to[0] = '\0';
	for (size_t i = 0; i < n_metrics && n < size; i++)
		if (metric[i].headline && !metric[i].special)
			n += (size_t)snprintf(to + n, size - n, "%s%s",
					      n ? ", " : "; metrics are ",
					      metric[i].name);
	return to;
}

static int bad_metric(const char *text, int length, struct problem *p)
{
	char name[100], hint[100], list[600];
	struct nearest n;
	snprintf(name, sizeof name, "%.*s", length, text);
	nearest_start(&n, name);
	for (size_t i = 0; i < n_metrics; i++)
		nearest_try(&n, metric[i].name);
	nearest_hint(&n, hint);
	return problem_set(p, EXIT_USAGE, "--fail-if %s: no metric '%s'%s%s",
			   text, name, hint,
			   *hint ? "" : list_metrics(list, sizeof list));
}

int fail_if_parse(struct fail_if *f, const char *text, struct problem *p)
{
	char name[100], *end;
	size_t n = strcspn(text, "<>");
	*f = (struct fail_if){.text = text, .above = text[n] == '>'};
	snprintf(name, sizeof name, "%.*s", (int)n, text);
	if (!text[n])
		return problem_set(p, EXIT_USAGE,
				   "--fail-if %s: not METRIC>LIMIT or "
				   "METRIC<LIMIT",
				   text);
	if (!(f->metric = metric_find(name)))
		return bad_metric(text, (int)n, p);
	const char *number = text + n + 1;
	f->limit = strtod(number, &end);
	f->against = *end == '%'                        ? FAIL_IF_SHARE
		     : *number == '+' || *number == '-' ? FAIL_IF_DIFFERENCE
							: FAIL_IF_VALUE;
	if (f->against == FAIL_IF_SHARE) {
		f->limit /= 100;
		end++;
	}
	if (end == number || *end || !isfinite(f->limit))
		return problem_set(p, EXIT_USAGE,
				   "--fail-if %s: '%s' is no number, and no "
				   "number with %%",
				   text, number);
	return 0;
}

/* Returns the limit of the figure itself, given the first arm's figure. */
static double limit_of_value(const struct fail_if *f, double first)
{
	return f->against == FAIL_IF_VALUE        ? f->limit
	       : f->against == FAIL_IF_DIFFERENCE ? first + f->limit
						  : first * (1 + f->limit);
}

int fail_if_broken(const struct fail_if *f, const struct results *r, size_t i,
		   char line[FAIL_IF_LINE])
{
	const struct arm_result *arm = &r->arm[i], *first = &r->arm[0];
	int alone = f->against == FAIL_IF_VALUE;
	if (arm->error || (!alone && (i == 0 || first->error)))
		return 0;
	double value = metric_value(f->metric, &arm->record->outcome);
	double of_first =
	    alone ? 0 : metric_value(f->metric, &first->record->outcome);
	double limit = limit_of_value(f, of_first);
	if (isnan(value) || isnan(limit)) {
		snprintf(line, FAIL_IF_LINE,
			 "%s: there is no %s to compare (--fail-if %s)",
			 arm->name, f->metric->name, f->text);
		return 1;
	}
	if (f->above ? value <= limit : value >= limit)
		return 0;
	int n =
	    snprintf(line, FAIL_IF_LINE, "%s is %.*f under %s", f->metric->name,
		     f->metric->decimals, value, arm->name);
	if (!alone && n < FAIL_IF_LINE)
		n += snprintf(line + n, (size_t)(FAIL_IF_LINE - n),
			      " and %.*f under %s (%+.2f %%)",
			      f->metric->decimals, of_first, first->name,
			      100 * (value / of_first - 1));
	if (n < FAIL_IF_LINE)
		snprintf(line + n, (size_t)(FAIL_IF_LINE - n),
			 " (--fail-if %s)", f->text);
	return 1;
}
