/* distribution.c -- Parses distributions of lengths and draws from them. */
#include "workload/distribution.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/grow.h"
#include "base/number.h"
#include "base/whole.h"

static const double most = INT32_MAX;

enum { MEAN, P50, MU, STD, CV, SIGMA, P90, P95, P99, MIN, MAX, N_NAMES };
static const char *const name[N_NAMES] = {"mean", "p50",   "mu",  "std",
					  "cv",   "sigma", "p90", "p95",
					  "p99",  "min",   "max"};

/* The numbers behind the colon: v by name, `at` by position; NaN: not given. */
struct arguments {
	double v[N_NAMES], at[2];
	int n_at;
};

static int given(const struct arguments *a, int which)
{
	return !isnan(a->v[which]);
}

static int number(const char *s, double *out)
{
	const char *end = number_parse(s, out);
	return end != s && !*end && isfinite(*out);
}

/* Reads an argument of a distribution, NUMBER or NAME=NUMBER. */
static const char *argument(struct arguments *a, const char *s)
{
	const char *equals = strchr(s, '=');
	double v;
	if (!number(equals ? equals + 1 : s, &v))
		return "not a number; write a decimal number";
	if (!equals) {
		if (a->n_at == 2)
			return "too many numbers";
		a->at[a->n_at++] = v;
		return NULL;
	}
	for (int i = 0; i < N_NAMES; i++)
		if (strlen(name[i]) == (size_t)(equals - s) &&
		    !strncmp(name[i], s, (size_t)(equals - s))) {
			if (given(a, i))
				return "given twice";
			a->v[i] = v;
			return NULL;
		}
	return "the names are mean, p50, mu, std, cv, sigma, p90, p95, p99, "
	       "min, max";
}

/* Returns how many names are given, without min and max. */
static int names(const struct arguments *a)
{
	int n = 0;
	for (int i = 0; i < MIN; i++)
		n += given(a, i);
	return n;
}

static const char *constant(struct distribution *d, const struct arguments *a)
{
	if (a->n_at != 1 || names(a))
		return "is constant:N";
	d->a = a->at[0];
	if (d->a < d->min || d->a > d->max || (d->whole && d->a != rint(d->a)))
		return d->whole ? "must be a whole number from 1 to 2147483647"
				: "must be at least 0";
	return NULL;
}

static const char *uniform(struct distribution *d, const struct arguments *a)
{
	if (a->n_at != 2 || names(a))
		return "is uniform:a,b";
	d->a = a->at[0];
	d->b = a->at[1];
	if (d->whole && (d->a != rint(d->a) || d->b != rint(d->b)))
		return "must have whole numbers";
	return d->a < d->min || d->b > d->max || d->a > d->b
		   ? "must be uniform:a,b with a <= b, both in range"
		   : NULL;
}

static const char *normal(struct distribution *d, const struct arguments *a)
{
	if (a->n_at == 2 && !names(a)) {
		d->a = a->at[0];
		d->b = a->at[1];
	} else if (!a->n_at && names(a) == 2 && given(a, MEAN)) {
		d->a = a->v[MEAN];
		d->b = given(a, STD) ? a->v[STD] : a->v[CV] * d->a;
	} else {
		d->b = NAN;
	}
	return d->b >= 0 ? NULL : "must be normal:mean,std or normal:mean=,cv=";
}

static const char *exponential(struct distribution *d,
			       const struct arguments *a)
{
	d->a = a->n_at ? a->at[0] : a->v[MEAN];
	return a->n_at + names(a) == 1 && d->a > 0 ? NULL
						   : "must be exponential:mean";
}

/* With s = sigma: mu = log p50 = log mean - s^2/2, cv^2 = exp(s^2) - 1 and pX =
 * exp(mu + z s), where z is the normal quantile of X. */
static const char *lognormal(struct distribution *d, const struct arguments *a)
{
	static const double z[] = {1.2815515655446004, 1.6448536269514722,
				   2.3263478740408408};
	const char *wanted =
	    "needs a location (mean=, p50= or mu=) and a spread (std=, cv=, "
	    "sigma=, p90=, p95= or p99=), or mean= and p50=";
	double mean = a->v[MEAN], p50 = a->v[P50], s = NAN;
	if (a->n_at || names(a) != 2)
		return wanted;
	if (given(a, MU))
		p50 = exp(a->v[MU]);
	int by_mean = isnan(p50);
	if (!((by_mean ? mean : p50) > 0))
		return wanted;
	for (int i = P90; i <= P99; i++) {
		double t = z[i - P90],
		       g = log(a->v[i] / (by_mean ? mean : p50));
		if (given(a, i))
			s = by_mean ? t - sqrt(t * t - 2 * g) : g / t;
	}
	if (given(a, MEAN) && !by_mean) {
		s = sqrt(2 * log(mean / p50));
	} else if (given(a, SIGMA)) {
		s = a->v[SIGMA];
	} else if (given(a, CV) && a->v[CV] >= 0) {
		s = sqrt(log1p(a->v[CV] * a->v[CV]));
	} else if (given(a, STD) && a->v[STD] >= 0) {
		double r = a->v[STD] / (by_mean ? mean : p50);
		s = by_mean ? sqrt(log1p(r * r))
			    : sqrt(log((1 + sqrt(1 + 4 * r * r)) / 2));
	}
	d->a = by_mean ? log(mean) - s * s / 2 : log(p50);
	d->b = s;
	return s >= 0 ? NULL : wanted;
}

