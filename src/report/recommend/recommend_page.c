/* recommend_page.c -- Writes a recommendation as a page. */
#include <config.h>
#include <math.h>
#include <stdlib.h>
#include "draw/dots.h"
#include "draw/html.h"
#include "report/capacity_parts.h"
#include "report/document.h"
#include "report/recommend/front_rows.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"
#include "report/results/simulated.h"

/* ---- texts ---- */

typedef void writer(const struct recommend *r, FILE *f);

/* Returns what a function writes; the caller frees it.  NULL: no memory. */
static char *text_by(const struct recommend *r, writer *write)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	write(r, f);
	fclose(f);
	return text;
}

static void paragraph(FILE *f, const struct recommend *r, writer *write)
{
	char *text = text_by(r, write);
	if (text && *text)
		html_paragraph(f, text);
	free(text);
}

/* Returns the configuration as the reader sees it; the caller frees it. */
static char *configuration(const struct recommend *r, size_t point)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	recommend_point(r, point, f);
	fclose(f);
	return text;
}

/* ---- the headline ---- */

static int has_winner(const struct recommend *r, size_t arm)
{
	return r->best[arm] != SIZE_MAX;
}

static void headline(const struct recommend *r, FILE *f)
{
	const char *between = "";
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		char rate[32];
		fputs(between, f);
		between = "; ";
		if (!has_winner(r, i)) {
			recommend_nearest(r, i, f);
			continue;
		}
		fprintf(f, "%s: ", recommend_arm_name(r, i));
		recommend_point(r, r->arm[i].winner, f);
		fprintf(
		    f, ", %s requests/s",
		    capacity_rate(
			rate, &recommend_found(r, i, r->best[i])->capacity));
	}
	fputs(". ", f);
	recommend_agreement(r, f);
}

/* ---- rates ---- */

static void rates(FILE *f, const struct recommend *r)
{
	size_t n = r->sweep.arms.n;
	struct dots_row *row = calloc(n + 1, sizeof *row);
	for (size_t i = 0; row && i < n; i++) {
		const struct capacity *c =
		    has_winner(r, i)
			? &recommend_found(r, i, r->best[i])->capacity
			: NULL;
		int has = c && isfinite(c->high) && c->low < c->high;
		row[i] = (struct dots_row){
		    .name = recommend_arm_name(r, i),
		    .slot = (unsigned)i,
		    .at = c ? c->request_rate : (double)NAN,
		    .low = has ? c->low : (double)NAN,
		    .high = has ? c->high : (double)NAN,
		    .note = c ? NULL : "no configuration meets the bounds"};
	}
	const struct dots dots = {"The winner of each arm, requests/s", row, n};
	if (row)
		dots_html(f, &dots);
	free(row);
}

/* ---- tables ---- */

enum { CONFIGURATION, RATE, PER_GPU, PER_USER, USD, GPUS, N_CELLS };
static const char *const column[N_CELLS] = {"configuration",
					    "requests/s",
					    "output tokens/s per GPU",
					    "output tokens/s per user",
					    "USD per million output tokens",
					    "GPUs"};

static void number_cell(struct columns *c, size_t at, double v)
{
	if (isfinite(v))
		columns_cell(c, 0, at, "%.4g", v);
}

static void row(struct columns *c, const struct recommend *r, size_t point,
		const double v[RECOMMEND_FIGURES])
{
	char *text = configuration(r, point);
	columns_cell(c, 0, CONFIGURATION, "%s", text ? text : "");
	free(text);
	number_cell(c, RATE, v[RECOMMEND_RATE]);
	number_cell(c, PER_GPU, v[RECOMMEND_TOKENS_PER_GPU]);
	number_cell(c, PER_USER, v[RECOMMEND_TOKENS_PER_USER]);
	number_cell(c, USD, v[RECOMMEND_USD_PER_MTOK]);
	number_cell(c, GPUS, v[RECOMMEND_GPUS]);
}

static void begin_table(struct columns *c)
{
	*c = (struct columns){.n_groups = 1, .per_group = N_CELLS};
	columns_row(c, "arm");
	for (size_t i = 0; i < N_CELLS; i++)
		columns_cell(c, 0, i, "%s", column[i]);
}

static void end_table(struct columns *c, const struct recommend *r, FILE *f)
{
	const struct html_arms arms = {(const char *const *)r->sweep.arms.item,
				       r->sweep.arms.n};
	columns_html(c, &arms, f);
	columns_free(c);
}

