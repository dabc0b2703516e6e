/* Runs the same requests through every arm and checks the results of each. */
#include "study/study.h"
#include <jansson.h>
#include "record/metrics.h"
#include "studied.h"

static double figure(size_t arm, const char *name)
{
	return metric_value(metric_find(name), &study.arm[arm].record->outcome);
}

/* Steps of 100 and of 250 us, one request at a time: a prompt is one step, and
 * so is each further token. */
static void figures(void)
{
	struct study_options o = study_defaults;
	int rc = studied_with(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM(
				  "quick", "100") CONFIG_ARM("slow", "250"),
			      &o);
	ok(rc == 0 && study_code(&study) == EXIT_DONE, "it runs: %s", why.text);
	near(figure(0, "mean_ttft_ms"), .1, 1e-12, "a prompt takes a step");
	near(figure(1, "mean_tpot_ms"), .25, 1e-12, "a token takes one");
	near(figure(1, "mean_e2el_ms"), 5 * .25, 1e-12, "five in all");
	ok(figure(0, "completed") == 8 && figure(0, "num_steps") == 40,
	   "eight requests of five steps");
	const struct results *r = &study.results;
	ok(r->n == 2 && r->arm == study.arm && r->config == &config &&
	       r->seed == 42 && !strcmp(r->command, "compare"),
	   "the results say of what they are");
	is(r->arm[0].name, "quick", "arms in the order of the file");
	is(r->arm[1].record->plugin, "const_step", "a plugin's name");
	ok(r->arm[0].record->request_hash == r->arm[1].record->request_hash &&
	       r->arm[0].record->request_hash != 0,
	   "both had the same requests");
	ok(!r->arm[0].error && !r->arm[0].provenance,
	   "no error, no provenance");
	json_error_t e;
	json_t *setup = json_loads(r->arm[1].setup, 0, &e);
	ok(setup && json_number_value(json_object_get(
			json_object_get(setup, "knobs"), "base_us")) == 250,
	   "the arm as it was resolved: %s", r->arm[1].setup);
	json_decref(setup);
	ok(study_has_results(&study), "there is something to report");
}

/* Returns the text of one stream of all arms; the caller frees it. */
static char *joined(enum study_stream which)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	study_join(&study, which, f);
	fclose(f);
	return text;
}

static int lines(const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void streams(void)
{
	struct study_options o = study_defaults;
	o.write_requests = "requests.csv";
	o.provenance = 1;
	studied_with(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100")
			 CONFIG_BAD_ARM("x") CONFIG_ARM("b", "250"),
		     &o);
	char *requests = joined(STREAM_REQUESTS);
	ok(lines(requests) == 16, "a line for each request of sound arms");
	ok(strstr(requests, "a,") < strstr(requests, "b,"),
	   "in the order of the arms");
	ok(!study.job[0].stream[STREAM_STEPS],
	   "a stream that is not wanted is not there");
	json_error_t e;
	json_t *origin = json_loads(study.arm[0].provenance, 0, &e);
	ok(json_is_object(origin), "the provenance is a JSON object");
	json_decref(origin);
	free(requests);
}

static void one_fails(void)
{
	ok(study.arm[1].error && !strncmp(study.arm[1].error, "arm x: ", 7),
	   "an arm that fails is named: %s", study.arm[1].error);
	ok(!study.arm[0].error && !study.arm[2].error &&
	       figure(2, "completed") == 8,
	   "the others are reported in full");
	ok(study_code(&study) == EXIT_PLUGIN && study_has_results(&study),
	   "the code is the highest");
}

/* No request fits: the run says no. */
static void none_served(void)
{
	struct study_options o = study_defaults;
	studied_with(CONFIG_SETUP CONFIG_ONE_BY_ONE
		     "[engine]\nmax_model_len=8\n" CONFIG_ARM("a", "100"),
		     &o);
	ok(!study.arm[0].error && figure(0, "rejected") == 8 &&
	       study_code(&study) == EXIT_SAYS_NO,
	   "nothing completed: the study says no");
	char *said = joined(STREAM_SAID);
	ok(strstr(said, "8 requests rejected") != NULL, "and why: %s", said);
	free(said);
}

/* A job of its own or not, the figures are the same. */
static void in_process(void)
{
	struct study_options o = study_defaults;
	static struct outcome outcome;
	const char *ini =
	    CONFIG_SETUP "[workload]\nnum_requests=50\nrequest_rate=900\n"
			 "input_tokens=uniform:10,90\n"
			 "output_tokens=uniform:1,30\n" CONFIG_ARM("a", "100");
	studied_with(ini, &o);
	outcome = study.arm[0].record->outcome;
	o.in_process = 1;
	studied_with(ini, &o);
	ok(!memcmp(&outcome, &study.arm[0].record->outcome, sizeof outcome),
	   "in this process all figures are the same");
}

static unsigned n_events;
static void progress(void *user, const struct job *job, size_t n)
{
	(void)job;
	n_events += user == &n_events && n == 1;
}

static void told(void)
{
	struct study_options o = study_defaults;
	studied_free();
	config_good(&config, CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM(
				 "a", "100") CONFIG_ARM("b", "100"));
	ok(study_run(&study, "run", &config, 1, &o, progress, &n_events,
		     &why) == 0 &&
	       study.n == 1 && study.results.n == 1,
	   "the first arm alone");
	ok(n_events > 0, "progress is told of");
	study_free(&study);
	ok(study.n == 0 && !study.job && !study.arm, "freed");
	study_free(&study);
}

int main(void)
{
	scratch_open();
	figures();
	streams();
	one_fails();
	none_served();
	in_process();
	told();
	studied_free();
	return done();
}
