/* Members, units and rows of results. */
#include <jansson.h>
#include "validate/result/results.h"
#include "results_read.h"

static void members(void)
{
	json_t *o = json_pack("{s:{s:[i,f]},s:s,s:n,s:s,s:s,s:s}", "a", "b", 1,
			      2.5, "text", "7.5", "null", "word", "inf", "tail",
			      "7.5x", "empty", "");
	ok(result_number(o, "a.b.1") == 2.5, "a member of a list");
	ok(result_number(o, "x.y|null|a.b.0") == 1, "the first that exists");
	ok(result_number(o, "text") == 7.5, "a text of a number is one");
	ok(isnan(result_number(o, "word")) && isnan(result_number(o, "a")) &&
	       isnan(result_number(o, "a.b.2")) && isnan(result_number(o, "")),
	   "no number");
	ok(!result_member(o, "null") && !result_member(o, "text.x"), "none");
	json_t *list = json_pack("[{s:s,s:i},{s:s,s:i}]", "name", "a", "v", 1,
				 "name", "b", "v", 2);
	ok(result_number(list, "b.v") == 2 && result_number(list, "0.v") == 1 &&
	       !result_member(list, "c.v") && !result_member(list, "2.v"),
	   "an item of a list by its name, or by its index");
	json_decref(list);
	list = json_pack("[{s:s,s:i}]", "name", "2b", "v", 5);
	ok(result_number(list, "2b.v") == 5, "a name may begin with a digit");
	json_decref(list);
	ok(isnan(result_number(o, "tail")) && !result_text(o, "empty"),
	   "a text with more than a number is none, an empty one no text");
	char *text = result_text(o, "text");
	is(text, "7.5", "a text");
	free(text);
	json_decref(o);
}

static struct measured_times in(const char *unit, double avg, int *rc)
{
	json_t *o = json_pack("{s:{s:s,s:f,s:{s:f}}}", "t", "unit", unit, "avg",
			      avg, "percentiles", "p90", 2.0);
	struct result r = {.m = &m, .p = &p, .line = 4};
	static const char *const path[N_RUN_LATENCIES] = {"t", "none", "none"};
	struct measured_row row = {.time = {measured_no_times}};
	*rc = result_times(&r, &row, o, path, NULL, "unit");
	json_decref(o);
	return row.time[RUN_TTFT];
}

static void units(void)
{
	static const struct {
		const char *unit;
		double ms;
	} of[] = {{"ns", 2e-6}, {"us", 2e-3},     {"ms", 2},
		  {"s", 2e3},   {"s/token", 2e3}, {"ms/token", 2}};
	int rc;
	measured_add_file(&m, "r.json", &p);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct measured_times t = in(of[i].unit, 2, &rc);
		ok(rc == 0 && fabs(t.of[STATISTIC_MEAN] - of[i].ms) < 1e-12 &&
		       fabs(t.of[STATISTIC_P90] - of[i].ms) < 1e-12 &&
		       isnan(t.of[STATISTIC_P99]),
		   "%s", of[i].unit);
	}
	in("minutes", 2, &rc);
	ok(rc < 0 &&
	       strstr(p.text, "r.json:4: t: unit must be ns, us, ms or s, "
			      "not minutes"),
	   "%s", p.text);
	in("s", -1, &rc);
	ok(rc < 0 &&
	       strstr(p.text, "r.json:4: t: mean must be a number, at least 0"),
	   "%s", p.text);
}

static void engine_of(const char *tool, const char *version, const char *want)
{
	struct measured_row row = {0};
	char text[100];
	result_engine(&row, tool, version);
	snprintf(text, sizeof text, "%s %s", row.engine ? row.engine : "-",
		 row.engine_version ? row.engine_version : "-");
	is(text, want, "%s of %s", version ? version : "no version",
	   tool ? tool : "no tool");
	free(row.engine), free(row.engine_version);
}

static void engines(void)
{
	engine_of("vllm", "v0.11.0-rc1", "vllm 0.11.0");
	engine_of("vllm", "latest", "vllm -");
	engine_of("vllm", NULL, "vllm -");
	engine_of("llm-d", "v0.3", "vllm -");
	engine_of("dynamo-trt", "x/y:1.2+cu", "trtllm 1.2");
	engine_of("other", "1", "- -");
	engine_of(NULL, "1", "- -");
}

int main(void)
{
	engines();
	members();
	units();
	measured_free(&m);
	return done();
}
