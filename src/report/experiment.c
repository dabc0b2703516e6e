/* experiment.c -- Writes the tables of an experiment and its verdict. */
#include "report/experiment.h"
#include <math.h>
#include <stdint.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/number.h"
#include "report/columns.h"

/* The source's own rule alone; NULL: it has none. */
static const char *of_rule(const struct experiment *x)
{
	return !x->refuted ? NULL : x->is_refuted ? "refuted" : "confirmed";
}

const char *experiment_verdict(const struct experiment *x)
{
	return x->claim.id ? claim_verdict_name[x->claim.verdict] : of_rule(x);
}

static const struct xp_cell *cell_at(const struct xp_table *t, size_t row,
				     size_t column)
{
	return &t->cell[row * t->n_columns + column];
}

/* ---- text ---- */

/* Sets the cell at this place of a row; the first is its label. */
static void set_cell(struct columns *c, size_t at, const char *text,
		     const char *want, int differs)
{
	const char *mark = !want ? "" : differs ? " \u2717 (" : " \u2713";
	const char *is = differs ? want : "", *end = differs ? ")" : "";
	if (at == 0)
		columns_row(c, "%s%s%s%s", text, mark, is, end);
	else
		columns_words(c, 0, at - 1, "%s%s%s%s", text, mark, is, end);
}

/* Adds a row of variables and cells; row SIZE_MAX: their names. */
static void add_row(struct columns *c, const struct xp_table *t, size_t row)
{
	int is_head = row == SIZE_MAX;
	size_t at = 0;
	for (size_t k = 0; k < t->rows.n_cols; k++)
		if (experiment_shows(t, t->rows.head[k]))
			set_cell(c, at++,
				 is_head ? t->rows.head[k]
					 : grid_cell(&t->rows, row, k),
				 NULL, 0);
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct xp_cell *x = is_head ? NULL : cell_at(t, row, k);
		set_cell(c, at++, x ? x->text : t->column[k].name,
			 x ? x->want : NULL, x && x->want && x->differs);
	}
}

static void print_rows(FILE *f, const struct xp_table *t)
{
	struct columns c = {.n_groups = 1,
			    .per_group = t->rows.n_cols + t->n_columns};
	add_row(&c, t, SIZE_MAX);
	for (size_t row = 0; row < t->rows.n_rows; row++)
		add_row(&c, t, row);
	columns_write(&c, f, SIZE_MAX, 0);
	columns_free(&c);
}

static void print_count(FILE *f, size_t n_agree, size_t n_cells)
{
	if (n_cells)
		fprintf(f, "%zu of %zu cells agree\n", n_agree, n_cells);
}

static void print_table(FILE *f, const struct xp_table *t)
{
	fprintf(f, "\n%s%s%s\n", t->name, t->title ? ": " : "",
		t->title ? t->title : "");
	if (!t->is_hidden)
		print_rows(f, t);
	else
		fprintf(f, "%zu rows; --format csv prints them\n",
			t->rows.n_rows);
	if (t->n_key_differs)
		fprintf(f, "%zu keys differ from the expected ones\n",
			t->n_key_differs);
	print_count(f, t->n_agree, t->n_cells);
}

static const char *needs(const struct xp_claim *c)
{
	return isinf(c->needs_low)    ? "at most "
	       : isinf(c->needs_high) ? "at least "
				      : "within ";
}

static void print_invariant(FILE *f, const struct xp_invariant *i)
{
	fprintf(f, "invariant %s: %s: %s%s\n", i->name, i->text,
		i->why ? "fails: " : "holds", i->why ? i->why : "");
}

/* The answer: the hypothesis, the verdict, the effect, and what the rule of its
 * source would have said. */
static void print_claim(const struct experiment *x, FILE *f)
{
	const struct xp_claim *c = &x->claim;
	char effect[NUMBER_SIZE];
	number_format(effect, c->effect_is);
	fprintf(f,
		"%s\nverdict: %s\neffect of %s (%s against %s): %s; the "
		"hypothesis needs %s%s\n",
		c->hypothesis, experiment_verdict(x), c->cause, c->base,
		c->counterfactual, effect, needs(c), c->needs_text);
	for (size_t i = 0; i < c->n_invariants; i++)
		print_invariant(f, &c->invariant[i]);
	if (of_rule(x))
		fprintf(f, "by the rule of its source alone: %s\n", of_rule(x));
	if (c->source)
		fprintf(f, "source: %s\n", c->source);
	putc('\n', f);
}

