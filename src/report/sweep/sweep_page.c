/* sweep_page.c -- Draws a sweep. */
#include "report/sweep/sweep_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "draw/heatmap.h"
#include "draw/svg.h"
#include "math/pareto.h"
#include "report/document.h"
#include "report/sweep/sweep_choice.h"
#include "report/sweep/sweep_data.h"
#include "report/sweep/sweep_pareto_rows.h"
#include "report/sweep/sweep_question.h"
#include "report/titles.h"

enum column { X, Y, FRONT_X, FRONT_Y, VALUE, EXPENSE, N_COLUMNS };
enum { MOST_CURVES = 24 };

struct page {
	struct store *store;
	struct reader *r;
	const struct sweep_view *v;
	struct sweep_data d;
	size_t column[N_COLUMNS];
	int better[N_COLUMNS];
	size_t down, across;       /* axes of the heat map; n_axes: none */
	struct document *document; /* NULL: one figure goes to a file */
	const char *only;          /* the name of that figure */
	struct plot *to;
	int plotted;
	long n_unpriced; /* rows of GPUs without a price */
	struct problem *p;
};

/* ---- columns ---- */

static const char *pick(const char *given, const char *usual)
{
	return given ? given : usual;
}

/* Returns how many rows have GPUs without a price, or -1 with *g->p. */
static long count_unpriced(struct page *g)
{
	long gpus = reader_column(g->r, "gpus", g->p);
	long usd = reader_column(g->r, "usd_per_hour", g->p), n = 0;
	int rc = gpus < 0 || usd < 0 ? -1 : 1;
	while (rc == 1 && (rc = reader_next(g->r, g->p)) == 1)
		n += !isnan(reader_cell(g->r, (size_t)gpus)->number) &&
		     isnan(reader_cell(g->r, (size_t)usd)->number);
	return rc < 0 ? -1 : n;
}

static int choose_columns(struct page *g)
{
	int capacity = store_study(g->store)->mode == STORE_CAPACITY;
	g->n_unpriced = count_unpriced(g);
	if (g->n_unpriced < 0)
		return -1;
	const char *expense =
	    g->n_unpriced ? "gpus" : "usd_per_million_output_tokens";
	const char *const name[N_COLUMNS] = {
	    [X] = pick(g->v->x, "output_throughput"),
	    [Y] = pick(g->v->y, capacity ? expense : "p99_ttft_ms"),
	    [FRONT_X] = capacity ? expense : "mean_tpot_ms",
	    [FRONT_Y] = capacity ? "request_rate" : "output_throughput_per_gpu",
	    [VALUE] = pick(g->v->value, capacity ? expense : "p99_ttft_ms"),
	    [EXPENSE] = expense,
	};
	for (int i = 0; i < N_COLUMNS; i++) {
		long c =
		    sweep_decision_column(g->r, name[i], &g->better[i], g->p);
		if (c < 0)
			return -1;
		g->column[i] = (size_t)c;
	}
	return 0;
}

/* Returns buf: the name of the column for people. */
static const char *column_title(const struct page *g, enum column i,
				char buf[TITLE_SIZE])
{
	return title_of(buf, reader_head(g->r, g->column[i])->name);
}

/* ---- axes ---- */

/* Returns 1 if the axis is the load: one curve runs along it. */
static int is_load(const char *axis)
{
	static const char *const load[] = {
	    "workload.request_rate", "workload.concurrency",
	    "workload.rate_scale", "workload.interarrival_us"};
	for (size_t i = 0; i < sizeof load / sizeof *load; i++)
		if (!strcmp(axis, load[i]))
			return 1;
	return 0;
}

/* The heat map shows the first two axes that vary. */
static void choose_axes(struct page *g)
{
	size_t found[2], n = 0;
	g->down = g->across = g->d.n_axes;
	for (size_t a = 0; a < g->d.n_axes && n < 2; a++)
		if (g->d.axis[a].value.n > 1)
			found[n++] = a;
	if (n == 2) {
		g->down = found[0];
		g->across = found[1];
	}
}

/* ---- a figure to the page or to its file ---- */

static int wanted(const struct page *g, const char *name)
{
	return g->document || !strcmp(g->only, name);
}

static int show_figure(struct page *g, const struct figure *figure)
{
	g->plotted = 1;
	if (!g->document)
		return plot_figure(g->to, figure, g->p);
	document_figure(g->document, DOCUMENT_FIGURE, figure);
	return 0;
}

/* ---- curves ---- */

struct curve {
	char *name;
	uint32_t arm;
	size_t n;
	struct xy {
		double load, x, y;
	} * at;
};

