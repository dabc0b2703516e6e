/* experiment.c -- Reads an experiment and computes its table. */
#include <config.h>
#include "experiment/experiment.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/nearest.h"
#include "base/number.h"
#include "cost/breakdown.h"

const char *const experiment_sections[] = {"experiment", "table:", NULL};

static const char no_memory[] = "out of memory";
enum { MAX_ITEMS = 64, MAX_NEST = 8 };

/* ---- grids ---- */

static const char *grid_row(void *user, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct xp_grid *g = user;
	char ***to = row ? &g->cell : &g->head;
	size_t at = row ? g->n_rows * n : 0;
	char **more = realloc(*to, (at + n) * sizeof *more);
	int whole = 1;
	if (!more)
		return no_memory;
	*to = more;
	for (uint32_t i = 0; i < n; i++) {
		more[at + i] = strdup(cell[i]);
		whole &= more[at + i] != NULL;
	}
	if (row)
		g->n_rows = row;
	else
		g->n_cols = n;
	return whole ? NULL : no_memory;
}

static void grid_free(struct xp_grid *g)
{
	for (size_t i = 0; i < g->n_cols; i++)
		free(g->head[i]);
	for (size_t i = 0; i < g->n_cols * g->n_rows; i++)
		free(g->cell[i]);
	free(g->head);
	free(g->cell);
	*g = (struct xp_grid){0};
}

static int grid_read(struct xp_grid *g, const struct ini *c,
		     const struct ini_item *item, struct problem *p)
{
	char *path = ini_resolve_path(c, item->value);
	FILE *f = path ? fopen(path, "r") : NULL;
	int rc = -1;
	if (f)
		rc = csv_read(f, path, grid_row, g, p);
	else
		problem_set(p, EXIT_USAGE, "%s: %s: %s", item->at,
			    path ? path : item->value, strerror(errno));
	if (f)
		fclose(f);
	free(path);
	return rc;
}

static int grid_column(const struct xp_grid *g, const char *name)
{
	for (size_t i = 0; i < g->n_cols; i++)
		if (!strcmp(g->head[i], name))
			return (int)i;
	return -1;
}

static const char *grid_at(const struct xp_grid *g, size_t row, size_t col)
{
	return g->cell[row * g->n_cols + col];
}

/* The words "a, b, c" as further rows of a grid of one column. */
static int grid_words(struct xp_grid *g, const char *name, const char *words)
{
	char *list = strdup(words), *rest = list, *word;
	int ok = list != NULL;
	if (!g->n_cols && ok) {
		char *const head[] = {strdup(name)};
		ok = head[0] && !grid_row(g, 0, 1, head);
		free(head[0]);
	}
	while (ok && (word = strsep(&rest, ","))) {
		word += strspn(word, " \t");
		word[strcspn(word, " \t")] = '\0';
		ok = !grid_row(g, g->n_rows + 1, 1, &word);
	}
	free(list);
	return ok ? 0 : -1;
}

/* The rows so far, each with each row of another grid. */
static int grid_cross(struct xp_grid *g, const struct xp_grid *with)
{
	struct xp_grid new = {0};
	size_t n = g->n_cols + 1, n_old = g->n_cols ? g->n_rows : 1;
	char **line = calloc(n, sizeof *line);
	int ok = line != NULL;
	for (size_t k = 0; ok && k < n; k++)
		line[k] = k < g->n_cols ? g->head[k] : with->head[0];
	ok = ok && !grid_row(&new, 0, (uint32_t)n, line);
	for (size_t i = 0; ok && i < n_old * with->n_rows; i++) {
		for (size_t k = 0; k < g->n_cols; k++)
			line[k] = g->cell[i / with->n_rows * g->n_cols + k];
		line[n - 1] = with->cell[i % with->n_rows];
		ok = !grid_row(&new, new.n_rows + 1, (uint32_t)n, line);
	}
	free(line);
	grid_free(ok ? g : &new);
	if (ok)
		*g = new;
	return ok ? 0 : -1;
}

