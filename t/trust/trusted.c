/* Finds how far a figure can be trusted, from the load of its run and the known
 * errors of its cost model. */
#include "trust/trusted.h"
#include "config_of.h"
#include "record/metrics.h"

static void loads(void)
{
	static struct outcome o;
	struct trusted_load x = trusted_load_of(&o);
	ok(x.computed_share == 1 && x.input_tokens == 0 &&
	       x.output_tokens == 0 && x.running == 0,
	   "of nothing all is computed, and nothing runs");
	o.prefix_queried_tokens = 1000, o.prefix_hit_tokens = 250;
	o.completed = 10, o.total_input_tokens = 5000;
	o.total_output_tokens = 800;
	o.num_steps = 40, o.scheduled_sequences = 120;
	o.max_num_seqs = 8, o.clients = 5, o.saturation = SATURATION_STABLE;
	x = trusted_load_of(&o);
	ok(x.computed_share == .75, "a quarter was cached");
	ok(x.input_tokens == 500 && x.output_tokens == 80,
	   "means of a request");
	ok(x.running == 3, "sequences in a step");
	ok(x.most == 8 && x.clients == 5 && x.is_stable,
	   "how full the engine is");
}

/* Each is a metric, and has been measured somewhere. */
static void names(void)
{
	size_t found = 0;
	for (int k = 0; k < N_TRUSTED; k++)
		found += metric_find(trusted_metric[k]) != NULL;
	ok(found == N_TRUSTED, "all are metrics");
}

static void chosen(void)
{
	struct trusted t = {0};
	for (int k = 0; k < N_TRUSTED; k++)
		if (!strcmp(trusted_metric[k], "p99_tpot_ms"))
			t.interval[k].n = 20, t.interval[k].low = .9;
	const struct trust_interval *i =
	    trusted_interval(&t, metric_find("p99_tpot_ms"));
	ok(i && i->low == .9, "the interval of a metric");
	ok(!trusted_interval(&t, metric_find("mean_ttft_ms")),
	   "one without rows has none");
	ok(!trusted_interval(&t, metric_find("mean_itl_ms")),
	   "nor has one that was never measured");
}

/* const_step has no file of errors; smooth_roofline has one, and rows of that
 * model on that GPU. */
static void asked(void)
{
	struct config c;
	const struct trusted_load load = {.computed_share = 1,
					  .input_tokens = 500,
					  .output_tokens = 200,
					  .running = 30,
					  .most = 256,
					  .is_stable = 1};
	config_good(&c, CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100"));
	struct trusted t = trusted_of(&c, 0, "2", &load);
	ok(t.support.verdict == SUPPORT_NOT_SCORED && t.interval[0].n == 0,
	   "a plugin without errors is not scored");
	config_free(&c);
	config_good(&c,
		    "[model]\nconfig=llama-2-7b\n"
		    "[hardware]\nconfig=h100-sxm\n"
		    "[cost_model]\nplugin=smooth_roofline\n" CONFIG_ONE_BY_ONE);
	const char *version =
	    known_plugin(c.known, c.arm[0].plugin_path)->is.version;
	t = trusted_of(&c, 0, version, &load);
	ok(t.support.verdict != SUPPORT_NOT_SCORED && t.support.n > 0,
	   "one with errors is: %u rows", t.support.n);
	ok(t.interval[0].n >= 20 && t.interval[0].low < 1 &&
	       t.interval[0].high > t.interval[0].low &&
	       t.interval[0].coverage == INTERVAL_COVERAGE,
	   "with an interval of %u rows: %s", t.interval[0].n,
	   t.interval[0].group);
	t = trusted_of(&c, 0, "none such", &load);
	ok(t.support.verdict == SUPPORT_NOT_SCORED,
	   "another version's errors are not its own");
	config_free(&c);
}

static const struct trusted_load busy = {.computed_share = 1,
					 .input_tokens = 300,
					 .output_tokens = 600,
					 .running = 30,
					 .most = 256,
					 .clients = 30,
					 .is_stable = 1};

#define A_MODEL "[model]\nconfig=llama-3.1-8b\n"
#define AN_ARM "[cost_model:a]\nplugin=operators\n"

static struct trusted of_energy(const char *ini)
{
	struct config c;
	config_good(&c, ini);
	struct trusted t = trusted_of(&c, 0, "1", &busy);
	config_free(&c);
	return t;
}

/* The law of H100 has errors at models that were left out of its fit. */
static void energy(void)
{
	struct trusted t = of_energy(
	    A_MODEL "[hardware]\nconfig=h100-sxm\n" CONFIG_ONE_BY_ONE AN_ARM);
	const struct trust_interval *j = &t.interval[TRUSTED_JOULES];
	ok(!*t.energy.why && t.energy.support.n > 5 &&
	       t.energy.support.verdict != SUPPORT_NOT_SCORED,
	   "scored by %u runs", t.energy.support.n);
	ok(j->n >= 20 && j->low < 1 && j->high > 1, "%.2f to %.2f", j->low,
	   j->high);
	const struct trust_interval *w = &t.interval[TRUSTED_WATTS];
	ok(w->n == j->n && w->high > 1 &&
	       (w->high < j->high || w->high > j->high),
	   "power has errors of its own: up to %.2f", w->high);
	t = of_energy(
	    A_MODEL "[hardware]\nconfig=h100-sxm\nidle_w=70\n" CONFIG_ONE_BY_ONE
		    "[cost_model:a]\nplugin=roofline_v1\n");
	ok(strstr(t.energy.support.detail, "times of roofline_v1") &&
	       strstr(t.energy.support.detail, "time without a step"),
	   "what no scored run had: %s", t.energy.support.detail);
	t = of_energy(
	    A_MODEL
	    "[hardware]\nconfig=a100-80-sxm\n" CONFIG_ONE_BY_ONE AN_ARM);
	ok(strstr(t.energy.why, "no row of A100") &&
	       !t.interval[TRUSTED_JOULES].n,
	   "%s", t.energy.why);
	t = of_energy(
	    A_MODEL "[hardware]\nconfig=h100-sxm\n"
		    "power_limit_w=700\npower_a=1\n" CONFIG_ONE_BY_ONE AN_ARM);
	ok(t.energy.support.verdict == SUPPORT_NOT_SCORED &&
	       !t.interval[TRUSTED_JOULES].n,
	   "a law of the user's: %s", t.energy.support.detail);
}

int main(void)
{
	scratch_open();
	loads();
	names();
	chosen();
	asked();
	energy();
	return done();
}
