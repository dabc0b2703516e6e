/* cmd_eval.c -- price given steps under every arm of the configuration. */
#include <config.h>
#include <errno.h>
#include <getopt.h>
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
#include "stepcost/fail.h"

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
	sc_error err;
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
	struct arm *a = &e->arm[e->n_arms];
	const char *plugin = cfg_get(&e->cfg, section, "plugin");
	const char *colon = strchr(section, ':');
	if (!plugin) {
		sc_fail(&e->err, SC_EINVAL, "%s: [%s] names no plugin",
			e->cfg.path, section);
		return EXIT_USAGE;
	}
	a->name = colon ? colon + 1 : plugin;
	int rc = plugin_open(&a->plugin, getenv("STEPCOST_PLUGIN_PATH"), plugin,
			     &e->err);
	if (rc < 0)
		return rc == SC_ENODATA ? EXIT_USAGE : EXIT_PLUGIN;
	e->n_arms++;
	void *knobs = knobs_new(&a->plugin.p, &e->cfg, section, &e->err);
	if (!knobs)
		return EXIT_USAGE;
	rc =
	    cost_create(&a->cost, &a->plugin.p, &e->setup.view, knobs, &e->err);
	free(knobs);
	return rc < 0 ? EXIT_PLUGIN : EXIT_DONE;
}

static int open_arms(struct eval *e)
{
	int rc = EXIT_DONE;
	e->arm = calloc(e->cfg.n + 1, sizeof *e->arm);
	if (!e->arm) {
		sc_fail(&e->err, SC_ENOMEM, "out of memory");
		return EXIT_USAGE;
	}
	for (size_t i = 0; rc == EXIT_DONE && i < e->cfg.n; i++) {
		const char *section = e->cfg.item[i].section;
		int known = !is_arm(section);
		for (size_t k = 0; k < i; k++)
			known |= !strcmp(e->cfg.item[k].section, section);
		if (!known)
			rc = open_arm(e, section);
	}
	const struct cfg_item *left = cfg_unused(&e->cfg);
	if (rc == EXIT_DONE && e->n_arms == 0) {
		sc_fail(&e->err, SC_EINVAL, "%s: no [cost_model]", e->cfg.path);
		rc = EXIT_USAGE;
	} else if (rc == EXIT_DONE && left) {
		sc_fail(&e->err, SC_EINVAL, "%s:%d: unknown [%s] %s",
			e->cfg.path, left->line, left->section, left->key);
		rc = EXIT_USAGE;
	}
	return rc;
}

static int load(struct eval *e, const char *config, const char *steps)
{
	char *text = e->err.text;
	if (cfg_load(&e->cfg, config, text, sizeof e->err.text) < 0)
		return EXIT_USAGE;
	int rc = setup_load(&e->setup, &e->cfg, &e->host, &e->err);
	if (rc < 0)
		return rc == SC_ENODATA ? EXIT_INPUT : EXIT_USAGE;
	FILE *f = fopen(steps, "r");
	if (!f) {
		sc_fail(&e->err, SC_EINVAL, "%s: %s", steps, strerror(errno));
		return EXIT_USAGE;
	}
	rc = steps_read(&e->steps, f, steps, text, sizeof e->err.text);
	fclose(f);
	return rc < 0 ? EXIT_INPUT : open_arms(e);
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
			    cost_eval(&a->cost, &g->step, &e->err);
			if (r) {
				print_row(g->name, a->name, r);
				continue;
			}
			rc = complain(EXIT_PLUGIN, e->err.text);
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

int cmd_eval(int argc, char **argv)
{
	static const struct option option[] = {
	    {"steps", required_argument, NULL, 's'}, {0}};
	const char *steps = NULL;
	int opt;
	while ((opt = getopt_long(argc, argv, "", option, NULL)) != -1) {
		if (opt != 's')
			return -1;
		steps = optarg;
	}
	if (!steps || optind + 1 != argc)
		return -1;
	struct eval e = {.host = {.size = sizeof e.host,
				  .abi_minor = SC_ABI_MINOR,
				  .log = host_log,
				  .extension = host_extension},
			 .err = {.size = sizeof e.err}};
	int rc = load(&e, argv[optind], steps);
	rc = rc == EXIT_DONE ? price(&e) : complain(rc, e.err.text);
	eval_free(&e);
	return rc;
}