static void grid_drop_row(struct xp_grid *g, size_t row)
{
	char **at = g->cell + row * g->n_cols;
	for (size_t k = 0; k < g->n_cols; k++)
		free(at[k]);
	g->n_rows--;
	memmove(at, at + g->n_cols, (g->n_rows - row) * g->n_cols * sizeof *at);
}

/* ---- what names mean ---- */

/* Where an expression is evaluated. */
struct place {
	const struct experiment *x;
	struct {
		const struct xp_table *table; /* NULL: in none */
		size_t row;
		size_t n_columns; /* those that are known already */
	} in[MAX_NEST];
	int depth;
};

static struct value value_of_text(const char *s)
{
	char *end;
	double v = strtod(s, &end);
	if (end == s || *end)
		return (struct value){0, s};
	return (struct value){v, NULL};
}

static const struct xp_point *point_of(const struct place *at, const char *arm,
				       size_t n_arm, const char *ask,
				       size_t n_ask)
{
	const struct xp_table *t = at->in[at->depth].table;
	for (size_t i = 0; i < at->x->n_points; i++) {
		const struct xp_point *q = &at->x->point[i];
		if (q->table == t && q->row == at->in[at->depth].row &&
		    strlen(q->ask->name) == n_ask &&
		    !strncmp(q->ask->name, ask, n_ask) &&
		    (!arm ||
		     (strlen(q->arm) == n_arm && !strncmp(q->arm, arm, n_arm))))
			return q;
	}
	return NULL;
}

static int kernel_field(const sc_kernel_result *r, const char *field,
			struct value *out)
{
	if (!strcmp(field, "latency_us"))
		out->number = r->latency_us;
	else if (!strcmp(field, "mfu"))
		out->number = r->mfu;
	else if (!strcmp(field, "used"))
		out->text = r->used;
	else if (!strcmp(field, "provenance"))
		out->text = provenance_name[r->provenance];
	else
		return -1;
	return 0;
}

static int answer_field(const struct xp_point *q, const char *field,
			struct value *out)
{
	const struct {
		const char *name;
		double is;
	} batch[] = {{"n_decode", q->n_decode},
		     {"n_prefill", q->n_prefill},
		     {"min_kv", q->min_kv},
		     {"max_kv", q->max_kv}};
	if (q->ask->kernel)
		return kernel_field(&q->kernel_result, field, out);
	for (size_t i = 0; i < sizeof batch / sizeof *batch; i++)
		if (!strcmp(batch[i].name, field)) {
			out->number = batch[i].is;
			return 0;
		}
	if (strcmp(field, "bound"))
		return breakdown_column(&q->result, field, &out->number);
	out->text = breakdown_bound(&q->result);
	return 0;
}

/* ARM.STEP.field */
static int answer_value(const struct place *at, const char *name,
			struct value *out, struct problem *p)
{
	const char *dot = strchr(name, '.');
	const char *last = strrchr(name, '.');
	if (!dot || dot == last || strchr(dot + 1, '.') != last)
		return problem_set(p, EXIT_USAGE, "nothing is called %s", name);
	const struct xp_point *q = point_of(at, name, (size_t)(dot - name),
					    dot + 1, (size_t)(last - dot - 1));
	if (!q)
		return problem_set(p, EXIT_USAGE,
				   "%s: no such arm, step or kernel", name);
	if (answer_field(q, last + 1, out) < 0)
		return problem_set(p, EXIT_USAGE, "%s: no field %s", name,
				   last + 1);
	return 0;
}

