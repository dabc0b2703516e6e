/* load.c -- Reads the sections of an experiment. */
#include "experiment/load.h"
#include <stdlib.h>
#include <string.h>
#include "arm/arm_list.h"
#include "base/file/infile.h"
#include "experiment/claim.h"
#include "experiment/point.h"
#include "experiment/scope.h"

const char experiment_folder[] = "etc/experiments";
const char *const experiment_sections[] = {"experiment", "claim",
					   "table:", NULL};

enum { MAX_ITEMS = 64 };

/* ---- [experiment] ---- */

static int load_head(struct experiment *x, const struct ini_item *item,
		     struct problem *p)
{
	const struct {
		const char *key;
		const char **to;
	} text[] = {{"title", &x->title},
		    {"question", &x->question},
		    {"source", &x->source},
		    {"refuted_if", &x->refuted_if}};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		if (!strcmp(item->key, text[i].key)) {
			*text[i].to = item->value;
			return 0;
		}
	if (strcmp(item->key, "refuted"))
		return problem_set(p, EXIT_USAGE,
				   "%s: unknown key %s in [experiment]; "
				   "allowed: title, question, source, "
				   "refuted_if, refuted",
				   item->at, item->key);
	x->refuted = expression_parse(item->value, item->at, p);
	return x->refuted ? 0 : -1;
}

/* ---- [table:NAME] ---- */

/* A key of a table.  name: the part behind the dot of the key. */
struct loading {
	struct experiment *x;
	struct xp_table *table;
	const struct ini *ini;
	const struct ini_item *item;
	const char *name;
};

static int load_title(const struct loading *l, struct problem *p)
{
	(void)p;
	l->table->title = l->item->value;
	return 0;
}

static int load_hide(const struct loading *l, struct problem *p)
{
	(void)p;
	l->table->hide = l->item->value;
	return 0;
}

static int load_show(const struct loading *l, struct problem *p)
{
	l->table->is_hidden = !strcmp(l->item->value, "no");
	return l->table->is_hidden || !strcmp(l->item->value, "yes")
		   ? 0
		   : problem_set(p, EXIT_USAGE, "%s: show = yes or no",
				 l->item->at);
}

/* Reads a CSV file into an empty grid. */
static int load_file(const struct loading *l, struct grid *g, struct problem *p)
{
	char *path = ini_resolve_path(l->ini, l->item->value);
	struct problem why;
	if (!path)
		return problem_no_memory(p);
	FILE *f = infile_open(path, &why);
	int rc = f ? grid_read(g, f, path, p)
		   : problem_set(p, why.code, "%s: %s", l->item->at, why.text);
	if (f)
		fclose(f);
	free(path);
	return rc;
}

static int load_rows(const struct loading *l, struct problem *p)
{
	if (l->table->rows.n_cols)
		return problem_set(p, EXIT_USAGE,
				   "%s: [table:%s] has axis.NAME and rows; "
				   "give one of the two",
				   l->item->at, l->table->name);
	return load_file(l, &l->table->rows, p);
}

static int load_expected_file(const struct loading *l, struct problem *p)
{
	return load_file(l, &l->table->expected, p);
}

/* Adds the names of the arms of a pattern as rows: "arms(v2_*, !v2_old)". */
static int arm_words(const struct loading *l, struct grid *axis,
		     struct problem *p)
{
	const char *from = l->item->value + strlen("arms(");
	char *pattern = strndup(from, strcspn(from, ")"));
	struct arm_list arms = {0};
	int rc =
	    pattern ? arm_list_read(&arms, l->ini, p) : problem_no_memory(p);
	if (rc == 0)
		rc = arm_list_select(&arms, pattern, l->ini->path, p);
	for (size_t i = 0; rc == 0 && i < arms.n; i++)
		if (grid_words(axis, l->name, arms.item[i].name) < 0)
			rc = problem_no_memory(p);
	arm_list_free(&arms);
	free(pattern);
	return rc;
}

static int load_axis(const struct loading *l, struct problem *p)
{
	struct grid axis = {0};
	if (!strncmp(l->item->value, "arms(", 5) &&
	    arm_words(l, &axis, p) < 0) {
		grid_free(&axis);
		return -1;
	}
	int ok =
	    (axis.n_cols || grid_words(&axis, l->name, l->item->value) == 0) &&
	    grid_cross(&l->table->rows, &axis) == 0;
	grid_free(&axis);
	return ok ? 0 : problem_no_memory(p);
}

