/* Points of a sweep: a product, axes that vary together, a file, a list, those
 * for which --where holds; and each refusal with its message. */
#include "sweep/plan.h"
#include "scratch.h"

static struct plan plan;
static struct ini cfg;
static struct problem why;

/* Options; up to three axes and two --zip. */
struct given {
	const char *axis[3], *zip[2];
	const char *points, *list, *where;
	size_t most;
};

static int make(const struct given *g, struct plan_source *from)
{
	plan_free(&plan);
	why = (struct problem){0};
	*from = (struct plan_source){.points = g->points,
				     .list = g->list,
				     .list_from = g->list ? "--try" : NULL,
				     .most = g->most,
				     .where = g->where};
	for (int i = 0; i < 3 && g->axis[i]; i++)
		if (names_add(&from->axis, g->axis[i]) < 0)
			bail_out("memory");
	for (int i = 0; i < 2 && g->zip[i]; i++)
		if (names_add(&from->zip, g->zip[i]) < 0)
			bail_out("memory");
	return plan_make(&plan, from, &cfg, &why);
}

static void source_free(struct plan_source *from)
{
	names_free(&from->axis);
	names_free(&from->zip);
}

/* All values, "1 a; 2 a", a point between semicolons. */
static void gives(const struct given *g, const char *want, const char *what)
{
	struct plan_source from;
	char got[400] = "";
	size_t n = 0;
	int rc = make(g, &from);
	for (size_t i = 0; rc == 0 && i < plan.n_points; i++)
		for (size_t a = 0; a < plan.n_axes; a++)
			n += (size_t)snprintf(got + n, sizeof got - n, "%s%s",
					      a   ? " "
					      : i ? "; "
						  : "",
					      plan_value(&plan, i, a));
	is(rc == 0 ? got : why.text, want, "%s", what);
	source_free(&from);
}

static void refused(const struct given *g, int code, const char *want)
{
	struct plan_source from;
	int rc = make(g, &from);
	ok(rc < 0 && why.code == code && strstr(why.text, want), "%s: %s", want,
	   why.text);
	source_free(&from);
}

#define SEQS "engine.max_num_seqs"
#define RATE "workload.request_rate"