static int name_value(void *user, const char *name, struct value *out,
		      struct problem *p)
{
	const struct place *at = user;
	const struct xp_table *t = at->in[at->depth].table;
	size_t row = at->in[at->depth].row;
	if (!t)
		return problem_set(p, EXIT_USAGE,
				   "%s: name a table, as in all(TABLE: %s …)",
				   name, name);
	for (size_t i = 0; i < at->in[at->depth].n_columns; i++)
		if (!strcmp(t->column[i].name, name)) {
			*out = t->cell[row * t->n_columns + i].value;
			return 0;
		}
	int k = grid_column(&t->rows, name);
	if (k < 0)
		return answer_value(at, name, out, p);
	*out = value_of_text(grid_at(&t->rows, row, (size_t)k));
	return 0;
}

static const struct xp_table *table_named(const struct experiment *x,
					  const char *name)
{
	for (size_t i = 0; i < x->n_tables; i++)
		if (!strcmp(x->table[i].name, name))
			return &x->table[i];
	return NULL;
}

static int rows_of(void *user, const char *table, size_t *n, struct problem *p)
{
	const struct place *at = user;
	const struct xp_table *t = table_named(at->x, table);
	if (!t || !t->cell)
		return problem_set(p, EXIT_USAGE,
				   "no table %s, or not computed yet", table);
	*n = t->rows.n_rows;
	return 0;
}

static int enter(void *user, const char *table, size_t row, struct problem *p)
{
	struct place *at = user;
	if (at->depth + 1 == MAX_NEST)
		return problem_set(p, EXIT_USAGE, "tables nested too deeply");
	at->depth++;
	at->in[at->depth].table = table_named(at->x, table);
	at->in[at->depth].row = row;
	at->in[at->depth].n_columns = at->in[at->depth].table->n_columns;
	return 0;
}

static void leave(void *user)
{
	((struct place *)user)->depth--;
}

static int evaluate(const struct expression *e, struct place *at,
		    struct value *out, struct problem *p)
{
	const struct expression_scope scope = {at, name_value, rows_of, enter,
					       leave};
	return expression_value(e, &scope, out, p);
}

/* ---- templates ---- */

static int put_value(FILE *f, const char *text, size_t n, struct place *at,
		     const char *where, struct problem *p)
{
	char *inner = strndup(text, n), digits[NUMBER_SIZE];
	struct expression *e = inner ? expression_parse(inner, where, p) : NULL;
	struct value v;
	int rc = e ? evaluate(e, at, &v, p) : -1;
	if (rc == 0 && v.text) {
		fputs(v.text, f);
	} else if (rc == 0) {
		number_format(digits, v.number);
		fputs(digits, f);
	}
	expression_free(e);
	free(inner);
	return rc;
}

/* "64x{batch-1}" for a row; to be freed. */
static char *fill_in(const char *template, struct place *at, const char *where,
		     struct problem *p)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	int rc = f ? 0 : problem_set(p, EXIT_USAGE, no_memory);
	for (const char *s = template; rc == 0 && *s; s++) {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;
		if (!end) {
			putc(*s, f);
			continue;
		}
		rc = put_value(f, s + 1, (size_t)(end - s - 1), at, where, p);
		s = end;
	}
	if (f && fclose(f) == 0 && rc == 0)
		return out;
	free(out);
	return NULL;
}

/* "4096;64x0" -> "4096": none of a kind is no request. */
static void drop_none(char *list)
{
	char *to = list, *rest = list, *item;
	while ((item = strsep(&rest, ";"))) {
		const char *x = strrchr(item, 'x');
		size_t n = strlen(item);
		if (x && !strcmp(x, "x0"))
			continue;
		if (to != list)
			*to++ = ';';
		memmove(to, item, n);
		to += n;
	}
	*to = '\0';
}

/* ---- points ---- */

static const struct {
	const char *name;
	uint32_t op;
} kernel_op[] = {{"gemm", SC_OP_GEMM},
		 {"attention_prefill", SC_OP_PREFILL},
		 {"attention_decode", SC_OP_DECODE},
		 {"all_reduce", SC_OP_ALL_REDUCE}};

