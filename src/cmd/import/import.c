/* import.c -- The command `import vllm`: a configuration from what a running
 * server tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cmd/cmd.h"
#include "base/file/path.h"
#include "cmd/import/import.h"
#include "report/import/imported.h"
#include "metrics/source.h"
#include "validate/measured/aliases.h"
#include "validate/measured/rules.h"
#include "validate/measured/served.h"

struct options {
	const char *since, *model, *gpu, *aliases;
};

static const struct option_def option[] = {
    OPTION(TEXT, "since", "METRICS", since,
	   "an earlier page of the same server: only requests served after it "
	   "count"),
    OPTION(TEXT, "model", "NAME", model,
	   "the model: a name under etc/models, or a config.json"),
    OPTION(TEXT, "gpu", "NAME", gpu,
	   "the GPU: a name under etc/hardware, or an INI of your own"),
    OPTION(TEXT, "aliases", "FILE", aliases, "as of validate"),
};

/* All that was read. */
struct session {
	const struct cmdline *line;
	struct ini aliases;
	struct vllm_page page, since; /* since.path NULL: no earlier page */
	struct vllm_log log;
	char *model, *gpu; /* owned; NULL: not known */
	struct names missing;
};

static const struct options *options_of(const struct session *s)
{
	return s->line->own;
}

/* ---- reading ---- */

static int read_log(struct session *s, struct problem *p)
{
	char *text;
	size_t n;
	if (s->line->n_args < 2)
		return 0;
	const char *where = s->line->arg[1];
	if (source_read(where, &text, &n, p) < 0)
		return -1;
	int rc = vllm_log_read(&s->log, text, n, where, p);
	free(text);
	return rc;
}

static int read_all(struct session *s, struct problem *p)
{
	const struct options *o = options_of(s);
	if (aliases_read(&s->aliases, o->aliases, p) < 0 ||
	    read_log(s, p) < 0 ||
	    (o->since && vllm_page_load(&s->since, o->since, p) < 0) ||
	    vllm_page_load(&s->page, s->line->arg[0], p) < 0)
		return -1;
	return s->since.path ? vllm_page_since(&s->page, &s->since, p) : 0;
}

/* ---- names ---- */

static const char *tail_of(const char *id)
{
	return path_name(id);
}

/* Returns the model with a name that ends like the id: folders and publishers
 * differ. */
static char *model_by_tail(const struct ini *aliases, const char *id)
{
	for (size_t i = 0; i < aliases->n; i++)
		if (!strcmp(aliases->item[i].section, "model") &&
		    !strcasecmp(tail_of(aliases->item[i].key), tail_of(id)))
			return strdup(aliases->item[i].value);
	return NULL;
}

char *import_model(const struct ini *aliases, const char *path, const char *id)
{
	struct measured_row r = {.file = path, .model = strdup(id)};
	char *found = r.model ? served_config(&r, SERVED_MODEL, aliases) : NULL;
	free(r.model);
	return found ? found : model_by_tail(aliases, id);
}

/* Returns the preset by the rules for measured runs; NULL: no version. */
static const char *preset_of(const struct session *s)
{
	struct measured_row r = {.file = "", .protocol = strdup("poisson")};
	const char *preset = NULL;
	r.engine = strdup("vllm");
	r.engine_version = strdup(s->log.version);
	if (*s->log.version && r.protocol && r.engine && r.engine_version)
		preset = rules_get(&s->aliases, &r, "engine.preset");
	free(r.protocol), free(r.engine), free(r.engine_version);
	return preset;
}

static void name_all(struct session *s, struct imported *x)
{
	const struct options *o = options_of(s);
	const char *id[] = {o->model, s->log.model, s->page.model};
	for (int i = 0; i < 3 && !s->model; i++) {
		if (!id[i] || !*id[i])
			continue;
		x->model_id = id[i];
		s->model = import_model(&s->aliases, s->page.path, id[i]);
	}
	if (o->model && !s->model)
		s->model = strdup(o->model);
	x->model = s->model;
	x->gpu_id = o->gpu ? o->gpu : *s->log.device ? s->log.device : NULL;
	if (x->gpu_id) {
		const char *as = alias_of(&s->aliases, "gpu", x->gpu_id);
		if (as != x->gpu_id || o->gpu)
			s->gpu = strdup(as);
	}
	x->gpu = s->gpu;
	x->preset = preset_of(s);
}

/* ---- writing ---- */

static void say_missing(const struct session *s)
{
	char text[600];
	if (s->missing.n)
		print_note(s->line, "not told, see the lines with \";?\": %s",
			   names_join(&s->missing, text, sizeof text));
}

static int write_all(struct session *s, struct problem *p)
{
	struct outfile out;
	struct imported x = {.page = &s->page,
			     .page_path = s->line->arg[0],
			     .is_since = s->since.path != NULL,
			     .missing = &s->missing};
	if (s->line->n_args > 1) {
		x.log = &s->log;
		x.log_path = s->line->arg[1];
	}
	name_all(s, &x);
	if (open_output(&out, s->line, p) < 0)
		return -1;
	int rc = imported_write(&x, out.f);
	return outfile_end(&out, rc < 0 ? problem_no_memory(p) : 0, p);
}

static int run(const struct cmdline *line)
{
	struct session s = {.line = line};
	struct problem p;
	int rc = read_all(&s, &p);
	if (rc == 0)
		rc = write_all(&s, &p);
	if (rc == 0)
		say_missing(&s);
	vllm_page_free(&s.page);
	vllm_page_free(&s.since);
	free(s.model), free(s.gpu);
	names_free(&s.missing);
	ini_free(&s.aliases);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_import_vllm = {
    .name = "import vllm",
    .args = "METRICS [LOG]",
    .summary = "write a configuration from a running vLLM's page and log",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 2,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
