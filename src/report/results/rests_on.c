/* rests_on.c -- Writes what the arms of an answer rest on. */
#include "report/results/rests_on.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "record/metrics.h"

/* The highest by the lowest end of the interval of mean E2E latency; NaN: there
 * is none. */
static double width_of(const struct trusted *t)
{
	const struct trust_interval *x =
	    trusted_interval(t, metric_find("mean_e2el_ms"));
	return x && x->low > 0 ? x->high / x->low : (double)NAN;
}

/* Writes "fp8 (nearest: bf16), load 20 (scored: 1)" as "fp8, load". */
static void write_unlike(FILE *f, const char *detail)
{
	while (*detail) {
		size_t n = strcspn(detail, "("), shown = n;
		if (detail[n] && shown && detail[shown - 1] == ' ')
			shown--;
		if (!strncmp(detail + n, "(scored", 7))
			while (shown &&
			       strchr(" .0123456789", detail[shown - 1]))
				shown--;
		fprintf(f, "%.*s", (int)shown, detail);
		detail += n + strcspn(detail + n, ")");
		detail += *detail == ')';
	}
}

/* "extrapolated to fp8, load"; the caller frees it.  NULL: memory is out. */
static char *kind_of(const struct support *s)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fputs(support_name[s->verdict], f);
	if (s->verdict == SUPPORT_EXTRAPOLATED) {
		fputs(" to ", f);
		write_unlike(f, s->detail);
	}
	return text_end(&t);
}

/* Returns 1 if both have the same runs and errors. */
static int is_same(const struct rests_on *a, const struct rests_on *b)
{
	return a->trusted->support.n == b->trusted->support.n &&
	       !(fabs(a->trusted->support.error - b->trusted->support.error) >
		 0);
}

/* Writes "a, b, c and 4 more (18 runs, 4.4 %)": arms of the kind of item i with
 * the runs of item i. */
static void write_alike(FILE *f, const struct rests_on *item, size_t n,
			char *const *kind, size_t i)
{
	enum { MOST_NAMES = 3 };
	const struct support *s = &item[i].trusted->support;
	size_t named = 0;
	for (size_t k = i; k < n; k++)
		if (!strcmp(kind[k], kind[i]) && is_same(&item[k], &item[i]) &&
		    named++ < MOST_NAMES)
			fprintf(f, "%s %s", k > i ? "," : "", item[k].name);
	if (named > MOST_NAMES)
		fprintf(f, " and %zu more", named - MOST_NAMES);
	if (s->n)
		fprintf(f, " (%u run%s, %.1f %%)", s->n, s->n == 1 ? "" : "s",
			100 * s->error);
}

/* Writes the arms of one kind, from item i on; nothing if an earlier item has
 * that kind. */
static void write_kind(FILE *f, const struct rests_on *item, size_t n,
		       char *const *kind, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(kind[k], kind[i]))
			return;
	fprintf(f, "%s%s:", i ? "; " : "", kind[i]);
	for (size_t k = i; k < n; k++) {
		size_t first = i;
		while (strcmp(kind[first], kind[k]) != 0 ||
		       !is_same(&item[first], &item[k]))
			first++;
		if (strcmp(kind[k], kind[i]) != 0 || first < k)
			continue;
		if (k > i)
			putc(',', f);
		write_alike(f, item, n, kind, k);
	}
}

static void say_kinds(const struct rests_on *item, size_t n, char *const *kind,
		      struct document *d)
{
	FILE *f = document_write(d);
	if (!f)
		return;
	fputs("Support, and the mean error of the nearest scored runs: ", f);
	for (size_t i = 0; i < n; i++)
		write_kind(f, item, n, kind, i);
	putc('.', f);
	document_written(d, DOCUMENT_SENTENCE);
}

/* Returns 1 if the runs behind a are less like the question than those behind
 * b, and its interval is narrower all the same. */
static int looks_surer(const struct rests_on *a, const struct rests_on *b)
{
	const struct support *x = &a->trusted->support,
			     *y = &b->trusted->support;
	return x->verdict == SUPPORT_EXTRAPOLATED &&
	       (y->verdict == SUPPORT_MEASURED ||
		(y->verdict == SUPPORT_EXTRAPOLATED &&
		 x->n_unlike > y->n_unlike)) &&
	       width_of(a->trusted) < width_of(b->trusted);
}

static void say_surer(const struct rests_on *item, size_t n, struct document *d)
{
	const char *before = NULL;
	FILE *f = document_write(d);
	for (size_t i = 0; f && i < n; i++) {
		size_t k = 0;
		while (k < n && !looks_surer(&item[i], &item[k]))
			k++;
		if (k == n || (before && !strcmp(before, item[i].name)))
			continue;
		fprintf(f, "%s%s", before ? ", " : "Narrow ranges of ",
			item[i].name);
		before = item[i].name;
	}
	if (f && before)
		fputs(" are no surer: they rest on less similar runs.", f);
	document_written(d, DOCUMENT_SENTENCE);
}

void rests_on_say(const struct rests_on *item, size_t n, struct document *d)
{
	char **kind = calloc(n + 1, sizeof *kind);
	size_t known = 0;
	while (kind && known < n &&
	       (kind[known] = kind_of(&item[known].trusted->support)))
		known++;
	d->failed |= !kind || known < n;
	if (n && known == n)
		say_kinds(item, n, kind, d);
	for (size_t i = 0; i < known; i++)
		free(kind[i]);
	free(kind);
	say_surer(item, n, d);
}
