/* experiment.c -- recompute a published experiment, shipped or the user's,
 * and compare it with what was published, cell by cell. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cost/steps.h"
#include "experiment/experiment.h"
#include "setup/datafile.h"

static const char folder[] = "etc/experiments";

/* What a child leaves behind, one for each of its arm's points. */
struct answer {
	sc_result result;
	sc_kernel_result kernel;
};
struct run {
	struct config config;
	struct experiment x;
	struct steps steps; /* one a point; of a kernel, empty */
	sc_host host;
	struct arms_at_work jobs;
	struct problem problem;
};

/* ---- in the child ---- */

static int price_kernel(struct cost *c, const sc_setup *setup,
			const struct xp_point *q, struct answer *to,
			struct problem *p)
{
	struct problem why;
	const sc_layers *g = setup->model->group[0];
	sc_kernel k = q->kernel;
	if (!k.heads) {
		k.heads = g->n_heads;
		k.kv_heads = g->n_kv_heads;
		k.head_dim = g->head_dim;
		k.ranks = setup->parallel->tp;
	}
	if (!c->p->kernel)
		return problem_set(p, EXIT_USAGE, "%s: %s prices no kernels",
				   q->ask->at, c->p->name);
	const sc_kernel_result *is = cost_kernel(c, &k, &why);
	if (!is)
		return problem_set(p, why.code, "%s: %.900s", q->ask->at,
				   why.text);
	to->kernel = *is;
	return 0;
}

static int price_points(struct job *j, struct arm *a, void *ctx,
			struct problem *p)
{
	const struct run *r = ctx;
	struct answer *answer = j->shared;
	for (size_t i = 0; i < r->x.n_points; i++) {
		const struct xp_point *q = &r->x.point[i];
		if (strcmp(q->arm, a->is->name))
			continue;
		if (q->ask->kernel) {
			if (price_kernel(&a->cost, &a->setup, q, &answer[i],
					 p) < 0)
				return -1;
			continue;
		}
		const sc_result *is =
		    cost_eval(&a->cost, &r->steps.item[i].step, p);
		if (!is)
			return -1;
		answer[i].result = *is;
	}
	return 0;
}

/* Many arms are of one plugin and one table: what they log is kept, and said
 * once by the parent. */
static void keep_log(const sc_host *h, int32_t level, const char *text)
{
	if (level >= 1)
		fprintf(h->ctx, "%s: %s\n", level > 1 ? "warning" : "info",
			text);
}

/* ---- in the parent ---- */

/* Each arm that a column names is there. */
static int check_arms(const struct run *r, struct problem *p)
{
	for (size_t i = 0; i < r->x.n_points; i++) {
		const struct xp_point *q = &r->x.point[i];
		size_t k = 0;
		while (k < r->config.n_arms &&
		       strcmp(r->config.arm[k].name, q->arm))
			k++;
		if (k == r->config.n_arms)
			return problem_set(p, EXIT_USAGE,
					   "%s: [table:%s] has columns of an "
					   "arm %s: there is no "
					   "[cost_model:%s]",
					   r->x.path, q->table->name, q->arm,
					   q->arm);
	}
	return 0;
}

/* The points as a steps file, and that read. */
static int make_steps(struct run *r, struct problem *p)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return problem_set(p, EXIT_USAGE, "out of memory");
	fputs("step,decode,prefill\n", f);
	for (size_t i = 0; i < r->x.n_points; i++) {
		const struct xp_point *q = &r->x.point[i];
		fprintf(f, "%s.%s,%s,%s\n", q->table->name, q->ask->name,
			q->decode ? q->decode : "",
			q->prefill ? q->prefill : "");
	}
	fclose(f);
	f = fmemopen(text, n, "r");
	int rc = f ? steps_read(&r->steps, f, r->x.path, p)
		   : problem_set(p, EXIT_USAGE, "out of memory");
	if (f)
		fclose(f);
	free(text);
	return rc;
}

