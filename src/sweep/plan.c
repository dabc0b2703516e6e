/* plan.c -- Makes the points of a sweep from axes, a sample or a list. */
#include "sweep/plan.h"
#include <inttypes.h>
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include "arm/assignment.h"
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/json/json_writer.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/text.h"
#include "math/expression.h"
#include "sweep/values.h"

enum { MOST_POINTS = 100000000 };

/* ---- axes ---- */

/* Returns the axis with that name of n characters, or -1. */
static long axis_named(const struct plan *l, const char *name, size_t n)
{
	for (size_t a = 0; a < l->n_axes; a++)
		if (!strncmp(l->axis[a].name, name, n) && !l->axis[a].name[n])
			return (long)a;
	return -1;
}

long plan_axis_named(const struct plan *l, const char *name)
{
	return axis_named(l, name, strlen(name));
}

/* Adds an axis without values. */
static struct plan_axis *add_axis(struct plan *l, const char *name, size_t n,
				  struct problem *p)
{
	struct plan_axis *more =
	    realloc(l->axis, (l->n_axes + 1) * sizeof *more);
	if (!more) {
		problem_no_memory(p);
		return NULL;
	}
	l->axis = more;
	struct plan_axis *x = &l->axis[l->n_axes];
	*x = (struct plan_axis){.dot = assignment_dot(name, n)};
	if (!x->dot) {
		assignment_refuse(l->option, name, n, p);
		return NULL;
	}
	if (axis_named(l, name, n) >= 0) {
		problem_set(p, EXIT_USAGE, "axis %.*s given twice", (int)n,
			    name);
		return NULL;
	}
	x->name = strndup(name, n);
	if (!x->name) {
		problem_no_memory(p);
		return NULL;
	}
	l->n_axes++;
	return x;
}

static int parse_axes(struct plan *l, const struct names *axis,
		      struct problem *p)
{
	for (size_t i = 0; i < axis->n; i++) {
		const char *text = axis->item[i], *equals = strchr(text, '=');
		if (!equals)
			return problem_set(p, EXIT_USAGE,
					   "--axis %s: not SECTION.KEY=VALUES, "
					   "as in workload.request_rate=1,2",
					   text);
		struct plan_axis *x =
		    add_axis(l, text, (size_t)(equals - text), p);
		if (!x || values_parse(&x->value, x->name, equals + 1, p) < 0)
			return -1;
	}
	return 0;
}

/* ---- zipped axes ---- */

/* Finds the axes that form one dimension of the product: lead[a] is the first
 * axis of the group of axis a. */
