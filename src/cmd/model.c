/* model.c -- `model show`: what was understood of a model. */
#include <config.h>
#include <string.h>
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "report/model.h"
#include "setup/keys.h"

/* The name as a [model] of its own, with --set model.… over it. */
static int load(struct model *m, struct ini *cfg, const struct cmdline *c,
		struct problem *p)
{
	const struct key_table known = {model_key, model_n_keys, ""};
	cfg->path = strdup("");
	if (!cfg->path)
		return problem_set(p, EXIT_USAGE, "out of memory");
	if (ini_put(cfg, "model", "config", c->arg[0], "model show", p) < 0)
		return -1;
	for (size_t i = 0; i < c->set.n; i++)
		if (ini_override(cfg, c->set.item[i], p) < 0)
			return -1;
	if (keys_check(cfg, "model", &known, 1, p) < 0)
		return -1;
	return model_load(m, cfg, p);
}

static int show(const struct cmdline *c)
{
	struct model m = {0};
	struct ini cfg = {0};
	struct outfile out;
	struct problem p;
	int rc = load(&m, &cfg, c, &p);
	if (rc == 0)
		rc = open_output(&out, c, &p);
	if (rc == 0) {
		if (c->format == FORMAT_JSON)
			model_json(&m, out.f);
		else if (c->format == FORMAT_CSV)
			model_csv(&m, out.f);
		else
			model_text(&m, out.f);
		rc = outfile_commit(&out, &p);
	}
	model_free(&m);
	ini_free(&cfg);
	return rc < 0 ? complain(&p) : EXIT_DONE;
}

const struct command command_model_show = {
    .name = "model show",
    .args = "NAME or config.json",
    .summary = "layer groups, parameters, weight bytes, KV bytes per token",
    .min_args = 1,
    .max_args = 1,
    .run = show,
};
