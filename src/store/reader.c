/* reader.c -- Reads the results of a store row by row. */
#include "store/reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/nearest.h"
#include "base/number.h"
#include "store/scan.h"
#include "store/schema.h"

struct reader {
	struct store *store;
	struct scan scan;
	struct expression *where; /* NULL: all rows */
	struct reader_head *head; /* [n] */
	struct value *cell;       /* [n] cells of the current row */
	uint64_t *taken;          /* [n] the row that a cell was read from */
	uint64_t row;             /* number of the current row, from 1 */
	size_t n;
	int is_begun;                /* the next row is not the first */
	const unsigned char *chosen; /* as in reader_choose() */
	size_t place;                /* of the next row in it */
	struct damage damage;
};

/* ---- columns ---- */

/* Describes the column at an index behind the point. */
static struct reader_head head_at(const struct store *s, size_t i)
{
	static const struct reader_head behind_axes[] = {
	    {.name = "arm", .role = READER_ARM},
	    {.name = "seed", .role = READER_SEED},
	    {.name = "status", .role = READER_STATUS},
	    {.name = "error", .role = READER_ERROR},
	    {.name = "warning", .role = READER_TEXT},
	};
	enum { N = sizeof behind_axes / sizeof *behind_axes };
	enum store_mode mode = s->study.mode;
	struct reader_head h = {.role = READER_NUMBER};
	if (i < s->axes.n)
		return (struct reader_head){.name = s->axes.item[i],
					    .role = READER_AXIS};
	i -= s->axes.n;
	if (i < N)
		return behind_axes[i];
	i -= N;
	if (i < store_n_texts(mode))
		return (struct reader_head){.name = store_text(mode, i),
					    .role = READER_TEXT};
	if (store_number(mode, i - store_n_texts(mode), &h.is))
		h.name = h.is.name;
	return h;
}

/* Returns the name that a column has today. */
static const char *name_today(const char *name)
{
	return strcmp(name, "broken_by") ? name : "limited_by";
}

static int list_columns(struct reader *r, struct problem *p)
{
	r->n = (size_t)r->scan.n;
	r->head = calloc(r->n + 1, sizeof *r->head);
	r->cell = calloc(r->n + 1, sizeof *r->cell);
	r->taken = calloc(r->n + 1, sizeof *r->taken);
	if (!r->head || !r->cell || !r->taken)
		return problem_no_memory(p);
	r->head[0] = (struct reader_head){.name = "point"};
	for (size_t i = 1, at = 0; i < r->n; i++) {
		const char *name =
		    name_today(sqlite3_column_name(r->scan.rows, (int)i));
		/* A store from before a figure existed lacks its column. */
		do
			r->head[i] = head_at(r->store, at++);
		while (r->head[i].name && strcmp(r->head[i].name, name));
		if (!r->head[i].name)
			return problem_set(p, EXIT_INPUT,
					   "%s: has a column '%s' that this "
					   "stepcost does not know",
					   r->store->path, name);
	}
	return 0;
}

long reader_column(const struct reader *r, const char *name, struct problem *p)
{
	struct nearest near;
	char hint[100];
	long found = -1;
	int n = 0;
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->head[i].name, name))
			return (long)i;
	for (size_t i = 0; i < r->n; i++)
		if (r->head[i].role == READER_AXIS &&
		    name_is_tail(name, r->head[i].name)) {
			found = (long)i;
			n++;
		}
	if (n == 1)
		return found;
	nearest_start(&near, name);
	struct names all = {0};
	char list[600];
	for (size_t i = 0; i < r->n; i++) {
		nearest_try(&near, r->head[i].name);
		if (names_add(&all, r->head[i].name) < 0)
			break;
	}
	names_join(&all, list, sizeof list);
	names_free(&all);
	nearest_hint(&near, hint);
	return problem_set(p, EXIT_USAGE, "%s: %s column '%s'%s%s",
			   r->store->path, n ? "more than one" : "no", name,
			   *hint ? hint : "; it has ", *hint ? "" : list);
}

size_t reader_n_columns(const struct reader *r)
{
	return r->n;
}

const struct reader_head *reader_head(const struct reader *r, size_t column)
{
	return &r->head[column];
}

/* ---- cells ---- */

/* A cell is read when it is needed, because few figures of a row are. */
const struct value *reader_cell(const struct reader *r, size_t column)
{
	struct value *v = &r->cell[column];
	int i = (int)column;
	if (r->taken[column] == r->row)
		return v;
	r->taken[column] = r->row;
	*v = (struct value){.number = NAN};
	int type = sqlite3_column_type(r->scan.rows, i);
	if (type == SQLITE_TEXT)
		v->text = (const char *)sqlite3_column_text(r->scan.rows, i);
	else if (type != SQLITE_NULL)
		v->number = sqlite3_column_double(r->scan.rows, i);
	return v;
}