void experiment_text(const struct experiment *x, FILE *f)
{
	if (x->claim.id)
		print_claim(x, f);
	const struct {
		const char *label, *text;
	} head[] = {{"", x->title},
		    {"question: ", x->question},
		    {"source: ", x->source}};
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		if (head[i].text)
			fprintf(f, "%s%s\n", head[i].label, head[i].text);
	for (size_t i = 0; i < x->n_tables; i++)
		print_table(f, &x->table[i]);
	putc('\n', f);
	print_count(f, x->n_agree, x->n_cells);
	if (x->refuted_if)
		fprintf(f, "refuted if: %s\n", x->refuted_if);
	if (!x->claim.id && x->refuted)
		fprintf(f, "verdict: %s\n", of_rule(x));
}

/* ---- CSV ---- */

static void csv_row(FILE *f, const struct xp_table *t, size_t row,
		    size_t column)
{
	const struct xp_cell *cell = cell_at(t, row, column);
	csv_text(f, t->name);
	fprintf(f, ",%zu,", row);
	csv_text(f, t->column[column].name);
	csv_next_text(f, cell->text);
	csv_next_text(f, cell->want ? cell->want : "");
	fprintf(f, ",%s\n",
		!cell->want     ? ""
		: cell->differs ? "false"
				: "true");
}

void experiment_csv(const struct experiment *x, FILE *f)
{
	fputs("table,row,column,value,expected,agrees\n", f);
	for (size_t i = 0; i < x->n_tables; i++) {
		const struct xp_table *t = &x->table[i];
		for (size_t row = 0; row < t->rows.n_rows; row++)
			for (size_t k = 0; k < t->n_columns; k++)
				csv_row(f, t, row, k);
	}
}

/* ---- JSON ---- */

static void json_cell(struct jw *j, const struct xp_column *c,
		      const struct xp_cell *cell)
{
	jw_flat_object(j, c->name);
	if (cell->value.text)
		jw_text(j, "value", cell->value.text);
	else
		jw_number(j, "value", cell->value.number);
	jw_text(j, "text", cell->text);
	if (cell->want) {
		jw_text(j, "expected", cell->want);
		jw_bool(j, "agrees", !cell->differs);
	}
	jw_end(j);
}

static void json_row(struct jw *j, const struct xp_table *t, size_t row)
{
	jw_object(j, NULL);
	for (size_t k = 0; k < t->rows.n_cols; k++)
		jw_text(j, t->rows.head[k], grid_cell(&t->rows, row, k));
	for (size_t k = 0; k < t->n_columns; k++)
		json_cell(j, &t->column[k], cell_at(t, row, k));
	jw_end(j);
}

static void json_table(struct jw *j, const struct xp_table *t)
{
	jw_object(j, NULL);
	jw_text(j, "name", t->name);
	jw_text(j, "title", t->title);
	jw_uint(j, "cells", t->n_cells);
	jw_uint(j, "agree", t->n_agree);
	jw_array(j, "rows");
	for (size_t i = 0; i < t->rows.n_rows; i++)
		json_row(j, t, i);
	jw_end(j);
	jw_end(j);
}

static void json_invariants(struct jw *j, const struct xp_claim *c)
{
	jw_array(j, "invariants");
	for (size_t i = 0; i < c->n_invariants; i++) {
		const struct xp_invariant *v = &c->invariant[i];
		jw_flat_object(j, NULL);
		jw_text(j, "name", v->name);
		jw_text(j, "is", v->text);
		jw_bool(j, "holds", !v->why);
		jw_text(j, "why", v->why);
		jw_end(j);
	}
	jw_end(j);
}

static void json_claim(struct jw *j, const struct experiment *x)
{
	const struct xp_claim *c = &x->claim;
	if (!c->id)
		return;
	jw_object(j, "claim");
	jw_text(j, "id", c->id);
	jw_text(j, "hypothesis", c->hypothesis);
	jw_text(j, "source", c->source);
	jw_text(j, "base", c->base);
	jw_text(j, "counterfactual", c->counterfactual);
	jw_text(j, "cause", c->cause);
	jw_number(j, "effect", c->effect_is);
	jw_number(j, "needs_low", c->needs_low);
	jw_number(j, "needs_high", c->needs_high);
	json_invariants(j, c);
	jw_text(j, "verdict", claim_verdict_name[c->verdict]);
	jw_text(j, "expected", claim_verdict_name[c->expected]);
	jw_text(j, "rule_of_source", of_rule(x));
	jw_end(j);
}

void experiment_json(const struct experiment *x, FILE *f)
{
	struct jw j = jw_document(f);
	jw_int(&j, "schema", JSON_SCHEMA);
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "title", x->title);
	jw_text(&j, "question", x->question);
	jw_text(&j, "source", x->source);
	json_claim(&j, x);
	jw_array(&j, "tables");
	for (size_t i = 0; i < x->n_tables; i++)
		json_table(&j, &x->table[i]);
	jw_end(&j);
	jw_uint(&j, "cells", x->n_cells);
	jw_uint(&j, "agree", x->n_agree);
	jw_text(&j, "refuted_if", x->refuted_if);
	jw_text(&j, "verdict", experiment_verdict(x));
	jw_finish(&j);
}