static int kernel_set(sc_kernel *k, const char *name, uint64_t v)
{
	const struct {
		const char *name;
		uint32_t *small;
		uint64_t *large;
	} field[] = {{"m", NULL, &k->m},
		     {"n", NULL, &k->n},
		     {"k", NULL, &k->k},
		     {"heads", &k->heads, NULL},
		     {"kv_heads", &k->kv_heads, NULL},
		     {"head_dim", &k->head_dim, NULL},
		     {"tp", &k->ranks, NULL},
		     {"batch", NULL, &k->batch},
		     {"new_tokens", NULL, &k->new_tokens},
		     {"context", NULL, &k->context},
		     {"message_bytes", NULL, &k->bytes}};
	for (size_t i = 0; i < sizeof field / sizeof *field; i++)
		if (!strcmp(field[i].name, name)) {
			if (field[i].small)
				*field[i].small = (uint32_t)v;
			else
				*field[i].large = v;
			return 0;
		}
	return -1;
}

/* "attention_decode batch=4 context=1024" */
static int parse_kernel(sc_kernel *k, char *text, const char *at,
			struct problem *p)
{
	char *rest = text, *word = strsep(&rest, " ");
	*k = (sc_kernel){.size = sizeof *k};
	for (size_t i = 0; i < sizeof kernel_op / sizeof *kernel_op; i++)
		if (!strcmp(kernel_op[i].name, word))
			k->op = kernel_op[i].op;
	if (!k->op)
		return problem_set(p, EXIT_USAGE,
				   "%s: kernel %s: not gemm, "
				   "attention_prefill, attention_decode, "
				   "all_reduce",
				   at, word);
	while ((word = strsep(&rest, " "))) {
		char *equals = strchr(word, '='), *end = NULL;
		if (!*word)
			continue;
		if (equals)
			*equals = '\0';
		uint64_t v = equals ? strtoull(equals + 1, &end, 10) : 0;
		if (!end || end == equals + 1 || *end ||
		    kernel_set(k, word, v) < 0)
			return problem_set(p, EXIT_USAGE,
					   "%s: kernel: '%s' is not m, n, k, "
					   "heads, kv_heads, head_dim, tp, "
					   "batch, new_tokens, context or "
					   "message_bytes = a whole number",
					   at, word);
	}
	return 0;
}

static int fill_point(struct xp_point *q, struct place *at, struct problem *p)
{
	const struct xp_ask *a = q->ask;
	if (a->kernel) {
		char *text = fill_in(a->kernel, at, a->at, p);
		int rc = text ? parse_kernel(&q->kernel, text, a->at, p) : -1;
		free(text);
		return rc;
	}
	q->decode = fill_in(a->decode ? a->decode : "", at, a->at, p);
	if (q->decode)
		q->prefill =
		    fill_in(a->prefill ? a->prefill : "", at, a->at, p);
	if (!q->decode || !q->prefill)
		return -1;
	drop_none(q->decode);
	drop_none(q->prefill);
	return 0;
}

static const struct xp_ask *ask_named(const struct xp_table *t,
				      const char *name, size_t n)
{
	for (size_t i = 0; i < t->n_asks; i++)
		if (strlen(t->ask[i].name) == n &&
		    !strncmp(t->ask[i].name, name, n))
			return &t->ask[i];
	return NULL;
}

static struct xp_point *add_point(struct experiment *x)
{
	if ((x->n_points & (x->n_points + 1)) == 0) {
		struct xp_point *more =
		    realloc(x->point, (2 * x->n_points + 1) * sizeof *more);
		if (!more)
			return NULL;
		x->point = more;
	}
	x->point[x->n_points] = (struct xp_point){0};
	return &x->point[x->n_points++];
}

struct collect {
	struct experiment *x;
	struct xp_table *table;
	struct place *at;
};