/* What the arms logged, each line once. */
static void say_once(const struct run *r)
{
	struct names said = {0};
	char *line = NULL;
	size_t size = 0;
	for (size_t i = 0; i < r->config.n_arms; i++)
		while (getline(&line, &size, r->jobs.job[i].stream[0]) > 0)
			if (!names_have(&said, line) &&
			    names_add(&said, line) == 0)
				note(r->host.ctx, "%.*s",
				     (int)strcspn(line, "\n"), line);
	names_free(&said);
	free(line);
}

static int price(struct run *r, struct problem *p)
{
	size_t n = r->config.n_arms;
	const struct jobs_options how = {
	    .answer_limit_s = 60,
	    .shared_bytes = (r->x.n_points + 1) * sizeof(struct answer),
	};
	const sc_host host = {.size = sizeof host,
			      .abi_minor = SC_ABI_MINOR,
			      .log = keep_log,
			      .extension = r->host.extension};
	if (arms_run_all(&r->jobs, &r->config, &host, price_points, r, &how,
			 p) < 0)
		return -1;
	say_once(r);
	for (size_t i = 0; i < n; i++)
		if (r->jobs.job[i].problem->code != EXIT_DONE)
			return problem_set(p, r->jobs.job[i].problem->code,
					   "%s", r->jobs.job[i].complaint);
	return 0;
}

static void describe_batch(struct xp_point *q, const sc_step *step)
{
	q->n_decode = step->n_decode;
	q->n_prefill = step->n_prefill;
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		q->min_kv = i && q->min_kv < kv ? q->min_kv : kv;
		q->max_kv = q->max_kv > kv ? q->max_kv : kv;
	}
}

static void take_answers(struct run *r)
{
	for (size_t i = 0; i < r->x.n_points; i++) {
		struct xp_point *q = &r->x.point[i];
		size_t k = 0;
		while (strcmp(r->config.arm[k].name, q->arm))
			k++;
		const struct answer *a = r->jobs.job[k].shared;
		q->result = a[i].result;
		q->kernel_result = a[i].kernel;
		describe_batch(q, &r->steps.item[i].step);
	}
}

static char *experiment_path(const char *name, struct problem *p)
{
	const char *dot = strrchr(name, '.');
	char *path;
	if (!strchr(name, '/') && !(dot && !strcmp(dot, ".ini")))
		return datafile_find(folder, name, ".ini", p);
	if (!(path = strdup(name)))
		problem_set(p, EXIT_USAGE, "out of memory");
	return path;
}

static int load(struct run *r, const struct cmdline *c, const char *path,
		struct problem *p)
{
	if (c->arms)
		return problem_set(p, EXIT_USAGE,
				   "--arms: an experiment takes the arms that "
				   "its columns name");
	if (config_load_with(&r->config, path, c->set.item, c->set.n, NULL,
			     experiment_sections, p) < 0)
		return -1;
	/* No scheduler: nothing asks how many blocks there are. */
	r->config.engine_keys.num_gpu_blocks = "unlimited";
	if (experiment_load(&r->x, &r->config.cfg, p) < 0 ||
	    check_arms(r, p) < 0)
		return -1;
	return make_steps(r, p);
}

/* ---- results ---- */

/* Columns of a terminal that a cell with its mark takes. */
static int cell_width(const struct xp_cell *cell)
{
	int n = (int)strlen(cell->text);
	if (!cell->want)
		return n;
	return n + 2 + (cell->differs ? (int)strlen(cell->want) + 3 : 0);
}

static void print_cell(FILE *f, const struct xp_cell *cell, int width)
{
	fputs(cell->text, f);
	if (cell->want && cell->differs)
		fprintf(f, " \u2717 (%s)", cell->want);
	else if (cell->want)
		fputs(" \u2713", f);
	fprintf(f, "%*s", width - cell_width(cell) + 2, "");
}