/* ---- empirical:FILE ---- */

enum { ALIKE, WEIGHTED, QUANTILES };
struct file {
	struct distribution *d;
	int columns;
	uint32_t cap;
	double total;
};

static const char *append(struct file *f, double value, double until)
{
	struct distribution *d = f->d;
	uint32_t cap = f->cap; /* of both arrays */
	if (!MAKE_ROOM(d->value, d->n, cap) ||
	    !MAKE_ROOM(d->until, d->n, f->cap))
		return out_of_memory;
	d->value[d->n] = value;
	d->until[d->n++] = until;
	return NULL;
}

/* The first row, unless it is a value already. */
static const char *on_header(struct file *f, uint32_t n, char *const *cell)
{
	const char *second = n == 2 ? cell[1] : "";
	if (n == 1 && !strcmp(cell[0], "tokens"))
		f->columns = ALIKE;
	else if (!strcmp(cell[0], "tokens") && !strcmp(second, "weight"))
		f->columns = WEIGHTED;
	else if (!strcmp(cell[0], "quantile") && !strcmp(second, "tokens"))
		f->columns = QUANTILES;
	else
		return "columns must be tokens, or tokens,weight, or "
		       "quantile,tokens";
	return NULL;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct file *f = user;
	struct distribution *d = f->d;
	double v, w = 1;
	if (row == 0 && !(n == 1 && number(cell[0], &v)))
		return on_header(f, n, cell);
	if (row == 0)
		f->columns = ALIKE;
	if (!number(cell[f->columns == QUANTILES], &v) || v < d->min ||
	    v > d->max)
		return "tokens must be a number from 1 to 2147483647";
	if (f->columns == ALIKE)
		return append(f, v, f->total += 1);
	if (f->columns == WEIGHTED) {
		if (!number(cell[1], &w) || w < 0)
			return "weight must be a number of at least 0";
		return w > 0 ? append(f, v, f->total += w) : NULL;
	}
	if (!number(cell[0], &w) || w < 0 || w > 1 ||
	    (d->n ? w <= d->until[d->n - 1] || v < d->value[d->n - 1] : w > 0))
		return "quantiles must rise from 0 to 1, and their tokens must "
		       "not fall";
	return append(f, v, w);
}

/* Reads a distribution from a file of values or quantiles. */
static int empirical(struct distribution *d, const char *file,
		     const struct ini *c, const char *key, const char *at,
		     struct problem *p)
{
	struct file f = {.d = d};
	char *path =
	    c ? ini_resolve_key(c, "workload", key, file) : strdup(file);
	struct problem why;
	FILE *in = path ? infile_open(path, &why) : NULL;
	int rc;
	if (!path)
		problem_no_memory(&why);
	if (!in) {
		rc = problem_set(p, why.code, "%s: %s", at, why.text);
		free(path);
		return rc;
	}
	rc = csv_read(in, path, on_row, &f, p);
	fclose(in);
	if (rc == 0 && d->n == 0)
		rc = problem_set(p, EXIT_INPUT, "%s: no values", path);
	else if (rc == 0 && f.columns == QUANTILES && d->until[d->n - 1] < 1)
		rc = problem_set(p, EXIT_INPUT,
				 "%s: the last quantile must be 1", path);
	for (uint32_t i = 0; rc == 0 && f.columns != QUANTILES && i < d->n; i++)
		d->until[i] /= f.total;
	if (f.columns == QUANTILES)
		d->kind = DISTRIBUTION_QUANTILES;
	free(path);
	return rc;
}

/* ---- histogram:EDGE=COUNT,... ---- */

/* Draws of bucket (a, b] are whole numbers from a + 1 to b, so they are rounded
 * from reals from a + 1/2 to b + 1/2; seconds are from a to b. */
static double edge_of(const struct distribution *d, double edge)
{
	return d->whole ? edge + 0.5 : edge;
}