/* Drops the rows for which the expression is 0. */
static int load_where(const struct loading *l, struct problem *p)
{
	struct expression *e = expression_parse(l->item->value, l->item->at, p);
	struct grid *rows = &l->table->rows;
	struct scope at = {.x = l->x, .in[0].table = l->table};
	int rc = e ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < rows->n_rows;) {
		struct value v;
		at.in[0].row = i;
		rc = scope_value(&at, e, &v, p);
		if (rc == 0 && v.number == 0)
			grid_drop_row(rows, i);
		else
			i++;
	}
	expression_free(e);
	return rc;
}

/* Returns the step or kernel with that name; adds it if it is new. */
static struct xp_ask *ask_for(const struct loading *l, struct problem *p)
{
	struct xp_table *t = l->table;
	struct xp_ask *a = experiment_ask(t, l->name, strlen(l->name));
	if (a)
		return a;
	if (t->n_asks == MAX_ITEMS) {
		problem_set(p, EXIT_USAGE, "%s: more than %d steps",
			    l->item->at, MAX_ITEMS);
		return NULL;
	}
	a = &t->ask[t->n_asks++];
	*a = (struct xp_ask){.name = l->name, .at = l->item->at};
	return a;
}

static int load_ask(const struct loading *l, struct problem *p)
{
	struct xp_ask *a = ask_for(l, p);
	if (!a)
		return -1;
	const struct {
		const char *key;
		const char **to;
	} text[] = {{"decode.", &a->decode},
		    {"prefill.", &a->prefill},
		    {"kernel.", &a->kernel}};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		if (!strncmp(l->item->key, text[i].key, strlen(text[i].key)))
			*text[i].to = l->item->value;
	if (a->kernel && (a->decode || a->prefill))
		return problem_set(p, EXIT_USAGE,
				   "%s: %s names both a step and a kernel",
				   l->item->at, a->name);
	return 0;
}

static int load_column(const struct loading *l, struct problem *p)
{
	struct xp_table *t = l->table;
	if (t->n_columns == MAX_ITEMS || grid_column(&t->rows, l->name) >= 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: more than %d columns, or one named as "
				   "a variable",
				   l->item->at, MAX_ITEMS);
	struct xp_column *c = &t->column[t->n_columns++];
	*c = (struct xp_column){.name = l->name, .digits = -1};
	c->is = expression_parse(l->item->value, l->item->at, p);
	return c->is ? 0 : -1;
}

static int load_digits(const struct loading *l, struct problem *p)
{
	struct xp_column *c =
	    experiment_column(l->table, l->name, strlen(l->name));
	char *end;
	long n = strtol(l->item->value, &end, 10);
	if (!c || end == l->item->value || *end || n < 0 || n > 15)
		return problem_set(p, EXIT_USAGE,
				   "%s: %s = %s: not a column above with 0 to "
				   "15 digits",
				   l->item->at, l->item->key, l->item->value);
	c->digits = (int)n;
	return 0;
}

/* Reads expect.NAME, and its continuations NAME.2, NAME.3 … */
static int load_expected(const struct loading *l, struct problem *p)
{
	struct xp_column *c =
	    experiment_column(l->table, l->name, strcspn(l->name, "."));
	if (!c)
		return problem_set(p, EXIT_USAGE, "%s: %s: no column %s above",
				   l->item->at, l->item->key, l->name);
	return grid_words(&c->want, c->name, l->item->value) < 0
		   ? problem_no_memory(p)
		   : 0;
}

static int load_keys(const struct loading *l, struct problem *p)
{
	size_t n;
	const char *s = l->item->value;
	for (; (s = experiment_word(s, &n)); s += n) {
		struct xp_column *c = experiment_column(l->table, s, n);
		if (!c)
			return problem_set(p, EXIT_USAGE,
					   "%s: no column %.*s above",
					   l->item->at, (int)n, s);
		c->key = 1;
	}
	return 0;
}

/* The keys of a table; a name follows a key that ends in '.'. */
static const struct {
	const char *key;
	int (*load)(const struct loading *l, struct problem *p);
} table_key[] = {
    {"title", load_title},    {"axis.", load_axis},
    {"rows", load_rows},      {"where", load_where},
    {"decode.", load_ask},    {"prefill.", load_ask},
    {"kernel.", load_ask},    {"column.", load_column},
    {"digits.", load_digits}, {"expect.", load_expected},
    {"keys", load_keys},      {"hide", load_hide},
    {"show", load_show},      {"expect", load_expected_file},
};
enum { N_TABLE_KEYS = sizeof table_key / sizeof *table_key };

