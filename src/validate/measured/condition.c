/* condition.c -- Compares cells of measured rows with conditions on them. */
#include "validate/measured/condition.h"
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct measured_column *condition_column(const char *name)
{
	for (size_t c = 0; c < measured_n_columns; c++)
		if (!strcmp(measured_column[c].name, name))
			return &measured_column[c];
	return NULL;
}

/* Copies the next alternative of *list, and moves behind it.  Returns 0 if
 * there are no more. */
static int next_alternative(const char **list, char *one, size_t size)
{
	const char *from = *list + strspn(*list, " ");
	size_t n = strcspn(from, ",");
	if (!*from)
		return 0;
	*list = from + n + (from[n] == ',');
	while (n && from[n - 1] == ' ')
		n--;
	n = n < size ? n : size - 1;
	memcpy(one, from, n);
	one[n] = '\0';
	return 1;
}

/* Splits "A..B".  Returns B, or NULL if there are no dots. */
static char *split_range(char *one)
{
	char *dots = strstr(one, "..");
	if (dots)
		*dots = '\0';
	return dots ? dots + 2 : NULL;
}

int condition_on_text(const char *alternatives, const char *text)
{
	char one[200];
	while (next_alternative(&alternatives, one, sizeof one)) {
		const char *upto = split_range(one);
		if (!strcmp(one, "-") && !text)
			return 1;
		if (!text)
			continue;
		if (upto ? strcmp(text, one) >= 0 &&
			       (!*upto || strcmp(text, upto) <= 0)
			 : fnmatch(one, text, FNM_CASEFOLD) == 0)
			return 1;
	}
	return 0;
}

int condition_on_number(const char *alternatives, double number)
{
	char one[200];
	while (next_alternative(&alternatives, one, sizeof one)) {
		const char *upto = split_range(one);
		if (!strcmp(one, "-") && isnan(number))
			return 1;
		double least = *one ? strtod(one, NULL) : -INFINITY;
		double most = !upto   ? least
			      : *upto ? strtod(upto, NULL)
				      : INFINITY;
		if (number >= least && number <= most)
			return 1;
	}
	return 0;
}

int condition_holds(const struct measured_column *c, const char *alternatives,
		    const struct measured_row *r)
{
	const char *text;
	double number;
	if (c->type == MEASURED_NUMBER) {
		memcpy(&number, (const char *)r + c->offset, sizeof number);
		return condition_on_number(alternatives, number);
	}
	memcpy(&text, (const char *)r + c->offset, sizeof text);
	return condition_on_text(alternatives, text);
}