/* Winners first, then the best of another shape. */
static void winners(FILE *f, const struct recommend *r)
{
	struct columns c;
	begin_table(&c);
	for (int second = 0; second < 2; second++)
		for (size_t i = 0; i < r->sweep.arms.n; i++)
			for (size_t k = 0; k < r->n_shortlist; k++) {
				const struct recommend_arm *a = &r->arm[i];
				double v[RECOMMEND_FIGURES];
				if (r->shortlist[k] !=
				    (second ? a->runner_up : a->winner))
					continue;
				recommend_figures(r, i, k, v);
				columns_row(&c, "%s%s",
					    recommend_arm_name(r, i),
					    second ? ", another shape" : "");
				row(&c, r, r->shortlist[k], v);
			}
	end_table(&c, r, f);
}

static void front(FILE *f, const struct recommend *r)
{
	struct columns c;
	begin_table(&c);
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		struct front_rows rows;
		front_rows(&rows, r, i, 0);
		for (size_t k = 0; k < rows.n; k++) {
			columns_row(&c, "%s", recommend_arm_name(r, i));
			row(&c, r, rows.row[k].point, rows.row[k].v);
		}
		free(rows.row);
	}
	end_table(&c, r, f);
}

static void regret(FILE *f, const struct recommend *r)
{
	size_t n = r->sweep.arms.n;
	struct columns c = {.n_groups = 1, .per_group = n};
	columns_row(&c, "served as this arm chose");
	for (size_t k = 0; k < n; k++)
		columns_cell(&c, 0, k, "%s", recommend_arm_name(r, k));
	for (size_t i = 0; i < n; i++) {
		columns_row(&c, "%s", recommend_arm_name(r, i));
		for (size_t k = 0; k < n; k++) {
			double lost = 100 * regret_of(&r->regret, i, k);
			if (isfinite(lost))
				columns_cell(&c, 0, k, "%.1f %%", lost);
		}
	}
	end_table(&c, r, f);
}

static void reasons(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		if (!r->arm[i].reasons.n)
			continue;
		fprintf(f, "%s: ", recommend_arm_name(r, i));
		recommend_reasons(&r->arm[i], f);
		fputs(".\n", f);
	}
}

static void impossible(FILE *f, const struct recommend *r)
{
	char *text = text_by(r, reasons);
	if (text && *text) {
		html_heading(f, "Configurations that are not possible");
		html_paragraph(f, text);
	}
	free(text);
}

static void facts(FILE *f, const struct recommend *r)
{
	char *text[N_SIMULATED];
	for (int i = 0; i < N_SIMULATED; i++)
		text[i] = simulated_part(&r->sweep.config, r->sweep.arms.n,
					 (enum simulated_part)i);
	html_facts_begin(f);
	for (int i = 0; i < N_SIMULATED; i++)
		html_fact(f, simulated_label[i], text[i]);
	html_facts_end(f);
	for (int i = 0; i < N_SIMULATED; i++)
		free(text[i]);
}

/* ---- the page ---- */

static void front_paragraph(const struct recommend *r, FILE *f)
{
	fputs("Dots: runs that met the bounds.  Lines: those that no other "
	      "run beats in both, ",
	      f);
	front_title(r, f);
	fputc('.', f);
}

static void body(const struct recommend *r, FILE *f)
{
	rates(f, r);
	front_picture(r, f);
	paragraph(f, r, front_paragraph);
	html_heading(f, "Configurations");
	winners(f, r);
	paragraph(f, r, recommend_energy);
	paragraph(f, r, recommend_far_ends);
	paragraph(f, r, recommend_loops);
	paragraph(f, r, recommend_short);
	paragraph(f, r, recommend_assumption);
	if (r->sweep.arms.n > 1) {
		html_heading(f, "Share that is lost if another arm is right");
		regret(f, r);
	}
	html_heading(f, "The Pareto front");
	front(f, r);
	impossible(f, r);
	html_heading(f, "Simulated set-up of the first configuration");
	facts(f, r);
}

int recommend_page(const struct recommend *r, FILE *f, struct problem *p)
{
	struct html_page page = {0};
	char *text = text_by(r, headline);
	int rc = text && html_page_begin(&page) == 0 ? 0 : problem_no_memory(p);
	if (rc == 0)
		body(r, page.f);
	const char *const answer = text ? text : "";
	const struct html_head head = {"Recommendation", NULL, NULL, &answer,
				       1};
	if (html_page_end(&page, f, &head) < 0 && rc == 0)
		rc = problem_no_memory(p);
	free(text);
	return rc;
}