static int unknown_key(const struct ini_item *item, struct problem *p)
{
	char allowed[400];
	size_t n = 0;
	for (int i = 0; i < N_TABLE_KEYS; i++) {
		const char *key = table_key[i].key;
		const char *dot = strchr(key, '.');
		n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%s%s",
				      i ? ", " : "", key, dot ? "NAME" : "");
	}
	return problem_set(p, EXIT_USAGE,
			   "%s: unknown key %s in [%s]; allowed: %s", item->at,
			   item->key, item->section, allowed);
}

static int load_table_item(struct loading *l, struct problem *p)
{
	const char *key = l->item->key, *dot = strchr(key, '.');
	size_t n = dot ? (size_t)(dot - key + 1) : strlen(key);
	l->name = dot ? dot + 1 : NULL;
	for (int i = 0; i < N_TABLE_KEYS; i++)
		if (strlen(table_key[i].key) == n &&
		    !strncmp(key, table_key[i].key, n))
			return table_key[i].load(l, p);
	return unknown_key(l->item, p);
}

static struct xp_table *table_for(struct experiment *x,
				  const struct ini_item *item)
{
	const char *name = item->section + strlen("table:");
	struct xp_table *t = experiment_table(x, name);
	if (t || x->n_tables == MAX_ITEMS)
		return t;
	t = &x->table[x->n_tables];
	*t = (struct xp_table){.name = name, .at = item->at};
	t->ask = calloc(MAX_ITEMS, sizeof *t->ask);
	t->column = calloc(MAX_ITEMS, sizeof *t->column);
	x->n_tables++;
	return t->ask && t->column ? t : NULL;
}

/* ---- the whole experiment ---- */

static int check_expected(const struct xp_table *t, struct problem *p)
{
	const struct grid *e = &t->expected;
	if (e->n_cols && e->n_rows != t->rows.n_rows)
		return problem_set(p, EXIT_INPUT,
				   "%s: [table:%s] has %zu rows, its expected "
				   "values %zu",
				   t->at, t->name, t->rows.n_rows, e->n_rows);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct xp_column *c = &t->column[i];
		if (c->want.n_cols && c->want.n_rows != t->rows.n_rows)
			return problem_set(p, EXIT_INPUT,
					   "%s: [table:%s] has %zu rows, "
					   "expect.%s %zu values",
					   t->at, t->name, t->rows.n_rows,
					   c->name, c->want.n_rows);
	}
	for (size_t i = 0; i < e->n_cols; i++)
		if (!experiment_column(t, e->head[i], strlen(e->head[i])) &&
		    grid_column(&t->rows, e->head[i]) < 0)
			return problem_set(p, EXIT_INPUT,
					   "%s: [table:%s] expects values of "
					   "%s, which it has no column for",
					   t->at, t->name, e->head[i]);
	return 0;
}

static int check_table(const struct xp_table *t, struct problem *p)
{
	if (!t->rows.n_rows || !t->n_columns)
		return problem_set(p, EXIT_USAGE,
				   "%s: [table:%s] needs rows or axis.NAME, "
				   "and column.NAME",
				   t->at, t->name);
	return check_expected(t, p);
}

static int load_item(struct experiment *x, const struct ini *c,
		     const struct ini_item *item, struct problem *p)
{
	if (!strcmp(item->section, "experiment"))
		return load_head(x, item, p);
	if (!strcmp(item->section, "claim"))
		return claim_load(x, item, p);
	if (strncmp(item->section, "table:", 6) != 0)
		return 0;
	struct loading l = {x, table_for(x, item), c, item, NULL};
	return l.table ? load_table_item(&l, p)
		       : problem_set(p, EXIT_USAGE, "%s: too many tables",
				     item->at);
}

int experiment_load(struct experiment *x, const struct ini *c,
		    struct problem *p)
{
	*x = (struct experiment){.path = c->path};
	x->table = calloc(MAX_ITEMS, sizeof *x->table);
	if (!x->table)
		return problem_no_memory(p);
	for (size_t i = 0; i < c->n; i++)
		if (load_item(x, c, &c->item[i], p) < 0)
			return -1;
	if (!x->n_tables)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: not an experiment; it needs a section [table:NAME]",
		    c->path);
	for (size_t i = 0; i < x->n_tables; i++)
		if (check_table(&x->table[i], p) < 0)
			return -1;
	return claim_check(x, c, p) < 0 ? -1 : experiment_list_points(x, p);
}