/* ARM.STEP.field in a column: that step of each row under that arm. */
static int want_points(void *user, const char *name, const char *where,
		       struct problem *p)
{
	struct collect *c = user;
	struct place *at = c->at;
	const char *dot = strchr(name, '.');
	const char *last = strrchr(name, '.');
	if (!dot || dot == last)
		return 0;
	size_t n_arm = (size_t)(dot - name), n_ask = (size_t)(last - dot - 1);
	const struct xp_ask *ask = ask_named(c->table, dot + 1, n_ask);
	if (!ask)
		return problem_set(p, EXIT_USAGE,
				   "%s: %s: [table:%s] has no step or kernel "
				   "%.*s",
				   where, name, c->table->name, (int)n_ask,
				   dot + 1);
	for (size_t row = 0; row < c->table->rows.n_rows; row++) {
		at->in[0].table = c->table;
		at->in[0].row = row;
		if (point_of(at, name, n_arm, dot + 1, n_ask))
			continue;
		struct xp_point *q = add_point(c->x);
		if (!q)
			return problem_set(p, EXIT_USAGE, no_memory);
		q->arm = strndup(name, n_arm);
		q->table = c->table;
		q->ask = ask;
		q->row = row;
		if (!q->arm || fill_point(q, at, p) < 0)
			return -1;
	}
	return 0;
}

static int collect_points(struct experiment *x, struct problem *p)
{
	struct place at = {.x = x};
	for (size_t i = 0; i < x->n_tables; i++) {
		struct xp_table *t = &x->table[i];
		struct collect c = {x, t, &at};
		for (size_t k = 0; k < t->n_columns; k++)
			if (expression_names(t->column[k].is, want_points, &c,
					     p) < 0)
				return -1;
	}
	return 0;
}

/* ---- loading ---- */

static int unknown_key(const struct ini_item *t, const char *allowed,
		       struct problem *p)
{
	return problem_set(p, EXIT_USAGE,
			   "%s: unknown key %s in [%s]; allowed: %s", t->at,
			   t->key, t->section, allowed);
}

static int load_head(struct experiment *x, const struct ini_item *t,
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
		if (!strcmp(t->key, text[i].key)) {
			*text[i].to = t->value;
			return 0;
		}
	if (strcmp(t->key, "refuted"))
		return unknown_key(
		    t, "title, question, source, refuted_if, refuted", p);
	x->refuted = expression_parse(t->value, t->at, p);
	return x->refuted ? 0 : -1;
}

static struct xp_ask *ask_for(struct xp_table *t, const char *name,
			      const char *at)
{
	struct xp_ask *a = (struct xp_ask *)ask_named(t, name, strlen(name));
	if (!a && t->n_asks < MAX_ITEMS) {
		a = &t->ask[t->n_asks++];
		*a = (struct xp_ask){.name = name, .at = at};
	}
	return a;
}

static int load_ask(struct xp_table *t, const struct ini_item *item,
		    const char *name, struct problem *p)
{
	struct xp_ask *a = ask_for(t, name, item->at);
	if (!a)
		return problem_set(p, EXIT_USAGE, "%s: more than %d steps",
				   item->at, MAX_ITEMS);
	if (item->key[0] == 'k')
		a->kernel = item->value;
	else if (item->key[0] == 'd')
		a->decode = item->value;
	else
		a->prefill = item->value;
	if (a->kernel && (a->decode || a->prefill))
		return problem_set(p, EXIT_USAGE,
				   "%s: %s is a step and a kernel", item->at,
				   name);
	return 0;
}

static int load_column(struct xp_table *t, const struct ini_item *item,
		       const char *name, struct problem *p)
{
	if (t->n_columns == MAX_ITEMS || grid_column(&t->rows, name) >= 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: more than %d columns, or one named as "
				   "a variable",
				   item->at, MAX_ITEMS);
	struct xp_column *c = &t->column[t->n_columns++];
	*c = (struct xp_column){.name = name, .digits = -1};
	c->is = expression_parse(item->value, item->at, p);
	return c->is ? 0 : -1;
}