const char *reader_text(const struct reader *r, size_t column, char buf[32])
{
	const struct value *v = reader_cell(r, column);
	if (v->text)
		return v->text;
	if (isnan(v->number))
		return "";
	number_format(buf, v->number);
	return buf;
}

static int name_value(void *user, const char *name, struct value *out,
		      struct problem *p)
{
	const struct reader *r = user;
	long column = reader_column(r, name, p);
	if (column < 0)
		return -1;
	*out = *reader_cell(r, (size_t)column);
	return 0;
}

/* Returns 1 if the row is wanted, 0 if not, or -1 with *p filled in. */
static int evaluate_where(struct reader *r, struct problem *p)
{
	const struct expression_scope scope = {.user = r, .name = name_value};
	return r->where ? expression_holds(r->where, &scope, p) : 1;
}

void reader_choose(struct reader *r, const unsigned char *chosen)
{
	r->chosen = chosen;
}

/* Each pass finds the damaged rows again. */
static void begin_pass(struct reader *r)
{
	r->damage = (struct damage){0};
	r->place = 0;
	r->is_begun = 1;
}

/* Returns 1 with a row that is as it was written. */
static int next_good(struct reader *r, struct problem *p)
{
	char name[SCAN_NAME];
	enum scan_found found;
	if (!r->is_begun)
		begin_pass(r);
	while ((found = scan_next(&r->scan, p)) == SCAN_DAMAGED)
		damage_add(&r->damage, scan_name(&r->scan, name));
	r->row++;
	r->is_begun = found == SCAN_GOOD;
	return found == SCAN_GOOD ? 1 : found == SCAN_END ? 0 : -1;
}

int reader_next(struct reader *r, struct problem *p)
{
	int rc;
	while ((rc = next_good(r, p)) == 1) {
		int wanted = evaluate_where(r, p);
		if (wanted < 0) {
			sqlite3_reset(r->scan.rows);
			r->is_begun = 0;
		}
		if (wanted && r->chosen && !r->chosen[r->place++])
			continue;
		if (wanted)
			return wanted;
	}
	return rc;
}

const struct damage *reader_damage(const struct reader *r)
{
	return &r->damage;
}

/* ---- the order ---- */

/* Orders arms as in the study; arms that the study does not name come last. */
static void order_of_arms(FILE *f, const char *arms)
{
	int place = 0;
	fputs("CASE arm", f);
	while (*arms) {
		size_t n = strcspn(arms, ",");
		fputs(" WHEN '", f);
		for (size_t i = 0; i < n; i++)
			fprintf(f, arms[i] == '\'' ? "''" : "%c", arms[i]);
		fprintf(f, "' THEN %d", place++);
		arms += n + (arms[n] == ',');
	}
	fprintf(f, "%s ELSE %d END", place ? "" : " WHEN '' THEN 0", place);
}

static void usual_order(FILE *f, const struct store *s)
{
	for (size_t i = 0; i < s->axes.n; i++) {
		schema_quote(f, s->axes.item[i]);
		fputs(", ", f);
	}
	order_of_arms(f, s->study.arms);
	fputs(", arm, seed", f);
}

/* Begins to read in the order of a column, rows without a value last; NULL: in
 * the usual order. */
static int prepare(struct reader *r, const char *column, int descending,
		   struct problem *p)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return problem_no_memory(p);
	if (column) {
		schema_quote(f, column);
		fputs(" IS NULL, ", f);
		schema_quote(f, column);
		fputs(descending ? " DESC, " : ", ", f);
	}
	usual_order(f, r->store);
	fclose(f);
	scan_close(&r->scan);
	int rc = scan_open(&r->scan, r->store, t.s, p);
	free(t.s);
	return rc;
}

static int sort_by(struct reader *r, const char *sort, struct problem *p)
{
	int descending = *sort == '-';
	long column = reader_column(r, sort + descending, p);
	return column < 0 ? -1
			  : prepare(r, r->head[column].name, descending, p);
}

struct reader *reader_open(struct store *s, const char *where, const char *sort,
			   struct problem *p)
{
	struct reader *r = calloc(1, sizeof *r);
	if (!r) {
		problem_no_memory(p);
		return NULL;
	}
	r->store = s;
	int rc = prepare(r, NULL, 0, p);
	if (rc == 0)
		rc = list_columns(r, p);
	if (rc == 0 && sort)
		rc = sort_by(r, sort, p);
	if (rc == 0 && where &&
	    !(r->where = expression_parse(where, "--where", p)))
		rc = -1;
	if (rc == 0)
		return r;
	reader_close(r);
	return NULL;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	scan_close(&r->scan);
	expression_free(r->where);
	free(r->head), free(r->cell), free(r->taken);
	free(r);
}