static void products(void)
{
	gives(&(struct given){.axis = {"a.b=1,2", "a.c=x,y"}},
	      "1 x; 1 y; 2 x; 2 y", "the last axis varies fastest");
	gives(&(struct given){.axis = {"a.b=1,2", "a.c=x,y", "a.d=5,6"},
			      .zip = {"a.b,a.d"}},
	      "1 x 5; 1 y 5; 2 x 6; 2 y 6", "zipped axes vary together");
	static const struct given wrong[] = {
	    {.axis = {"a.b"}},
	    {.axis = {"b=1"}},
	    {.axis = {"a.b=1", "a.b=2"}},
	    {.axis = {"a.b="}},
	    {.axis = {"a.b=1,2", "a.c=1,2"}, .zip = {"a.b,a.d"}},
	    {.axis = {"a.b=1,2", "a.c=1,2"}, .zip = {"a.b,a.b"}},
	    {.axis = {"a.b=1,2", "a.c=1,2", "a.d=1,2"},
	     .zip = {"a.b,a.c", "a.d,a.c"}},
	    {.axis = {"a.b=1,2", "a.c=1,2,3"}, .zip = {"a.b,a.c"}},
	    {.axis = {"a.b=1:10000:1", "a.c=1:10001:1"}},
	    {.axis = {NULL}},
	};
	static const char *const says[] = {
	    "--axis a.b: not SECTION.KEY=VALUES",
	    "--axis b",
	    "axis a.b given twice",
	    "an empty value",
	    "--zip a.b,a.d: no axis 'a.d'",
	    "--zip a.b,a.b: a.b is zipped twice",
	    "--zip a.d,a.c: a.c is zipped twice",
	    "--zip a.b,a.c: a.b has 2 values, a.c has 3",
	    "more than 100000000 points",
	    "needs --axis SECTION.KEY=VALUES or --points FILE.csv",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		refused(&wrong[i], EXIT_USAGE, says[i]);
}

static void files(void)
{
	char many[4000] = SEQS "\n", path[400];
	size_t n = strlen(many);
	snprintf(path, sizeof path, "%s",
		 scratch_file("p.csv", SEQS "," RATE "\n1, 2.50\n3,2.5\n"));
	gives(&(struct given){.points = path}, "1 2.5; 3 2.5",
	      "points of a file, numbers in their shortest form");
	gives(&(struct given){.list = SEQS "," RATE "\n1,\n,2\n"}, "1 ;  2",
	      "a list may leave keys out");
	refused(&(struct given){.list = "b\n1\n"}, EXIT_USAGE,
		"--try:1: column 'b' is no SECTION.KEY");
	refused(&(struct given){.points = path, .axis = {"a.b=1"}}, EXIT_USAGE,
		"--points and --axis: give only one of the two");
	refused(&(struct given){.points = path, .zip = {"a,b"}}, EXIT_USAGE,
		"--zip needs --axis");
	refused(&(struct given){.points = path, .most = 1}, EXIT_USAGE,
		"p.csv:3: more than 1 points, all that may be tried");
	refused(&(struct given){.points = scratch_path("none.csv")}, EXIT_USAGE,
		"none.csv: No such file");
	static const struct {
		const char *text;
		int code;
		const char *says;
	} wrong[] = {
	    {SEQS "," SEQS "\n1,2\n", EXIT_USAGE,
	     "axis engine.max_num_seqs given twice"},
	    {SEQS "," RATE "\n1,\n", EXIT_INPUT, ":2: an empty cell"},
	    {SEQS "," RATE "\n1\n", EXIT_INPUT, ":2"},
	    {SEQS "\n", EXIT_INPUT, "has no points"},
	    {SEQS "\n1\n2\n1.0\n", EXIT_USAGE,
	     "points 1 and 3 of the plan have the same values"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		refused(&(struct given){.points = scratch_file("w.csv",
							       wrong[i].text)},
			wrong[i].code, wrong[i].says);
	for (int i = 0; i < 600; i++)
		n += (size_t)snprintf(many + n, sizeof many - n, "%d\n", i);
	struct plan_source from;
	ok(make(&(struct given){.points = scratch_file("many.csv", many)},
		&from) == 0 &&
	       plan.n_points == 600 &&
	       !strcmp(plan_value(&plan, 599, 0), "599"),
	   "600 points");
	source_free(&from);
}

static void where(void)
{
	static const struct {
		const char *where, *want;
	} some[] = {
	    {SEQS " > 2", "4 x; 4 y"},
	    {"max_num_seqs > engine.block_size / 16", "2 x; 2 y; 4 x; 4 y"},
	    {"max_num_seqs == engine.block_size / 16 and knob == \"y\"", "1 y"},
	    {"max_num_seqs < 0",
	     "--where max_num_seqs < 0: holds for no point"},
	    {"log(max_num_seqs - 2)", "2 x; 2 y; 4 x; 4 y"},
	    {"knob", "--where: is a text; it must be a comparison"},
	    {"engine.block > 1",
	     "--where: 'engine.block' is neither an axis nor a key of c.ini"},
	    {"model.block_size > 1",
	     "--where: 'model.block_size' is neither an "
	     "axis nor a key of c.ini"},
	    {"engine > 1",
	     "--where: 'engine' is neither an axis nor a key of c.ini"},
	};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		gives(&(struct given){.axis = {SEQS "=1,2,4",
					       "cost_model:m.knob=x,y"},
				      .where = some[i].where},
		      some[i].want, some[i].where);
	gives(&(struct given){.axis = {"a.b=5,5x,x5"}, .where = "b == \"5x\""},
	      "5x", "a number with a letter is a text");
	refused(&(struct given){.axis = {"a.b=1"}, .where = "b >"}, EXIT_USAGE,
		"a value expected");
}

/* Neither the order of axes nor more values change the name of a point. */
static void names(void)
{
	char first[POINT_NAME], second[POINT_NAME];
	struct plan_source from;
	if (make(&(struct given){.axis = {"a.b=1,2", "a.c=x,y"}}, &from) < 0)
		bail_out(why.text);
	plan_point_name(&plan, 1, first);
	ok(plan_axis_named(&plan, "a.c") == 1 &&
	       plan_axis_named(&plan, "a.") == -1,
	   "axes have indices");
	source_free(&from);
	const struct given other = {.axis = {"a.c=z,y", "a.b=0,1"},
				    .zip = {"a.c,a.b"},
				    .where = "b >= 1"};
	if (make(&other, &from) < 0)
		bail_out(why.text);
	plan_point_name(&plan, 0, second);
	is(second, first, "the same point in another plan");
	char *text = plan_text(&plan, &from);
	if (ok(text != NULL, "the plan as a text"))
		ok(strstr(text, "\"zip\"") &&
		       strstr(text, "\"where\": \"b >= 1\"") &&
		       strstr(text, plan.sha256),
		   "has what makes it: %s", text);
	free(text);
	source_free(&from);
	if (make(&(struct given){.axis = {"a.b=1,2"}}, &from) < 0)
		bail_out(why.text);
	text = plan_text(&plan, &from);
	ok(text && strstr(text, "\"a.b\": [\"1\", \"2\"]") &&
	       !strstr(text, "\"zip\"") && !strstr(text, "\"where\""),
	   "and nothing else: %s", text);
	free(text);
	source_free(&from);
}

int main(void)
{
	static const char ini[] = "[engine]\nblock_size = 16\n";
	scratch_open();
	if (ini_read(&cfg, ini, strlen(ini), &why) < 0)
		bail_out(why.text);
	free(cfg.path);
	cfg.path = "c.ini";
	products();
	files();
	where();
	names();
	plan_free(&plan);
	cfg.path = NULL;
	ini_free(&cfg);
	return done();
}