static struct xp_column *column_named(const struct xp_table *t,
				      const char *name, size_t n)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strlen(t->column[i].name) == n &&
		    !strncmp(t->column[i].name, name, n))
			return &t->column[i];
	return NULL;
}

static int load_axis(struct xp_table *t, const struct ini_item *item,
		     const char *name, struct problem *p)
{
	struct xp_grid axis = {0};
	int ok = grid_words(&axis, name, item->value) == 0 &&
		 grid_cross(&t->rows, &axis) == 0;
	grid_free(&axis);
	return ok ? 0 : problem_set(p, EXIT_USAGE, no_memory);
}

/* expect.NAME, and NAME.2 and so on for what goes on from there. */
static int load_expected(struct xp_table *t, const struct ini_item *item,
			 const char *name, struct problem *p)
{
	struct xp_column *c = column_named(t, name, strcspn(name, "."));
	if (!c)
		return problem_set(p, EXIT_USAGE, "%s: %s: no column %s above",
				   item->at, item->key, name);
	return grid_words(&c->want, c->name, item->value) < 0
		   ? problem_set(p, EXIT_USAGE, no_memory)
		   : 0;
}

static int load_digits(struct xp_table *t, const struct ini_item *item,
		       const char *name, struct problem *p)
{
	struct xp_column *c = column_named(t, name, strlen(name));
	char *end;
	long n = strtol(item->value, &end, 10);
	if (!c || end == item->value || *end || n < 0 || n > 15)
		return problem_set(p, EXIT_USAGE,
				   "%s: %s = %s: not a column above with 0 to "
				   "15 digits",
				   item->at, item->key, item->value);
	c->digits = (int)n;
	return 0;
}

/* Words in "a, b" or "a b"; fn for each. */
static const char *next_word(const char *s, size_t *n)
{
	s += strspn(s, ", ");
	*n = strcspn(s, ", ");
	return *n ? s : NULL;
}

static int load_keys(struct xp_table *t, const struct ini_item *item,
		     struct problem *p)
{
	size_t n;
	for (const char *s = item->value; (s = next_word(s, &n)); s += n) {
		struct xp_column *c = column_named(t, s, n);
		if (!c)
			return problem_set(p, EXIT_USAGE,
					   "%s: no column %.*s above", item->at,
					   (int)n, s);
		c->key = 1;
	}
	return 0;
}

int experiment_shows(const struct xp_table *t, const char *variable)
{
	size_t n;
	for (const char *s = t->hide; s && (s = next_word(s, &n)); s += n)
		if (strlen(variable) == n && !strncmp(s, variable, n))
			return 0;
	return 1;
}

/* Rows for which it is 0 go. */
static int load_where(struct experiment *x, struct xp_table *t,
		      const struct ini_item *item, struct problem *p)
{
	struct expression *e = expression_parse(item->value, item->at, p);
	struct place at = {.x = x};
	int rc = e ? 0 : -1;
	at.in[0].table = t;
	for (size_t i = 0; rc == 0 && i < t->rows.n_rows;) {
		struct value v;
		at.in[0].row = i;
		rc = evaluate(e, &at, &v, p);
		if (rc == 0 && v.number == 0)
			grid_drop_row(&t->rows, i);
		else
			i++;
	}
	expression_free(e);
	return rc;
}