/* Reads a bucket of a histogram, EDGE=COUNT. */
static const char *bucket(struct file *f, const char *s)
{
	struct distribution *d = f->d;
	const char *equals = strchr(s, '=');
	char edge[40];
	double e, count;
	if (!equals || (size_t)(equals - s) >= sizeof edge)
		return "a bucket is EDGE=COUNT";
	snprintf(edge, sizeof edge, "%.*s", (int)(equals - s), s);
	if (!number(edge, &e) || !number(equals + 1, &count) || count < 0)
		return "a bucket is EDGE=COUNT, both numbers";
	e = edge_of(d, e);
	if (e <= (d->n ? d->value[d->n - 1] : d->a) || e > d->max + 1)
		return "the edges of the buckets must rise, from at least 1";
	f->total += count;
	return append(f, e, f->total);
}

/* In each bucket a draw is low + (high - low) u^b with u uniform, so its mean
 * is at 1 / (1 + b) of the bucket; b gives the mean of all. */
static const char *skew(struct distribution *d, double mean)
{
	double low = d->a, lows = 0, widths = 0, share = 0;
	for (uint32_t i = 0; i < d->n; i++) {
		lows += (d->until[i] - share) * low;
		widths += (d->until[i] - share) * (d->value[i] - low);
		share = d->until[i];
		low = d->value[i];
	}
	double at = isnan(mean) ? 0.5 : (mean - lows) / widths;
	if (!(at > 0 && at < 1))
		return "mean= cannot be the mean of these buckets";
	d->b = 1 / at - 1;
	return NULL;
}

/* Reads a histogram: buckets, and perhaps mean=NUMBER. */
static const char *histogram(struct distribution *d, const char *text)
{
	struct file f = {.d = d};
	char *copy = strdup(text), *rest = NULL;
	const char *why = NULL;
	double mean = NAN;
	if (!copy)
		return out_of_memory;
	d->a = edge_of(d, 0);
	for (char *s = strtok_r(copy, ",", &rest); s && !why;
	     s = strtok_r(NULL, ",", &rest)) {
		s += strspn(s, " ");
		if (strncmp(s, "mean=", 5))
			why = bucket(&f, s);
		else if (!number(s + 5, &mean))
			why = "mean= must be a number";
	}
	free(copy);
	if (!why && !(f.total > 0))
		why = "needs a bucket with values: EDGE=COUNT";
	for (uint32_t i = 0; !why && i < d->n; i++)
		d->until[i] /= f.total;
	return why ? why : skew(d, mean);
}

/* ---- parse and draw ---- */

static const struct {
	const char *name;
	enum distribution_kind kind;
	const char *(*set)(struct distribution *d, const struct arguments *a);
} kind[] = {
    {"constant", DISTRIBUTION_CONSTANT, constant},
    {"uniform", DISTRIBUTION_UNIFORM, uniform},
    {"normal", DISTRIBUTION_NORMAL, normal},
    {"lognormal", DISTRIBUTION_LOGNORMAL, lognormal},
    {"exponential", DISTRIBUTION_EXPONENTIAL, exponential},
};
enum { N_KINDS = sizeof kind / sizeof *kind };

static const char *limits(struct distribution *d, const struct arguments *a)
{
	double min = given(a, MIN) ? a->v[MIN] : d->min;
	double max = given(a, MAX) ? a->v[MAX] : d->max;
	if (min < d->min || max > d->max || min > max ||
	    (d->whole && (min != rint(min) || max != rint(max))))
		return d->whole ? "min and max must be whole numbers from 1 to "
				  "2147483647, and min at most max"
				: "min and max must be at least 0, and min at "
				  "most max";
	d->min = min;
	d->max = max;
	return NULL;
}

/* Parses "KIND:arguments", or a number alone. */
static const char *parse(struct distribution *d, const char *text)
{
	char copy[200], *rest = NULL;
	struct arguments a;
	const char *colon = strchr(text, ':'), *why = NULL;
	size_t n = colon ? (size_t)(colon - text) : 0;
	int k = 0;
	for (int i = 0; i < N_NAMES; i++)
		a.v[i] = NAN;
	a.n_at = 0;
	while (colon && k < N_KINDS &&
	       (strlen(kind[k].name) != n || strncmp(kind[k].name, text, n)))
		k++;
	if (k == N_KINDS || (!colon && !strchr("0123456789.+-", text[0])) ||
	    !text[0])
		return "must be constant:N, uniform:a,b, normal:mean,std, "
		       "lognormal:mean=,p50=, exponential:mean, "
		       "histogram:EDGE=COUNT,... or empirical:FILE";
	if ((size_t)snprintf(copy, sizeof copy, "%s",
			     colon ? colon + 1 : text) >= sizeof copy)
		return "too long";
	for (char *s = strtok_r(copy, ",", &rest); s && !why;
	     s = strtok_r(NULL, ",", &rest))
		why = argument(&a, s + strspn(s, " "));
	d->kind = kind[k].kind;
	if (!why)
		why = kind[k].set(d, &a);
	return why ? why : limits(d, &a);
}

