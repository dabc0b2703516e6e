/* compared_page.c -- Pictures of one measured run beside the simulated ones. */
#include "report/validation/compared_page.h"
#include <math.h>
#include <unistd.h>
#include "document_asked.h"
#include "rendered.h"

static const struct compared_figure near_by[] = {
    {"mean_e2el_ms", 500, 500, 450, -0.1, 400, 550},
    {"mean_ttft_ms", 50, 50, 45, -0.1, 40, 55},
    {"p99_ttft_ms", 250, 500, 300, 0, NAN, NAN},
    {"p99_e2el_ms", 1000, INFINITY, 800, -0.2, NAN, NAN},
};
static const struct compared_figure far_away[] = {
    {"mean_e2el_ms", 500, 500, 900, 0.8, NAN, NAN},
};
static const struct compared arm[] = {{"far_away", far_away, 1},
				      {"near_by", near_by, 4}};
static struct problem p;

static void has(const char *part)
{
	if (!ok(strstr(rendered_text, part), "%s", part))
		printf("# in: %s\n", rendered_text);
}

static int count(const char *part)
{
	int n = 0;
	for (const char *at = rendered_text; (at = strstr(at, part)) != NULL;
	     at++)
		n++;
	return n;
}

static void dots(void)
{
	struct document d = {.in = IN_ALL};
	compared_dots(arm, 2, "mean", &d);
	compared_dots(arm, 2, "p99", &d);
	rendered_begin();
	for (size_t i = 0; i < d.n; i++)
		fputs(d.part[i].text, rendered_file);
	rendered_end();
	ok(count("TTFT p99, ms") == 1 && !strstr(rendered_text, "ITL"),
	   "a picture of each figure that an arm has");
	ok(count("far_away") == 1,
	   "an arm without the figure has no dot: it has one figure");
	has("<small>250 to 500</small>");
	has("above 1000");
	has("<b>45</b> <small>40 to 55</small>");
	document_free(&d);
}

static void document(void)
{
	struct document d;
	compared_document(arm, 2, "9 requests measured.", &d);
	ok(document_says(&d, IN_ALL,
			 "near_by comes nearest: 450 ms of mean E2E latency "
			 "for 500 ms measured (-10.0 %)."),
	   "the answer");
	ok(document_says(&d, IN_SHORT, "9 requests measured."),
	   "the measurement");
	ok(document_find(&d, "metric") != NULL, "the table");
	document_free(&d);
}

static void scatter(void)
{
	struct plot to;
	static char svg[100000];
	char path[] = "/tmp/compared_page.XXXXXX.svg";
	int fd = mkstemps(path, 4);
	if (fd < 0 || plot_open(&to, path, &p) < 0)
		bail_out("no temporary file");
	close(fd);
	ok(compared_plot(arm, 2, &to, &p) == 0 &&
	       outfile_commit(&to.to, &p) == 0,
	   "a scatter");
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(svg, 1, sizeof svg - 1, f) : 0;
	if (f)
		fclose(f);
	svg[n] = '\0';
	fputs(svg, rendered_begin());
	rendered_end();
	has("measured, ms");
	ok(count("h0") == 4 + 2,
	   "a point of each figure with two ends, and two in the legend");
	const struct compared none = {"an_arm", near_by + 3, 1};
	ok(plot_open(&to, path, &p) == 0 &&
	       compared_plot(&none, 1, &to, &p) < 0 && p.code == EXIT_INPUT,
	   "none without a figure: %s", p.text);
	outfile_discard(&to.to);
	unlink(path);
}

int main(void)
{
	dots();
	document();
	scatter();
	return done();
}