/* Returns the arm and the values of every axis except the load. */
static char *curve_name(const struct page *g, const struct sweep_row *row)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fputs(g->d.arm.item[row->arm], f);
	for (size_t a = 0; a < g->d.n_axes; a++)
		if (!is_load(g->d.axis[a].name) && g->d.axis[a].value.n > 1)
			fprintf(f, ", %s %s", sweep_axis_label(&g->d, a),
				g->d.axis[a].value.item[row->at[a]]);
	return text_end(&t);
}

static double load_of(const struct page *g, const struct sweep_row *row)
{
	for (size_t a = 0; a < g->d.n_axes; a++)
		if (is_load(g->d.axis[a].name)) {
			double v =
			    strtod(g->d.axis[a].value.item[row->at[a]], NULL);
			return strstr(g->d.axis[a].name, "interarrival") ? -v
									 : v;
		}
	return 0;
}

static int by_load(const void *a, const void *b)
{
	const struct xy *p = a, *q = b;
	return (p->load > q->load) - (p->load < q->load);
}

static struct curve *curve_of(struct page *g, struct curve *c, size_t *n,
			      const struct sweep_row *row)
{
	char *name = curve_name(g, row);
	if (!name)
		return NULL;
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(c[i].name, name)) {
			free(name);
			return &c[i];
		}
	if (*n == MOST_CURVES) { /* the other curves stay off the figure */
		free(name);
		return &c[MOST_CURVES];
	}
	c[*n].name = name;
	c[*n].arm = row->arm;
	return &c[(*n)++];
}

static int fill_curves(struct page *g, struct curve *c, size_t *n)
{
	for (size_t i = 0; i < g->d.n; i++) {
		const struct sweep_row *row = &g->d.row[i];
		struct curve *mine = curve_of(g, c, n, row);
		if (!mine)
			return problem_no_memory(g->p);
		struct xy *more =
		    realloc(mine->at, (mine->n + 1) * sizeof *more);
		if (!more)
			return problem_no_memory(g->p);
		mine->at = more;
		mine->at[mine->n++] =
		    (struct xy){load_of(g, row), row->v[X], row->v[Y]};
	}
	for (size_t k = 0; k < *n; k++)
		qsort(c[k].at, c[k].n, sizeof *c[k].at, by_load);
	return 0;
}

static int has_load(const struct page *g)
{
	for (size_t a = 0; a < g->d.n_axes; a++)
		if (is_load(g->d.axis[a].name) && g->d.axis[a].value.n > 1)
			return 1;
	return 0;
}

/* Returns the colour of the arm; with a single arm, a colour for each curve. */
static unsigned curve_slot(const struct page *g, const struct curve *c,
			   size_t k)
{
	return g->d.arm.n > 1 ? c[k].arm : (unsigned)k;
}

static int draw_curves(struct page *g, const struct curve *c, size_t n)
{
	struct figure_series series[MOST_CURVES];
	char title[200], x_title[TITLE_SIZE], y_title[TITLE_SIZE];
	double *xy = calloc(2 * g->d.n + 1, sizeof *xy);
	size_t used = 0;
	column_title(g, X, x_title);
	column_title(g, Y, y_title);
	if (!xy)
		return problem_no_memory(g->p);
	for (size_t k = 0; k < n; k++) {
		double *x = xy + used, *y = x + c[k].n;
		for (size_t i = 0; i < c[k].n; i++) {
			x[i] = c[k].at[i].x;
			y[i] = c[k].at[i].y;
		}
		used += 2 * c[k].n;
		series[k] = (struct figure_series){
		    .name = c[k].name,
		    .mark = has_load(g) ? MARK_LINE : MARK_POINTS,
		    .slot = curve_slot(g, c, k),
		    .dash = (unsigned)k + 1,
		    .x = x,
		    .y = y,
		    .n = c[k].n};
	}
	snprintf(title, sizeof title, "%s against %s", y_title, x_title);
	const struct figure figure = {.title = title,
				      .x_label = x_title,
				      .y_label = y_title,
				      .scale_x = SCALE_BY_RANGE,
				      .scale_y = SCALE_BY_RANGE,
				      .series = series,
				      .n_series = n};
	int rc = show_figure(g, &figure);
	free(xy);
	return rc;
}

/* Draws latency over throughput, a curve for each arm and set of other axes. */
static int curves(struct page *g)
{
	struct curve c[MOST_CURVES + 1] = {0};
	size_t n = 0;
	if (!wanted(g, "latency"))
		return 0;
	int rc = fill_curves(g, c, &n);
	if (rc == 0)
		rc = draw_curves(g, c, n);
	if (rc == 0 && g->document && c[MOST_CURVES].n)
		document_say(g->document,
			     "There are more curves than the figure has "
			     "colours; the first are shown.");
	for (size_t k = 0; k <= MOST_CURVES; k++)
		free(c[k].name), free(c[k].at);
	return rc;
}

