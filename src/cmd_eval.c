/* cmd_eval.c -- price given steps under every arm of the configuration. */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "cost.h"
#include "csvtext.h"
#include "knobs.h"
#include "registry.h"
#include "settings.h"
#include "setup.h"
#include "steps.h"

struct arm {
	const char *name;
	struct plugin plugin;
	struct cost cost;
};
struct eval {
	struct cfg cfg;
	struct steps steps;
	sc_host host;
	struct setup setup;
	struct arm *arm;
	size_t n_arms;
	struct problem problem;
};

static void host_log(const sc_host *h, int32_t level, const char *text)
{
	static const char *const word[] = {"debug", "info", "warning"};
	(void)h;
	fprintf(stderr, "stepcost: %s: %s\n",
		level >= 0 && level < 3 ? word[level] : "?", text);
}

static const void *host_extension(const sc_host *h, const char *id)
{
	(void)h, (void)id;
	return NULL;
}

/* "cost_model" or "cost_model:NAME" */
static int is_arm(const char *section)
{
	size_t n = strlen("cost_model");
	return !strncmp(section, "cost_model", n) &&
	       (section[n] == '\0' || section[n] == ':');
}

static int open_arm(struct eval *e, const char *section)
{
	struct problem *p = &e->problem;
	struct arm *a = &e->arm[e->n_arms];
	const char *plugin = cfg_get(&e->cfg, section, "plugin");
	const char *colon = strchr(section, ':');
	if (!plugin)
		return problem_set(p, EXIT_USAGE, "%s: [%s] names no plugin",
				   e->cfg.path, section);
	a->name = colon ? colon + 1 : plugin;
	if (plugin_open(&a->plugin, getenv("STEPCOST_PLUGIN_PATH"), plugin, p) <
	    0)
		return -1;
	e->n_arms++;
	void *knobs = knobs_new(&a->plugin.p, &e->cfg, section, p);
	if (!knobs)
		return -1;
	int rc = cost_create(&a->cost, &a->plugin.p, &e->setup.view, knobs, p);
	free(knobs);
	return rc;
}

static int open_arms(struct eval *e)
{
	e->arm = calloc(e->cfg.n + 1, sizeof *e->arm);
	if (!e->arm)
		return problem_set(&e->problem, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < e->cfg.n; i++) {
		const char *section = e->cfg.item[i].section;
		int known = !is_arm(section);
		for (size_t k = 0; k < i; k++)
			known |= !strcmp(e->cfg.item[k].section, section);
		if (!known && open_arm(e, section) < 0)
			return -1;
	}
	if (e->n_arms == 0)
		return problem_set(&e->problem, EXIT_USAGE,
				   "%s: no [cost_model]", e->cfg.path);
	return 0;
}

static int load(struct eval *e, const char *config, const char *steps)
{
	struct problem *p = &e->problem;
	if (cfg_load(&e->cfg, config, p) < 0 ||
	    setup_load(&e->setup, &e->cfg, &e->host, p) < 0)
		return -1;
	FILE *f = fopen(steps, "r");
	if (!f)
		return problem_set(p, EXIT_USAGE, "%s: %s", steps,
				   strerror(errno));
	int rc = steps_read(&e->steps, f, steps, p);
	fclose(f);
	return rc < 0 ? -1 : open_arms(e);
}

static void print_row(const char *step, const char *arm, const sc_result *r)
{
	static const char *const bound[] = {"none", "compute", "memory", "comm",
					    "overhead"};
	const double *const phase[] = {r->gemm_us, r->attention_us,
				       r->compute_us, r->memory_us};
	printf("%s,%s,", step, arm);
	csv_number(stdout, r->total_us);
	putchar(',');
	csv_number(stdout, r->exact_us);
	printf(",%s", r->bound <= SC_BOUND_OVERHEAD ? bound[r->bound] : "");
	for (int p = SC_PREFILL; p <= SC_DECODE; p++)
		for (int i = 0; i < 4; i++)
			putchar(','), csv_number(stdout, phase[i][p]);
	putchar(',');
	csv_number(stdout, r->comm_us);
	putchar(',');
	csv_number(stdout, r->overhead_us);
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		printf(",%u", r->lookups[i]);
	putchar('\n');
}

/* An arm that fails is dropped; the others go on. */
static int price(struct eval *e)
{
	int rc = EXIT_DONE;
	puts("step,arm,total_us,exact_us,bound,"
	     "prefill_gemm_us,prefill_attention_us,"
	     "prefill_compute_us,prefill_memory_us,"
	     "decode_gemm_us,decode_attention_us,"
	     "decode_compute_us,decode_memory_us,comm_us,overhead_us,"
	     "lookups_exact,lookups_interpolated,lookups_clamped,"
	     "lookups_substituted,lookups_fallback");
	for (size_t i = 0; i < e->steps.n; i++) {
		const struct given_step *g = &e->steps.item[i];
		for (size_t k = 0; k < e->n_arms; k++) {
			struct arm *a = &e->arm[k];
			if (!a->cost.p)
				continue;
			const sc_result *r =
			    cost_eval(&a->cost, &g->step, &e->problem);
			if (r) {
				print_row(g->name, a->name, r);
				continue;
			}
			rc = complain(&e->problem);
			cost_destroy(&a->cost);
		}
	}
	return rc;
}

static void eval_free(struct eval *e)
{
	for (size_t k = 0; k < e->n_arms; k++) {
		cost_destroy(&e->arm[k].cost);
		plugin_close(&e->arm[k].plugin);
	}
	free(e->arm);
	steps_free(&e->steps);
	setup_free(&e->setup);
	cfg_free(&e->cfg);
}

struct options {
	const char *steps;
};
static const struct option_def option[] = {
    {.name = "steps",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, steps),
     .help = "CSV: step,decode,prefill[,sampled]",
     .required = 1},
};

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct eval e = {.host = {.size = sizeof e.host,
				  .abi_minor = SC_ABI_MINOR,
				  .log = host_log,
				  .extension = host_extension}};
	int rc = load(&e, c->arg[0], o->steps) == 0 ? price(&e)
						    : complain(&e.problem);
	eval_free(&e);
	return rc;
}

const struct command command_eval = {
    .name = "eval",
    .args = "CONFIG --steps FILE",
    .summary = "price given steps under every arm; no scheduler",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
