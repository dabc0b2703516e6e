/* model.c -- The command `model show`: a model as stepcost understood it. */
#include <stdlib.h>
#include <string.h>
#include "arm/assignment.h"
#include "arm/host.h"
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "plugin/support.h"
#include "engine/keys/defaults.h"
#include "engine/engine.h"
#include "engine/engine_names.h"
#include "engine/keys/fill.h"
#include "engine/memory/fits.h"
#include "engine/memory/memory.h"
#include "engine/parallel.h"
#include "engine/resolve.h"
#include "engine/keys/rows.h"
#include "keys/hardware.h"
#include "keys/keys.h"
#include "report/model.h"

/* The name becomes a [model] section, and --set overrides its keys. */
static int check_keys(const struct ini *cfg, struct problem *p)
{
	const struct {
		const char *section;
		struct key_table table;
	} known[] = {
	    {"model", {model_key, model_n_keys, "", NULL}},
	    {"hardware", {hardware_key, hardware_n_keys, "", NULL}},
	    {"engine", {engine_key, engine_n_keys, "", engine_name_key}},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (keys_check(cfg, known[i].section, &known[i].table, 1, p) <
		    0)
			return -1;
	return 0;
}

static int load(struct model *m, struct ini *cfg, const struct cmdline *c,
		struct problem *p)
{
	cfg->path = strdup("");
	if (!cfg->path)
		return problem_no_memory(p);
	if (ini_put(cfg, "model", "config", c->arg[0], "model show", p) < 0)
		return -1;
	for (size_t i = 0; i < c->set.n; i++)
		if (assignment_apply(cfg, c->set.item[i], p) < 0)
			return -1;
	if (check_keys(cfg, p) < 0)
		return -1;
	return model_load(m, cfg, p);
}

/* Finds the engine that holds the KV cache.  Without a preset in --set it takes
 * the newest; without a GPU in --set only the groups are known. */
static int find_engine(struct engine *e, const struct cmdline *c,
		       struct ini *cfg, const struct model *m,
		       struct problem *p)
{
	const struct engine_source from = {.ini = cfg};
	const struct slo_keys no_slo = {0};
	const struct model none = {0};
	struct engine_keys k;
	struct hardware h;
	if (!ini_find(cfg, "engine", "preset") &&
	    ini_put(cfg, "engine", "preset",
		    engine_preset_words[PRESET_VLLM_NEWEST], "model show",
		    p) < 0)
		return -1;
	int rc = hardware_load(&h, cfg, NULL, NULL, m->view.compute_format, p);
	if (rc == 0)
		rc = engine_keys_fill(&k, &from, p);
	if (rc == 0 && h.from.n == 0) {
		k.num_gpu_blocks = "unlimited";
		rc = 1;
	} else if (rc == 0) {
		const struct engine_usage usage = engine_usage_of(m, &h);
		rc = engine_keys_complete(&k, &from, &usage, p);
	}
	if (rc >= 0) {
		sc_model view;
		struct engine_facts facts = parallel_facts(m, &h, &k, &view);
		facts.from = &from;
		int known = rc == 0;
		rc = engine_resolve(e, &k, &no_slo, &facts, p);
		if (rc == ENGINE_NO_ROOM)
			fits_say(p, &(struct fits_of){&k, m, &none, &h});
		if (rc < 0 && !known) {
			print_note(c, "no KV-cache groups: %s", p->text);
			*e = (struct engine){0};
			rc = 0;
		}
	}
	hardware_free(&h);
	return rc;
}

/* Asks the installed cost models whether they can price the model without
 * tables, served by one GPU: that of --set, or an H100. */
static int ask_plugins(struct plugin_support **s, const struct installed *l,
		       const struct ini *cfg, const struct model *m,
		       struct problem *p)
{
	const sc_parallel alone = {
	    .size = sizeof alone, .tp = 1, .pp = 1, .ep = 1, .dp = 1};
	const sc_engine engine = {.size = sizeof engine,
				  .max_num_seqs = 256,
				  .max_num_batched_tokens = 8192,
				  .block_size = 16};
	const sc_host host = host_silent;
	sc_setup setup = {.size = sizeof setup,
			  .host = &host,
			  .model = &m->view,
			  .hardware = &plugin_support_gpu,
			  .parallel = &alone,
			  .engine = &engine};
	struct hardware h;
	int rc = hardware_load(&h, cfg, NULL, NULL, m->view.compute_format, p);
	if (rc == 0 && h.from.n)
		setup.hardware = &h.view;
	if (rc == 0)
		rc = plugin_support_ask(s, l, &setup, p);
	hardware_free(&h);
	return rc;
}

static void write_model(const struct cmdline *c, const struct model *m,
			const struct engine *e, const struct plugin_support *s,
			size_t n, FILE *f)
{
	if (c->format == FORMAT_JSON)
		model_json(m, e, s, n, f);
	else if (c->format == FORMAT_CSV)
		model_csv(m, f);
	else
		model_text(m, e, s, n, f);
}

static int show(const struct cmdline *c)
{
	struct installed plugins = {0};
	struct plugin_support *support = NULL;
	int n = 0;
	struct model m = {0};
	struct ini cfg = {0};
	struct outfile out;
	struct problem p;
	struct engine e = {0};
	int rc = load(&m, &cfg, c, &p);
	if (rc == 0)
		rc = find_engine(&e, c, &cfg, &m, &p);
	if (rc == 0 && c->format != FORMAT_CSV)
		rc = installed_ask(&plugins, &p);
	if (rc == 0 && plugins.n)
		n = ask_plugins(&support, &plugins, &cfg, &m, &p);
	rc = n < 0 ? -1 : rc;
	if (rc == 0)
		rc = open_output(&out, c, &p);
	if (rc == 0) {
		write_model(c, &m, &e, support, (size_t)n, out.f);
		rc = outfile_commit(&out, &p);
	}
	free(support);
	installed_free(&plugins);
	model_free(&m);
	ini_free(&cfg);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_model_show = {
    .name = "model show",
    .args = "NAME or config.json",
    .summary = "layer groups, parameters, weight bytes, KV bytes per token, "
	       "cost models",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_no_arms = 1,
    .run = show,
};