static int load_table_item(struct experiment *x, struct xp_table *t,
			   const struct ini *c, const struct ini_item *item,
			   struct problem *p)
{
	const char *key = item->key, *dot = strchr(key, '.');
	size_t n = dot ? (size_t)(dot - key + 1) : 0;
	if (!strcmp(key, "title"))
		t->title = item->value;
	else if (!strcmp(key, "hide"))
		t->hide = item->value;
	else if (!strcmp(key, "rows") && !t->rows.n_cols)
		return grid_read(&t->rows, c, item, p);
	else if (!strcmp(key, "expect") && !t->expected.n_cols)
		return grid_read(&t->expected, c, item, p);
	else if (!strcmp(key, "keys"))
		return load_keys(t, item, p);
	else if (!strcmp(key, "where"))
		return load_where(x, t, item, p);
	else if (n && !strncmp(key, "axis.", n))
		return load_axis(t, item, dot + 1, p);
	else if (n &&
		 (!strncmp(key, "decode.", n) || !strncmp(key, "prefill.", n) ||
		  !strncmp(key, "kernel.", n)))
		return load_ask(t, item, dot + 1, p);
	else if (n && !strncmp(key, "column.", n))
		return load_column(t, item, dot + 1, p);
	else if (n && !strncmp(key, "digits.", n))
		return load_digits(t, item, dot + 1, p);
	else if (n && !strncmp(key, "expect.", n))
		return load_expected(t, item, dot + 1, p);
	else
		return unknown_key(item,
				   "title, axis.NAME, rows, where, "
				   "decode.NAME, prefill.NAME, kernel.NAME, "
				   "column.NAME, digits.NAME, expect.NAME, "
				   "keys, hide, expect",
				   p);
	return 0;
}

static int check_table(const struct xp_table *t, struct problem *p)
{
	const struct xp_grid *e = &t->expected;
	if (!t->rows.n_rows || !t->n_columns)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: [table:%s] needs rows or axis.NAME, and "
		    "column.NAME",
		    t->at, t->name);
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
		if (!column_named(t, e->head[i], strlen(e->head[i])) &&
		    grid_column(&t->rows, e->head[i]) < 0)
			return problem_set(p, EXIT_INPUT,
					   "%s: [table:%s] has no column %s, "
					   "for which a value is expected",
					   t->at, t->name, e->head[i]);
	return 0;
}

static struct xp_table *table_for(struct experiment *x,
				  const struct ini_item *item)
{
	const char *name = item->section + strlen("table:");
	struct xp_table *t = (struct xp_table *)table_named(x, name);
	if (t || x->n_tables == MAX_ITEMS)
		return t;
	t = &x->table[x->n_tables];
	*t = (struct xp_table){.name = name, .at = item->at};
	t->ask = calloc(MAX_ITEMS, sizeof *t->ask);
	t->column = calloc(MAX_ITEMS, sizeof *t->column);
	x->n_tables++;
	return t->ask && t->column ? t : NULL;
}

int experiment_load(struct experiment *x, const struct ini *c,
		    struct problem *p)
{
	*x = (struct experiment){.path = c->path};
	x->table = calloc(MAX_ITEMS, sizeof *x->table);
	if (!x->table)
		return problem_set(p, EXIT_USAGE, no_memory);
	for (size_t i = 0; i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		int rc = 0;
		if (!strcmp(t->section, "experiment")) {
			rc = load_head(x, t, p);
		} else if (!strncmp(t->section, "table:", 6)) {
			struct xp_table *to = table_for(x, t);
			rc = to ? load_table_item(x, to, c, t, p)
				: problem_set(p, EXIT_USAGE,
					      "%s: too many tables", t->at);
		}
		if (rc < 0)
			return -1;
	}
	if (!x->n_tables)
		return problem_set(p, EXIT_USAGE,
				   "%s: no experiment: needs [table:NAME]",
				   c->path);
	for (size_t i = 0; i < x->n_tables; i++)
		if (check_table(&x->table[i], p) < 0)
			return -1;
	return collect_points(x, p);
}

/* ---- computing ---- */

static char *cell_text(const struct value *v, int digits)
{
	char s[400];
	if (v->text)
		return strdup(v->text);
	if (isnan(v->number))
		return strdup("");
	if (digits < 0)
		number_format(s, v->number);
	else
		snprintf(s, sizeof s, "%.*f", digits, v->number);
	return strdup(s);
}