/* ---- the front ---- */

static int by_x(const void *a, const void *b)
{
	const struct pareto_point *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

/* Puts the points of an arm and its Pareto front, both ascending, into two
 * series. */
static int front_of_arm(struct page *g, uint32_t arm, double *xy,
			struct figure_series *series)
{
	struct pareto_point *at = calloc(g->d.n + 1, sizeof *at);
	size_t n = 0, m = 0;
	double *x = xy, *y = xy + g->d.n;
	double *front_x = y + g->d.n, *front_y = front_x + g->d.n;
	if (!at)
		return problem_no_memory(g->p);
	for (size_t i = 0; i < g->d.n; i++)
		if (g->d.row[i].arm == arm)
			at[n++] = (struct pareto_point){
			    g->d.row[i].v[FRONT_X], g->d.row[i].v[FRONT_Y], 0};
	qsort(at, n, sizeof *at, by_x);
	long found =
	    pareto_front(at, n, g->better[FRONT_X], g->better[FRONT_Y]);
	for (size_t i = 0; i < n; i++) {
		x[i] = at[i].x;
		y[i] = at[i].y;
		if (at[i].on_front) {
			front_x[m] = at[i].x;
			front_y[m++] = at[i].y;
		}
	}
	free(at);
	series[0] = (struct figure_series){.mark = MARK_POINTS,
					   .slot = arm % FIGURE_COLOURS,
					   .x = x,
					   .y = y,
					   .n = n};
	series[1] = (struct figure_series){.name = g->d.arm.item[arm],
					   .mark = MARK_LINE,
					   .slot = arm % FIGURE_COLOURS,
					   .x = front_x,
					   .y = front_y,
					   .n = m};
	return found < 0 ? problem_no_memory(g->p) : 0;
}

/* Draws the Pareto fronts of all arms. */
static int fronts(struct page *g)
{
	size_t n = g->d.arm.n;
	char title[200], x_title[TITLE_SIZE], y_title[TITLE_SIZE];
	if (!wanted(g, "pareto"))
		return 0;
	column_title(g, FRONT_X, x_title);
	column_title(g, FRONT_Y, y_title);
	struct figure_series *series = calloc(2 * n + 1, sizeof *series);
	double *xy = calloc(4 * g->d.n * n + 1, sizeof *xy);
	int rc = series && xy ? 0 : problem_no_memory(g->p);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = front_of_arm(g, i, xy + 4 * g->d.n * i, series + 2 * i);
	snprintf(title, sizeof title, "Pareto front: %s against %s", y_title,
		 x_title);
	const struct figure figure = {.title = title,
				      .x_label = x_title,
				      .y_label = y_title,
				      .scale_x = SCALE_BY_RANGE,
				      .scale_y = SCALE_BY_RANGE,
				      .series = series,
				      .n_series = 2 * n};
	if (rc == 0)
		rc = show_figure(g, &figure);
	free(series), free(xy);
	return rc;
}

/* ---- heat maps ---- */

/* Fills in the best value over the other axes and over seeds. */
static void fill_cells(const struct page *g, uint32_t arm, double *cell)
{
	size_t n_x = g->d.axis[g->across].value.n;
	size_t n = n_x * g->d.axis[g->down].value.n;
	for (size_t i = 0; i < n; i++)
		cell[i] = NAN;
	for (size_t i = 0; i < g->d.n; i++) {
		const struct sweep_row *row = &g->d.row[i];
		double v = row->v[VALUE];
		double *at = &cell[row->at[g->down] * n_x + row->at[g->across]];
		if (row->arm == arm && !isnan(v) &&
		    (isnan(*at) || (v - *at) * g->better[VALUE] > 0))
			*at = v;
	}
}

static int show_heatmap(struct page *g, const struct heatmap *h)
{
	g->plotted = 1;
	if (!g->document)
		return heatmap_plot(g->to, h, g->p);
	document_heatmap(g->document, h);
	return 0;
}

static int heatmap_of_arm(struct page *g, uint32_t arm)
{
	const struct names *x = &g->d.axis[g->across].value;
	const struct names *y = &g->d.axis[g->down].value;
	char title[400], value[TITLE_SIZE];
	double *cell = calloc(x->n * y->n + 1, sizeof *cell);
	if (!cell)
		return problem_no_memory(g->p);
	fill_cells(g, arm, cell);
	snprintf(title, sizeof title, "%s: %s%s", g->d.arm.item[arm],
		 column_title(g, VALUE, value),
		 g->d.n_axes > 2 ? ", best over the other axes" : "");
	const struct heatmap h = {.title = title,
				  .x_label = sweep_axis_label(&g->d, g->across),
				  .y_label = sweep_axis_label(&g->d, g->down),
				  .x = x->item,
				  .y = y->item,
				  .n_x = x->n,
				  .n_y = y->n,
				  .value = cell};
	int rc = show_heatmap(g, &h);
	free(cell);
	return rc;
}

static int heatmaps(struct page *g)
{
	char name[256];
	if (g->down == g->d.n_axes)
		return 0;
	for (uint32_t i = 0; i < g->d.arm.n; i++) {
		snprintf(name, sizeof name, "heatmap-%s", g->d.arm.item[i]);
		if ((wanted(g, name) || (i == 0 && wanted(g, "heatmap"))) &&
		    heatmap_of_arm(g, i) < 0)
			return -1;
	}
	return 0;
}

/* ---- the whole page ---- */

static int begin(struct page *g)
{
	if (choose_columns(g) < 0 ||
	    sweep_data_read(&g->d, g->r, g->column, N_COLUMNS, g->p) < 0)
		return -1;
	choose_axes(g);
	return 0;
}

/* Adds the facts of the sweep: its points, options, configuration and axes. */
static void study(struct page *g)
{
	struct document *d = g->document;
	const struct store_study *s = store_study(g->store);
	static const char *const name[] = {"points", "arms", "mode",
					   "stepcost"};
	char points[32];
	snprintf(points, sizeof points, "%lld", (long long)s->points);
	const char *const text[] = {points, s->arms, store_mode_name[s->mode],
				    s->stepcost};
	document_heading(d, "The sweep");
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		document_own(d, DOCUMENT_FACT, name[i], strdup(text[i]));
	document_own(d, DOCUMENT_FACT, "options", sweep_options_text(s));
	document_own(d, DOCUMENT_FOLDED, "configuration",
		     strdup(s->configuration));
	document_own(d, DOCUMENT_FOLDED, "axes", strdup(s->axes));
}

/* Rows without a price are not dropped: all are judged by GPUs then. */
static void say_unpriced(const struct page *g)
{
	if (g->n_unpriced)
		document_say(g->document,
			     "%ld of %zu rows have GPUs without a price "
			     "(usd_per_hour), so all are judged by their "
			     "number of GPUs.",
			     g->n_unpriced, g->d.n);
}

/* Builds the document of the page. */
static int fill(struct page *g)
{
	struct document *d = g->document;
	char expense[TITLE_SIZE];
	const struct sweep_choice choice = {EXPENSE,
					    column_title(g, EXPENSE, expense)};
	if (sweep_question_ask(g->document, store_study(g->store), &g->d,
			       expense, g->p) < 0)
		return -1;
	sweep_answer(d, &g->d, &choice);
	document_heading(d, "Pareto front");
	if (fronts(g) < 0)
		return -1;
	say_unpriced(g);
	sweep_choices(d, &g->d, &choice);
	document_heading(d, "Latency and throughput");
	if (curves(g) < 0)
		return -1;
	document_heading(d, "Two axes");
	if (g->down == g->d.n_axes)
		document_say(d,
			     "A heat map needs two axes with several values.");
	if (heatmaps(g) < 0)
		return -1;
	study(g);
	return 0;
}

static int add_arms(struct document *d, const struct names *arm,
		    struct problem *p)
{
	for (size_t i = 0; i < arm->n; i++)
		if (names_add(&d->arms, arm->item[i]) < 0)
			return problem_no_memory(p);
	return 0;
}

int sweep_page_write(FILE *f, struct store *s, struct reader *r,
		     const struct sweep_view *v, const char *command,
		     struct problem *p)
{
	struct document d = {
	    .title = "A sweep", .command = command, .in = IN_PAGE};
	struct page g = {.store = s, .r = r, .v = v, .document = &d, .p = p};
	int rc = begin(&g);
	if (rc == 0)
		rc = add_arms(&d, &g.d.arm, p);
	if (rc == 0)
		rc = fill(&g);
	if (rc == 0)
		rc = document_html(&d, f, p);
	document_free(&d);
	sweep_data_free(&g.d);
	return rc;
}

int sweep_page_plot(struct store *s, struct reader *r,
		    const struct sweep_view *v, const char *figure,
		    struct plot *to, struct problem *p)
{
	struct page g = {
	    .store = s, .r = r, .v = v, .only = figure, .to = to, .p = p};
	int rc = begin(&g);
	if (rc == 0)
		rc = curves(&g);
	if (rc == 0)
		rc = fronts(&g);
	if (rc == 0)
		rc = heatmaps(&g);
	if (rc == 0 && !g.plotted)
		rc = problem_set(p, EXIT_USAGE,
				 "no figure '%s'; there are: latency pareto, "
				 "and with two axes heatmap heatmap-ARM",
				 figure);
	sweep_data_free(&g.d);
	return rc;
}