int distribution_parse(struct distribution *d, const char *text,
		       enum distribution_of of, const char *at, const char *key,
		       const struct ini *c, struct problem *p)
{
	static const char file[] = "empirical:", buckets[] = "histogram:";
	*d = (struct distribution){
	    .whole = of == OF_TOKENS, .min = of == OF_TOKENS, .max = most};
	if (!strncmp(text, file, sizeof file - 1) && text[sizeof file - 1]) {
		d->kind = DISTRIBUTION_EMPIRICAL;
		if (empirical(d, text + sizeof file - 1, c, key, at, p) == 0)
			return 0;
		distribution_free(d);
		return -1;
	}
	d->kind = DISTRIBUTION_HISTOGRAM;
	const char *why = strncmp(text, buckets, sizeof buckets - 1)
			      ? parse(d, text)
			      : histogram(d, text + sizeof buckets - 1);
	if (!why)
		return 0;
	distribution_free(d);
	if (why == out_of_memory)
		return problem_no_memory(p);
	return problem_set(p, EXIT_USAGE, "%s: %s = %s: %s", at, key, text,
			   why);
}

uint32_t distribution_find(const double *until, uint32_t n, double u)
{
	uint32_t low = 0, high = n - 1;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (until[mid] < u)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Transforms a draw with mean 0 and deviation 1. */
static double of_normal(const struct distribution *d, double x)
{
	double y = d->a + d->b * x;
	return d->kind == DISTRIBUTION_LOGNORMAL ? exp(y) : y;
}

/* u is in the share of bucket i. */
static double in_bucket(const struct distribution *d, uint32_t i, double u)
{
	double low = i ? d->value[i - 1] : d->a;
	double from = i ? d->until[i - 1] : 0;
	double at = (u - from) / (d->until[i] - from);
	return low + (d->value[i] - low) * pow(at, d->b);
}

/* Draws a value before it is rounded and cut to the limits. */
static double raw(const struct distribution *d, struct rng *r)
{
	double u;
	uint32_t i;
	switch (d->kind) {
	case DISTRIBUTION_UNIFORM:
		return d->whole ? d->a + (double)rng_below(
					     r, (uint64_t)(d->b - d->a) + 1)
				: d->a + (d->b - d->a) * rng_uniform(r);
	case DISTRIBUTION_NORMAL:
	case DISTRIBUTION_LOGNORMAL:
		return of_normal(d, rng_normal(r));
	case DISTRIBUTION_EXPONENTIAL:
		return d->a * rng_exponential(r);
	case DISTRIBUTION_EMPIRICAL:
		return d
		    ->value[distribution_find(d->until, d->n, rng_uniform(r))];
	case DISTRIBUTION_HISTOGRAM:
		u = rng_uniform(r);
		i = distribution_find(d->until, d->n, u);
		return in_bucket(d, i, u);
	case DISTRIBUTION_QUANTILES:
		u = rng_uniform(r);
		i = distribution_find(d->until, d->n, u);
		i += i == 0; /* u = 0 begins the first part */
		return d->value[i - 1] + (d->value[i] - d->value[i - 1]) *
					     (u - d->until[i - 1]) /
					     (d->until[i] - d->until[i - 1]);
	default: /* DISTRIBUTION_CONSTANT */
		return d->a;
	}
}

static double limited(const struct distribution *d, double v)
{
	return v < d->min ? d->min : v > d->max ? d->max : v;
}

double distribution_draw(const struct distribution *d, struct rng *r)
{
	return limited(d, raw(d, r));
}

/* Computes raw() for each of the streams. */
static void raw_together(const struct distribution *d, uint64_t streams,
			 uint64_t index, double v[RNG_TOGETHER])
{
	int is_normal =
	    d->kind == DISTRIBUTION_NORMAL || d->kind == DISTRIBUTION_LOGNORMAL;
	if (is_normal)
		rng_normals(streams, index, v);
	for (uint32_t i = 0; i < RNG_TOGETHER; i++) {
		struct rng r = rng_stream_of(streams, index + i);
		v[i] = is_normal ? of_normal(d, v[i]) : raw(d, &r);
	}
}

uint32_t distribution_tokens(const struct distribution *d, struct rng *r)
{
	return (uint32_t)whole_round(distribution_draw(d, r));
}

void distribution_tokens_together(const struct distribution *d,
				  uint64_t streams, uint64_t index,
				  uint32_t to[RNG_TOGETHER])
{
	double v[RNG_TOGETHER];
	raw_together(d, streams, index, v);
	for (uint32_t i = 0; i < RNG_TOGETHER; i++)
		to[i] = (uint32_t)whole_round(limited(d, v[i]));
}

void distribution_free(struct distribution *d)
{
	free(d->value), free(d->until);
	*d = (struct distribution){0};
}