/* As text; as numbers where the column does not say how many digits. */
static int cell_differs(const char *text, const char *want, int digits)
{
	struct value a = value_of_text(text), b = value_of_text(want);
	if (digits < 0 && !a.text && !b.text)
		return a.number < b.number || a.number > b.number;
	return strcmp(text, want) != 0;
}

static void compare_cell(struct xp_table *t, size_t row, size_t column)
{
	const struct xp_column *c = &t->column[column];
	struct xp_cell *cell = &t->cell[row * t->n_columns + column];
	int k = grid_column(&t->expected, c->name);
	if (k >= 0)
		cell->want = grid_at(&t->expected, row, (size_t)k);
	else if (c->want.n_cols)
		cell->want = grid_at(&c->want, row, 0);
	else
		return;
	cell->differs = cell_differs(cell->text, cell->want, c->digits);
	if (c->key) {
		t->n_key_differs += (size_t)cell->differs;
	} else if (*cell->want || cell->differs) {
		t->n_cells++;
		t->n_agree += !cell->differs;
	}
}

static void compare_variables(struct xp_table *t)
{
	for (size_t k = 0; k < t->rows.n_cols; k++) {
		int want = grid_column(&t->expected, t->rows.head[k]);
		for (size_t i = 0; want >= 0 && i < t->rows.n_rows; i++)
			t->n_key_differs += (size_t)cell_differs(
			    grid_at(&t->rows, i, k),
			    grid_at(&t->expected, i, (size_t)want), -1);
	}
}

static int compute_table(struct experiment *x, struct xp_table *t,
			 struct problem *p)
{
	struct place at = {.x = x};
	t->cell = calloc(t->rows.n_rows * t->n_columns, sizeof *t->cell);
	if (!t->cell)
		return problem_set(p, EXIT_USAGE, no_memory);
	at.in[0].table = t;
	for (size_t i = 0; i < t->rows.n_rows; i++)
		for (size_t k = 0; k < t->n_columns; k++) {
			struct xp_cell *cell = &t->cell[i * t->n_columns + k];
			at.in[0].row = i;
			at.in[0].n_columns = k;
			if (evaluate(t->column[k].is, &at, &cell->value, p) < 0)
				return -1;
			cell->text =
			    cell_text(&cell->value, t->column[k].digits);
			if (!cell->text)
				return problem_set(p, EXIT_USAGE, no_memory);
			compare_cell(t, i, k);
		}
	compare_variables(t);
	return 0;
}

int experiment_compute(struct experiment *x, struct problem *p)
{
	for (size_t i = 0; i < x->n_tables; i++) {
		struct xp_table *t = &x->table[i];
		if (compute_table(x, t, p) < 0)
			return -1;
		x->n_cells += t->n_cells;
		x->n_agree += t->n_agree;
		x->differs |= t->n_agree < t->n_cells || t->n_key_differs;
	}
	if (x->refuted) {
		struct place at = {.x = x};
		struct value v;
		if (evaluate(x->refuted, &at, &v, p) < 0)
			return -1;
		x->is_refuted = v.number != 0;
	}
	return 0;
}

static void table_free(struct xp_table *t)
{
	for (size_t i = 0; t->cell && i < t->rows.n_rows * t->n_columns; i++)
		free(t->cell[i].text);
	for (size_t i = 0; i < t->n_columns; i++) {
		expression_free(t->column[i].is);
		grid_free(&t->column[i].want);
	}
	free(t->cell);
	free(t->column);
	free(t->ask);
	grid_free(&t->rows);
	grid_free(&t->expected);
}

void experiment_free(struct experiment *x)
{
	for (size_t i = 0; i < x->n_tables; i++)
		table_free(&x->table[i]);
	for (size_t i = 0; i < x->n_points; i++) {
		free(x->point[i].arm);
		free(x->point[i].decode);
		free(x->point[i].prefill);
	}
	free(x->table);
	free(x->point);
	expression_free(x->refuted);
	*x = (struct experiment){0};
}