static int widest_cell(const struct xp_table *t, size_t column)
{
	int width = (int)strlen(t->column[column].name);
	for (size_t i = 0; i < t->rows.n_rows; i++) {
		int n = cell_width(&t->cell[i * t->n_columns + column]);
		width = n > width ? n : width;
	}
	return width;
}

static int widest_variable(const struct xp_table *t, size_t k)
{
	int width = (int)strlen(t->rows.head[k]);
	for (size_t i = 0; i < t->rows.n_rows; i++) {
		int n = (int)strlen(t->rows.cell[i * t->rows.n_cols + k]);
		width = n > width ? n : width;
	}
	return width;
}

/* row -1: the head. */
static void print_row(FILE *f, const struct xp_table *t, long row)
{
	for (size_t k = 0; k < t->rows.n_cols; k++) {
		const char *s = t->rows.head[k];
		if (!experiment_shows(t, s))
			continue;
		if (row >= 0)
			s = t->rows.cell[(size_t)row * t->rows.n_cols + k];
		fprintf(f, "%-*s  ", widest_variable(t, k), s);
	}
	for (size_t k = 0; k < t->n_columns; k++) {
		int width = widest_cell(t, k);
		if (row < 0)
			fprintf(f, "%-*s  ", width, t->column[k].name);
		else
			print_cell(f, &t->cell[(size_t)row * t->n_columns + k],
				   width);
	}
	putc('\n', f);
}

static void print_text(FILE *f, const struct experiment *x)
{
	const struct {
		const char *label, *text;
	} head[] = {{"", x->title},
		    {"question: ", x->question},
		    {"source: ", x->source}};
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		if (head[i].text)
			fprintf(f, "%s%s\n", head[i].label, head[i].text);
	for (size_t i = 0; i < x->n_tables; i++) {
		const struct xp_table *t = &x->table[i];
		fprintf(f, "\n%s%s%s\n", t->name, t->title ? ": " : "",
			t->title ? t->title : "");
		for (long row = -1; row < (long)t->rows.n_rows; row++)
			print_row(f, t, row);
		if (t->n_key_differs)
			fprintf(f, "%zu keys are not the expected ones\n",
				t->n_key_differs);
		if (t->n_cells)
			fprintf(f, "%zu of %zu cells agree\n", t->n_agree,
				t->n_cells);
	}
	putc('\n', f);
	if (x->n_cells)
		fprintf(f, "%zu of %zu cells agree\n", x->n_agree, x->n_cells);
	if (x->refuted_if)
		fprintf(f, "refuted if: %s\n", x->refuted_if);
	if (x->refuted)
		fprintf(f, "verdict: %s\n",
			x->is_refuted ? "refuted" : "confirmed");
}

static void print_csv(FILE *f, const struct experiment *x)
{
	fputs("table,row,column,value,expected,agrees\n", f);
	for (size_t i = 0; i < x->n_tables; i++) {
		const struct xp_table *t = &x->table[i];
		for (size_t k = 0; k < t->rows.n_rows * t->n_columns; k++) {
			const struct xp_cell *cell = &t->cell[k];
			csv_text(f, t->name);
			fprintf(f, ",%zu,", k / t->n_columns);
			csv_text(f, t->column[k % t->n_columns].name);
			putc(',', f);
			csv_text(f, cell->text);
			putc(',', f);
			csv_text(f, cell->want ? cell->want : "");
			fprintf(f, ",%s\n",
				!cell->want     ? ""
				: cell->differs ? "false"
						: "true");
		}
	}
}

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

static void json_table(struct jw *j, const struct xp_table *t)
{
	jw_object(j, NULL);
	jw_text(j, "name", t->name);
	jw_text(j, "title", t->title);
	jw_uint(j, "cells", t->n_cells);
	jw_uint(j, "agree", t->n_agree);
	jw_array(j, "rows");
	for (size_t i = 0; i < t->rows.n_rows; i++) {
		jw_object(j, NULL);
		for (size_t k = 0; k < t->rows.n_cols; k++)
			jw_text(j, t->rows.head[k],
				t->rows.cell[i * t->rows.n_cols + k]);
		for (size_t k = 0; k < t->n_columns; k++)
			json_cell(j, &t->column[k],
				  &t->cell[i * t->n_columns + k]);
		jw_end(j);
	}
	jw_end(j);
	jw_end(j);
}

