/* sweep_plot.c -- The command `sweep plot`: draws a store as a page or as
 * figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/sweep/sweep_rows.h"
#include "report/sweep/sweep_page.h"

struct options {
	struct sweep_view view;
	const char *html, *where;
	struct names plot;
};

static const struct option_def option[] = {
    OPTION(OUTPUT, "html", "FILE", html,
	   "write all figures as one page, without script or network"),
    OPTION(LIST, "plot", "FIGURE=FILE", plot,
	   "write latency, pareto, heatmap or heatmap-ARM as .svg or .png; "
	   ".png needs rsvg-convert; repeatable"),
    OPTION(TEXT, "x", "COLUMN", view.x,
	   "x of the curves; default output_throughput"),
    OPTION(TEXT, "y", "COLUMN", view.y,
	   "y of the curves; default p99_ttft_ms, or the cost of a capacity"),
    OPTION(TEXT, "value", "COLUMN", view.value,
	   "figure of the heat map; default p99_ttft_ms, or the cost of a "
	   "capacity"),
    OPTION(TEXT, "where", "EXPR", where, "only rows for which this holds"),
};

static int write_page(const struct cmdline *c, struct store *s,
		      struct reader *r, struct problem *p)
{
	const struct options *o = c->own;
	struct outfile out = {0};
	char *command = cmdline_text(c);
	int rc = outfile_open(&out, o->html, p);
	if (rc == 0)
		rc = sweep_page_write(out.f, s, r, &o->view, command, p);
	free(command);
	return outfile_end(&out, rc, p);
}

/* "FIGURE=FILE", or FILE alone for the curves. */
static int write_figure(const struct options *o, const char *figure_path,
			struct store *s, struct reader *r, struct problem *p)
{
	struct plot to = {0};
	const char *equals = strchr(figure_path, '=');
	char name[256] = "latency";
	if (equals)
		snprintf(name, sizeof name, "%.*s", (int)(equals - figure_path),
			 figure_path);
	int rc = plot_open(&to, equals ? equals + 1 : figure_path, p);
	if (rc == 0)
		rc = sweep_page_plot(s, r, &o->view, name, &to, p);
	return outfile_end(&to.to, rc, p);
}

static int write_all(const struct cmdline *c, struct store *s, struct reader *r,
		     struct problem *p)
{
	const struct options *o = c->own;
	if (!o->html && !o->plot.n)
		return problem_set(p, EXIT_USAGE,
				   "sweep plot: needs --html FILE or --plot "
				   "FIGURE=FILE");
	if (o->html && write_page(c, s, r, p) < 0)
		return -1;
	for (size_t i = 0; i < o->plot.n; i++)
		if (write_figure(o, o->plot.item[i], s, r, p) < 0)
			return -1;
	return 0;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	return sweep_read(c, o->where, NULL, write_all);
}

const struct command command_sweep_plot = {
    .name = "sweep plot",
    .args = "FILE.db",
    .summary = "draw a sweep: latency against throughput, Pareto front, axes",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
