/* import_launch.c -- The command `import launch`: a configuration from what
 * starts a server or a gateway. */
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/import/import.h"
#include "report/import/imported_launch.h"
#include "validate/measured/aliases.h"

struct options {
	const char *model, *gpu, *engine, *aliases;
};

static const struct option_def option[] = {
    OPTION(TEXT, "model", "NAME", model,
	   "the model: a name under etc/models, or a config.json"),
    OPTION(TEXT, "gpu", "NAME", gpu,
	   "the GPU: a name under etc/hardware, or an INI of your own"),
    OPTION(TEXT, "engine", "NAME", engine,
	   "the server that reads a YAML: vllm, sglang or tensorrt_llm"),
    OPTION(TEXT, "aliases", "FILE", aliases, "as of validate"),
};

static int check_engine(const char *engine, struct problem *p)
{
	for (int i = 0; engine_scheduler_words[i]; i++)
		if (!engine || !strcmp(engine_scheduler_words[i], engine))
			return 0;
	return problem_set(p, EXIT_USAGE,
			   "--engine %s: vllm, sglang or tensorrt_llm", engine);
}

/* What a checkpoint's name says of its weights, where no flag does. */
static const char *quantization_of(const struct launched *l)
{
	static const char *const of[][2] = {{"fp8", "fp8"},
					    {"fp4", "modelopt_fp4"},
					    {"awq", "awq"},
					    {"gptq", "gptq"}};
	for (size_t i = 0; !l->quantization && l->model_id && i < 4; i++)
		if (strcasestr(l->model_id, of[i][0]))
			return of[i][1];
	return l->quantization ? l->quantization : "";
}

static int write_it(const struct cmdline *line, const struct launched *l,
		    struct imported *x, struct problem *p)
{
	struct outfile out;
	if (open_output(&out, line, p) < 0)
		return -1;
	int rc =
	    imported_launch_write(l, (size_t)line->n_args, x, line->arg, out.f);
	return outfile_end(&out, rc < 0 ? problem_no_memory(p) : 0, p);
}

static int is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Two files are those of a prefill and of a decode server, in that order where
 * no flag says. */
static int pair(struct launched *l, const struct cmdline *line,
		struct problem *p)
{
	const char *const *pool = engine_pool_section;
	if (!l[0].pool)
		l[0].pool = pool[l[1].pool == pool[0]];
	if (!l[1].pool)
		l[1].pool = pool[l[0].pool == pool[0]];
	if (l[0].engine && is_same(l[0].engine, l[1].engine) &&
	    is_same(l[0].model_id, l[1].model_id) &&
	    is_same(l[0].quantization, l[1].quantization) &&
	    l[0].pool != l[1].pool)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "%s, %s: two files start a prefill and a decode "
			   "server of one engine, model and quantization",
			   line->arg[0], line->arg[1]);
}

static int read_all(struct launched *l, const struct cmdline *line,
		    struct problem *p)
{
	const struct options *o = line->own;
	for (int i = 0; i < line->n_args; i++)
		if (launched_read(&l[i], line->arg[i], o->engine, p) < 0)
			return -1;
	return line->n_args == 2 ? pair(l, line, p) : 0;
}

/* Reads the launch, finds its model and GPU by their aliases, and writes the
 * configuration. */
static int import(const struct cmdline *line, const struct ini *aliases,
		  struct names *missing, struct launched *l, struct problem *p)
{
	const struct options *o = line->own;
	struct vllm_log log = {.device = ""};
	if (read_all(l, line, p) < 0)
		return -1;
	snprintf(log.quantization, sizeof log.quantization, "%s",
		 quantization_of(l));
	const char *id = o->model ? o->model : l->model_id;
	char *model = id ? import_model(aliases, line->arg[0], id) : NULL;
	struct imported x = {.log = &log,
			     .model_id = id,
			     .model = model ? model : o->model,
			     .gpu_id = o->gpu,
			     .gpu = o->gpu ? alias_of(aliases, "gpu", o->gpu)
					   : NULL,
			     .missing = missing};
	int rc = write_it(line, l, &x, p);
	free(model);
	return rc;
}

static int run(const struct cmdline *line)
{
	const struct options *o = line->own;
	struct launched l[2] = {{.engine = NULL}};
	struct names missing = {0};
	struct ini aliases = {0};
	struct problem p;
	char text[600];
	int rc = check_engine(o->engine, &p);
	if (rc == 0)
		rc = aliases_read(&aliases, o->aliases, &p);
	if (rc == 0)
		rc = import(line, &aliases, &missing, l, &p);
	if (rc == 0 && missing.n)
		print_note(line, "not told, see the remarks: %s",
			   names_join(&missing, text, sizeof text));
	if (rc == 0 && l[0].other.n + l[1].other.n)
		print_note(line,
			   "without a counterpart, listed at the end: "
			   "%zu",
			   l[0].other.n + l[1].other.n);
	launched_free(&l[0]);
	launched_free(&l[1]);
	names_free(&missing);
	ini_free(&aliases);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_import_launch = {
    .name = "import launch",
    .args = "FILE [FILE]",
    .summary = "write a configuration from the script or YAML of a server",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 2,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