static void print_json(FILE *f, const struct experiment *x)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	jw_int(&j, "schema", 1);
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "title", x->title);
	jw_text(&j, "question", x->question);
	jw_text(&j, "source", x->source);
	jw_array(&j, "tables");
	for (size_t i = 0; i < x->n_tables; i++)
		json_table(&j, &x->table[i]);
	jw_end(&j);
	jw_uint(&j, "cells", x->n_cells);
	jw_uint(&j, "agree", x->n_agree);
	jw_text(&j, "refuted_if", x->refuted_if);
	jw_text(&j, "verdict",
		!x->refuted     ? NULL
		: x->is_refuted ? "refuted"
				: "confirmed");
	jw_end(&j);
	jw_finish(&j);
}

static int write_out(const struct experiment *x, const struct cmdline *c,
		     struct problem *p)
{
	struct outfile out;
	if (outfile_open(&out, c->output, p) < 0)
		return -1;
	if (c->format == FORMAT_JSON)
		print_json(out.f, x);
	else if (c->format == FORMAT_CSV)
		print_csv(out.f, x);
	else
		print_text(out.f, x);
	return outfile_commit(&out, p);
}

static int run(const struct cmdline *c)
{
	struct run r = {.host = command_host(c)};
	struct problem *p = &r.problem;
	char *path = experiment_path(c->arg[0], p);
	int rc = EXIT_DONE;
	if (path && load(&r, c, path, p) == 0 && price(&r, p) == 0) {
		take_answers(&r);
		if (experiment_compute(&r.x, p) < 0 ||
		    write_out(&r.x, c, p) < 0)
			rc = complain(p);
		else if (r.x.differs)
			rc = EXIT_SAYS_NO;
	} else {
		rc = complain(p);
	}
	arms_run_free(&r.jobs);
	steps_free(&r.steps);
	experiment_free(&r.x);
	config_free(&r.config);
	free(path);
	return rc;
}

const struct command command_experiment = {
    .name = "experiment",
    .args = "NAME",
    .summary = "re-run a shipped or a user's experiment and check its table",
    .min_args = 1,
    .max_args = 1,
    .run = run,
};

/* ---- experiment list ---- */

static void list_one(FILE *f, const char *name)
{
	struct problem p;
	struct ini c = {0};
	char *path = datafile_find(folder, name, ".ini", &p);
	const char *title = NULL;
	if (path && ini_load(&c, path, &p) == 0)
		title = ini_get(&c, "experiment", "title");
	fprintf(f, "%-16s %s\n", name, title ? title : "");
	ini_free(&c);
	free(path);
}

static int run_list(const struct cmdline *c)
{
	struct searchpath folders = {0};
	struct outfile out;
	struct problem p;
	if (datafile_folders(&folders, folder) < 0)
		problem_set(&p, EXIT_USAGE, "out of memory");
	else if (outfile_open(&out, c->output, &p) == 0) {
		for (size_t i = 0; i < folders.folder.n; i++) {
			struct names names = {0};
			names_add_files(&names, folders.folder.item[i], ".ini");
			for (size_t k = 0; k < names.n; k++)
				list_one(out.f, names.item[k]);
			names_free(&names);
		}
		searchpath_free(&folders);
		return outfile_commit(&out, &p) < 0 ? complain(&p) : EXIT_DONE;
	}
	searchpath_free(&folders);
	return complain(&p);
}

const struct command command_experiment_list = {
    .name = "experiment list",
    .args = "",
    .summary = "the shipped experiments, and those on the data path",
    .run = run_list,
};