static int pair(const struct plan *l, size_t *lead, const char *text,
		struct problem *p)
{
	long first = -1;
	for (const char *s = text;;) {
		size_t n = strcspn(s, ",");
		long a = axis_named(l, s, n);
		if (a < 0)
			return problem_set(p, EXIT_USAGE,
					   "--zip %s: no axis '%.*s'", text,
					   (int)n, s);
		if (lead[a] != (size_t)a || a == first)
			return problem_set(p, EXIT_USAGE,
					   "--zip %s: %.*s is zipped twice",
					   text, (int)n, s);
		first = first < 0 ? a : first;
		if (l->axis[a].value.n != l->axis[first].value.n)
			return problem_set(
			    p, EXIT_USAGE,
			    "--zip %s: %s has %zu values, %s has %zu", text,
			    l->axis[first].name, l->axis[first].value.n,
			    l->axis[a].name, l->axis[a].value.n);
		lead[a] = (size_t)first;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

static int pair_axes(const struct plan *l, size_t *lead,
		     const struct names *zip, struct problem *p)
{
	for (size_t a = 0; a < l->n_axes; a++)
		lead[a] = a;
	for (size_t i = 0; i < zip->n; i++)
		if (pair(l, lead, zip->item[i], p) < 0)
			return -1;
	return 0;
}

/* ---- the product, or a sample of it ---- */

/* Returns the number of points, exact up to MOST_POINTS. */
static double count_points(const struct plan *l, const size_t *lead)
{
	double n = 1;
	for (size_t a = 0; a < l->n_axes; a++)
		if (lead[a] == a)
			n *= (double)l->axis[a].value.n;
	return n;
}

/* The last axis varies fastest. */
static void draw_product(const struct plan *l, const size_t *lead)
{
	for (size_t i = 0; i < l->n_points; i++) {
		size_t rest = i;
		uint32_t *at = l->at + i * l->n_axes;
		for (size_t a = l->n_axes; a-- > 0;)
			if (lead[a] == a) {
				at[a] = (uint32_t)(rest % l->axis[a].value.n);
				rest /= l->axis[a].value.n;
			}
	}
}

static int make_points(struct plan *l, const size_t *lead, struct problem *p)
{
	double all = count_points(l, lead);
	if (all > MOST_POINTS)
		return problem_set(p, EXIT_USAGE,
				   "more than %d points; --points FILE.csv "
				   "takes a choice of them",
				   MOST_POINTS);
	size_t n = l->n_points = (size_t)all;
	l->at = calloc(n * l->n_axes + 1, sizeof *l->at);
	if (!l->at)
		return problem_no_memory(p);
	draw_product(l, lead);
	for (size_t i = 0; i < n; i++)
		for (size_t a = 0; a < l->n_axes; a++)
			l->at[i * l->n_axes + a] =
			    l->at[i * l->n_axes + lead[a]];
	return 0;
}

static int cross_axes(struct plan *l, const struct plan_source *from,
		      struct problem *p)
{
	size_t *lead = calloc(l->n_axes + 1, sizeof *lead);
	if (!lead)
		return problem_no_memory(p);
	int rc = pair_axes(l, lead, &from->zip, p);
	if (rc == 0)
		rc = make_points(l, lead, p);
	free(lead);
	return rc;
}

/* ---- points from a file ---- */

struct point_file {
	struct plan *plan;
	struct map64 *known; /* per axis: hash of a value -> its index */
	size_t cap, most;
	const char *origin;
	struct problem *p;
	int failed;        /* 1: *p says why */
	int may_leave_out; /* 1: cells may be empty */
};

/* Returns 0, or -1 with *f->p. */
static int add_column(struct point_file *f, const char *name)
{
	size_t n = strlen(name);
	if (!assignment_dot(name, n))
		return problem_set(f->p, EXIT_USAGE,
				   "%s:1: column '%s' is no SECTION.KEY, as "
				   "engine.max_num_seqs is one",
				   f->origin, name);
	return add_axis(f->plan, name, n, f->p) ? 0 : -1;
}

static const char *take_head(struct point_file *f, uint32_t n,
			     char *const *cell)
{
	f->known = calloc(n, sizeof *f->known);
	if (!f->known)
		return out_of_memory;
	for (uint32_t i = 0; i < n; i++)
		if (add_column(f, cell[i]) < 0) {
			f->failed = 1;
			return "";
		}
	return NULL;
}

/* Returns the index of a value among those of its axis; adds it if it is new.
 * SIZE_MAX: memory is out. */
static size_t place_of(struct names *l, struct map64 *known, const char *value)
{
	for (uint64_t h = hash_on(HASH_BEGIN, value, strlen(value));; h++) {
		int is_new;
		uint64_t *place = map64_at(known, h, &is_new);
		if (!place || (is_new && names_add(l, value) < 0))
			return SIZE_MAX;
		if (is_new)
			*place = l->n - 1;
		if (!strcmp(l->item[*place], value))
			return (size_t)*place;
	}
}

static const char *take_row(void *user, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct point_file *f = user;
	struct plan *l = f->plan;
	char value[VALUE_SIZE];
	if (row == 0)
		return take_head(f, n, cell);
	if (l->n_points == f->most) {
		f->failed = 1;
		problem_set(f->p, EXIT_USAGE,
			    "%s:%llu: more than %zu points, all that may be "
			    "tried",
			    f->origin, (unsigned long long)row + 1, f->most);
		return "";
	}
	if (l->n_points == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 256;
		uint32_t *more = realloc(l->at, f->cap * n * sizeof *more);
		if (!more)
			return out_of_memory;
		l->at = more;
	}
	for (uint32_t a = 0; a < n; a++) {
		value_plain(value, cell[a], strlen(cell[a]));
		if (!*value && !f->may_leave_out)
			return "an empty cell";
		size_t at = place_of(&l->axis[a].value, &f->known[a], value);
		if (at == SIZE_MAX)
			return out_of_memory;
		l->at[l->n_points * n + a] = (uint32_t)at;
	}
	l->n_points++;
	return NULL;
}

static int read_rows(struct plan *l, FILE *f, const struct plan_source *from,
		     struct problem *p)
{
	const char *origin = from->list ? from->list_from : from->points;
	struct point_file file = {.plan = l,
				  .most = from->most ? from->most : MOST_POINTS,
				  .origin = origin,
				  .p = p,
				  .may_leave_out = from->list != NULL};
	struct problem why;
	int rc = csv_read(f, origin, take_row, &file, &why);
	for (size_t a = 0; file.known && a < l->n_axes; a++)
		map64_free(&file.known[a]);
	free(file.known);
	if (rc < 0)
		return file.failed ? -1
				   : problem_set(p, why.code, "%s", why.text);
	return l->n_points
		   ? 0
		   : problem_set(p, EXIT_INPUT, "%s: has no points", origin);
}

static int read_points(struct plan *l, const struct plan_source *from,
		       struct problem *p)
{
	FILE *f = from->list ? fmemopen((void *)(uintptr_t)from->list,
					strlen(from->list), "re")
			     : infile_open(from->points, p);
	if (!f)
		return from->list ? problem_no_memory(p) : -1;
	int rc = read_rows(l, f, from, p);
	fclose(f);
	return rc;
}

/* ---- --where ---- */

struct where {
	const struct plan *plan;
	const struct ini *cfg;
	size_t point;
};

static struct value as_value(const char *text)
{
	char *end;
	double v = strtod(text, &end);
	return end == text || *end ? (struct value){0, text}
				   : (struct value){v, NULL};
}

static int name_value(void *user, const char *name, struct value *out,
		      struct problem *p)
{
	const struct where *w = user;
	const struct plan *l = w->plan;
	long a = plan_axis_named(l, name);
	for (size_t i = 0; a < 0 && i < l->n_axes; i++)
		if (name_is_tail(name, l->axis[i].name))
			a = (long)i;
	if (a >= 0) {
		*out = as_value(plan_value(l, w->point, (size_t)a));
		return 0;
	}
	for (size_t i = 0; i < w->cfg->n; i++) {
		const struct ini_item *t = &w->cfg->item[i];
		size_t n = strlen(t->section);
		if (!strncmp(t->section, name, n) && name[n] == '.' &&
		    !strcmp(t->key, name + n + 1)) {
			*out = as_value(t->value);
			return 0;
		}
	}
	return problem_set(p, EXIT_USAGE,
			   "'%s' is neither an axis nor a key of %s", name,
			   w->cfg->path);
}

static int keep_where(struct plan *l, const char *text, const struct ini *cfg,
		      struct problem *p)
{
	struct expression *e = expression_parse(text, "--where", p);
	struct where w = {.plan = l, .cfg = cfg};
	const struct expression_scope scope = {.user = &w, .name = name_value};
	size_t n = 0;
	int rc = e ? 0 : -1;
	for (; rc >= 0 && w.point < l->n_points; w.point++) {
		rc = expression_holds(e, &scope, p);
		if (rc == 1)
			memmove(l->at + n++ * l->n_axes,
				l->at + w.point * l->n_axes,
				l->n_axes * sizeof *l->at);
	}
	expression_free(e);
	if (rc < 0)
		return -1;
	l->n_points = n;
	return n ? 0
		 : problem_set(p, EXIT_USAGE, "--where %s: holds for no point",
			       text);
}

/* ---- names ---- */

const char *plan_value(const struct plan *l, size_t point, size_t axis)
{
	return l->axis[axis].value.item[l->at[point * l->n_axes + axis]];
}

/* Returns the axis with the next name behind `last` (NULL: the first). */
static size_t next_axis(const struct plan *l, const char *last)
{
	size_t best = l->n_axes;
	for (size_t a = 0; a < l->n_axes; a++) {
		const char *name = l->axis[a].name;
		if ((!last || strcmp(name, last) > 0) &&
		    (best == l->n_axes || strcmp(name, l->axis[best].name) < 0))
			best = a;
	}
	return best;
}

static void sha_text(SHA2_CTX *c, const char *text)
{
	SHA256Update(c, (const uint8_t *)text, strlen(text));
}

void plan_point_name(const struct plan *l, size_t point, char out[POINT_NAME])
{
	char hex[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX c;
	SHA256Init(&c);
	size_t a = next_axis(l, NULL);
	for (size_t i = 0; i < l->n_axes; i++) {
		sha_text(&c, i ? "\n" : "");
		sha_text(&c, l->axis[a].name);
		sha_text(&c, "=");
		sha_text(&c, plan_value(l, point, a));
		a = next_axis(l, l->axis[a].name);
	}
	SHA256End(&c, hex);
	memcpy(out, hex, POINT_NAME - 1);
	out[POINT_NAME - 1] = '\0';
}

static int name_all(struct plan *l, struct problem *p)
{
	char name[POINT_NAME];
	struct map64 seen = {0};
	SHA2_CTX c;
	int rc = 0;
	SHA256Init(&c);
	for (size_t i = 0; rc == 0 && i < l->n_points; i++) {
		plan_point_name(l, i, name);
		sha_text(&c, name);
		int is_new;
		uint64_t *place =
		    map64_at(&seen, strtoull(name, NULL, 16), &is_new);
		if (!place)
			rc = problem_no_memory(p);
		else if (!is_new)
			rc = problem_set(
			    p, EXIT_USAGE,
			    "points %" PRIu64
			    " and %zu of the plan have the same values",
			    *place, i + 1);
		else
			*place = i + 1;
	}
	SHA256End(&c, l->sha256);
	map64_free(&seen);
	return rc;
}

/* ---- the whole plan ---- */

int plan_make(struct plan *l, const struct plan_source *from,
	      const struct ini *cfg, struct problem *p)
{
	int is_read = from->points || from->list;
	*l = (struct plan){.option = from->list     ? from->list_from
				     : from->points ? "--points"
						    : "--axis"};
	if (!is_read == !from->axis.n)
		return problem_set(
		    p, EXIT_USAGE,
		    from->points
			? "--points and --axis: give only one of the two"
			: "needs --axis SECTION.KEY=VALUES or "
			  "--points FILE.csv");
	if (from->points && from->zip.n)
		return problem_set(p, EXIT_USAGE,
				   "--zip needs --axis, but --points is given");
	int rc =
	    is_read ? read_points(l, from, p) : parse_axes(l, &from->axis, p);
	if (rc == 0 && !is_read)
		rc = cross_axes(l, from, p);
	if (rc == 0 && from->where)
		rc = keep_where(l, from->where, cfg, p);
	return rc < 0 ? -1 : name_all(l, p);
}

void plan_free(struct plan *l)
{
	for (size_t a = 0; a < l->n_axes; a++) {
		names_free(&l->axis[a].value);
		free(l->axis[a].name);
	}
	free(l->axis), free(l->at);
	*l = (struct plan){0};
}

static void write_texts(struct jw *j, const char *key, const struct names *l)
{
	jw_flat_array(j, key);
	for (size_t i = 0; i < l->n; i++)
		jw_text(j, NULL, l->item[i]);
	jw_end(j);
}

char *plan_text(const struct plan *l, const struct plan_source *from)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	struct jw j = jw_document(f);
	jw_object(&j, "axes");
	for (size_t a = 0; a < l->n_axes; a++)
		write_texts(&j, l->axis[a].name, &l->axis[a].value);
	jw_end(&j);
	if (from->zip.n)
		write_texts(&j, "zip", &from->zip);
	if (from->where)
		jw_text(&j, "where", from->where);
	jw_text(&j, "points_sha256", l->sha256);
	jw_finish(&j);
	return text_end(&t);
}
