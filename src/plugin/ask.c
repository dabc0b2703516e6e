/* ask.c -- Lets a child process load a plugin and write down its
 * declarations. */
#include "plugin/ask.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/path.h"
#include "keys/keys.h"
#include "plugin/loader.h"
#include "plugin/schema.h"

enum {
	MOST_BYTES = 16 << 20, /* anything longer is no description */
	ASKED_AT_ONCE = 16,    /* some may not answer and must be waited for */
};

/* ---- in the child: writes everything as texts that end with NUL ---- */

static void put_text(FILE *f, const char *text)
{
	fputs(text, f);
	putc('\0', f);
}

static void put_count(FILE *f, size_t n)
{
	fprintf(f, "%zu%c", n, '\0');
}

/* A text that may be missing. */
static void put_optional(FILE *f, const char *text)
{
	put_count(f, text != NULL);
	if (text)
		put_text(f, text);
}

static void put_number(FILE *f, double v)
{
	fprintf(f, "%a%c", v, '\0');
}

static void put_list(FILE *f, const char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	put_count(f, n);
	for (size_t i = 0; i < n; i++)
		put_text(f, list[i]);
}

static void put_knob(FILE *f, const sc_knob *k)
{
	put_count(f, k->type);
	put_count(f, k->offset);
	put_text(f, k->name);
	put_text(f, k->def);
	put_number(f, k->min);
	put_number(f, k->max);
	put_text(f, k->unit);
	put_text(f, k->help);
	put_list(f, k->type == SC_KNOB_CHOICE ? k->choices : NULL);
	put_optional(f, knob_when(k));
	put_number(f, SC_HAS(k, fit_high) ? k->fit_low : 0);
	put_number(f, SC_HAS(k, fit_high) ? k->fit_high : 0);
	put_count(f, knob_scale(k));
}

static void put_need(FILE *f, const sc_need *n)
{
	put_count(f, n->kind);
	put_count(f, n->flags);
	put_optional(f, n->value);
	put_optional(f, n->columns);
	put_optional(f, n->notes);
	put_optional(f, n->when);
	put_optional(f, n->help);
}

/* The fields since ABI 1.3; in an older plugin they are 0. */
static void put_origin(FILE *f, const sc_plugin *p)
{
	put_optional(f, p->id);
	put_optional(f, p->author);
	put_optional(f, p->licence);
	put_optional(f, p->url);
	put_optional(f, p->citation);
	put_count(f, p->request_costs != NULL);
	put_count(f, p->n_needs);
	put_count(f, p->n_sigma);
	for (uint32_t i = 0; i < p->n_needs; i++)
		put_need(f, p->need[i]);
	for (uint32_t i = 0; i < p->n_sigma; i++) {
		put_text(f, p->sigma[i]->name);
		put_text(f, p->sigma[i]->help);
	}
}

static void put_plugin(FILE *f, const sc_plugin *p)
{
	put_text(f, p->name);
	put_text(f, p->version);
	put_text(f, p->summary);
	put_count(f, p->abi_major);
	put_count(f, p->abi_minor);
	put_count(f, p->capabilities);
	put_count(f, p->eval_batch != NULL);
	put_count(f, p->kernel != NULL);
	put_count(f, p->knob_block);
	put_count(f, p->n_knobs);
	put_count(f, p->n_presets);
	for (uint32_t i = 0; i < p->n_knobs; i++)
		put_knob(f, p->knob[i]);
	for (uint32_t i = 0; i < p->n_presets; i++) {
		put_text(f, p->preset[i]->name);
		put_text(f, p->preset[i]->help);
		put_list(f, p->preset[i]->values);
	}
	put_origin(f, p);
}

static int describe(struct job *j, struct problem *p)
{
	struct plugin m;
	watch_enter(j->watch, JOB_IN_LOAD, j->name);
	int rc = plugin_open(&m, j->user, p);
	/* Reading the declarations may run code of the plugin as well, so it is
	 * watched. */
	if (rc == 0)
		put_plugin(j->stream[0], &m.p);
	if (watch_leave(j->watch) < 0)
		return -1;
	watch_enter(j->watch, JOB_IN_UNLOAD, j->name);
	plugin_close(&m);
	return watch_leave(j->watch) < 0 ? -1 : rc;
}

/* ---- in the parent: the child's text cannot be trusted ---- */

struct reader {
	const char *at, *end; /* the last byte is NUL */
	const char **list;    /* place for the next text */
	int broken;
};

static const char *get_text(struct reader *r)
{
	const char *text = r->at;
	if (r->at >= r->end) {
		r->broken = 1;
		return "";
	}
	r->at += strlen(text) + 1;
	return text;
}

static const char *get_optional(struct reader *r)
{
	return strcmp(get_text(r), "1") ? NULL : get_text(r);
}

static double get_number(struct reader *r)
{
	return strtod(get_text(r), NULL);
}

/* Reads a count of things that take at least one byte each. */
static uint32_t get_count(struct reader *r)
{
	unsigned long n = strtoul(get_text(r), NULL, 10);
	if (n > UINT32_MAX)
		r->broken = 1;
	return r->broken ? 0 : (uint32_t)n;
}

static const char *const *get_list(struct reader *r)
{
	const char **list = r->list;
	uint32_t n = get_count(r);
	for (uint32_t i = 0; i < n && !r->broken; i++)
		*r->list++ = get_text(r);
	*r->list++ = NULL;
	return list;
}

static sc_knob get_knob(struct reader *r)
{
	sc_knob k = {.size = sizeof k};
	k.type = get_count(r);
	k.offset = get_count(r);
	k.name = get_text(r);
	k.def = get_text(r);
	k.min = get_number(r);
	k.max = get_number(r);
	k.unit = get_text(r);
	k.help = get_text(r);
	k.choices = get_list(r);
	k.when = get_optional(r);
	k.fit_low = get_number(r);
	k.fit_high = get_number(r);
	k.scale = get_count(r);
	return k;
}

static sc_need get_need(struct reader *r)
{
	sc_need n = {.size = sizeof n};
	n.kind = get_count(r);
	n.flags = get_count(r);
	n.value = get_optional(r);
	n.columns = get_optional(r);
	n.notes = get_optional(r);
	n.when = get_optional(r);
	n.help = get_optional(r);
	return n;
}

static void get_origin(struct reader *r, struct plugin_description *d)
{
	d->is.id = get_optional(r);
	d->is.author = get_optional(r);
	d->is.licence = get_optional(r);
	d->is.url = get_optional(r);
	d->is.citation = get_optional(r);
	d->prices_requests = get_count(r) != 0;
	d->is.n_needs = get_count(r);
	d->is.n_sigma = get_count(r);
	/* each of them has several texts */
	if (d->is.n_needs > d->room || d->is.n_sigma > d->room)
		r->broken = 1;
	for (size_t i = 0; i < d->is.n_needs && !r->broken; i++) {
		d->need[i] = get_need(r);
		d->needs[i] = &d->need[i];
	}
	for (size_t i = 0; i < d->is.n_sigma && !r->broken; i++) {
		d->sigma[i].size = sizeof *d->sigma;
		d->sigma[i].name = get_text(r);
		d->sigma[i].help = get_text(r);
		d->sigmas[i] = &d->sigma[i];
	}
	d->is.need = d->needs;
	d->is.sigma = d->sigmas;
}

static void get_plugin(struct reader *r, struct plugin_description *d)
{
	d->is.size = sizeof d->is;
	d->is.name = get_text(r);
	d->is.version = get_text(r);
	d->is.summary = get_text(r);
	d->is.abi_major = get_count(r);
	d->is.abi_minor = get_count(r);
	d->is.capabilities = get_count(r);
	d->prices_batches = get_count(r) != 0;
	d->prices_kernels = get_count(r) != 0;
	d->is.knob_block = get_count(r);
	d->is.n_knobs = get_count(r);
	d->is.n_presets = get_count(r);
}

static void get_schema(struct reader *r, struct plugin_description *d)
{
	for (size_t i = 0; i < d->is.n_knobs && !r->broken; i++) {
		d->knob[i] = get_knob(r);
		d->knobs[i] = &d->knob[i];
	}
	for (size_t i = 0; i < d->is.n_presets && !r->broken; i++) {
		sc_preset *s = &d->preset[i];
		s->size = sizeof *s;
		s->name = get_text(r);
		s->help = get_text(r);
		s->values = get_list(r);
		d->presets[i] = s;
	}
	d->is.knob = d->knobs;
	d->is.preset = d->presets;
	get_origin(r, d);
}

/* Allocates room for that many texts. */
static int make_room(struct plugin_description *d, size_t texts,
		     struct problem *p)
{
	/* A list ends with an extra NULL; the count of the list, a text too,
	 * leaves room for it. */
	d->list = calloc(texts + 1, sizeof *d->list);
	d->knob = calloc(texts, sizeof *d->knob);
	d->knobs = calloc(texts, sizeof *d->knobs);
	d->preset = calloc(texts, sizeof *d->preset);
	d->presets = calloc(texts, sizeof *d->presets);
	d->need = calloc(texts, sizeof *d->need);
	d->needs = calloc(texts, sizeof *d->needs);
	d->sigma = calloc(texts, sizeof *d->sigma);
	d->sigmas = calloc(texts, sizeof *d->sigmas);
	d->room = texts;
	return d->list && d->knob && d->knobs && d->preset && d->presets &&
		       d->need && d->needs && d->sigma && d->sigmas
		   ? 0
		   : problem_no_memory(p);
}

/* Reads the stream and adds a NUL, so that the last text ends in any case. */
static char *read_all(FILE *f, size_t *n, struct problem *p)
{
	long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	char *text =
	    size >= 0 && size <= MOST_BYTES ? malloc((size_t)size + 1) : NULL;
	if (!text) {
		problem_set(p, EXIT_PLUGIN, "a description of %ld bytes", size);
		return NULL;
	}
	rewind(f);
	*n = fread(text, 1, (size_t)size, f);
	text[*n] = '\0';
	return text;
}

static int read_description(struct plugin_description *d, FILE *f,
			    const char *name, struct problem *p)
{
	size_t n, texts = 1;
	d->text = read_all(f, &n, p);
	if (!d->text)
		return -1;
	for (size_t i = 0; i < n; i++)
		texts += !d->text[i];
	if (make_room(d, texts, p) < 0)
		return -1;
	struct reader r = {.at = d->text, .end = d->text + n, .list = d->list};
	get_plugin(&r, d);
	/* each of them has several texts */
	if (d->is.n_knobs > texts || d->is.n_presets > texts)
		r.broken = 1;
	get_schema(&r, d);
	if (r.broken || r.at < r.end ||
	    strncmp(d->is.name, name, strlen(d->is.name)) ||
	    strcmp(name + strlen(d->is.name), ".so"))
		return problem_set(p, EXIT_PLUGIN,
				   "changed its own declaration");
	return knobs_check(&d->is, p);
}

/* Makes the message begin with the file, if it does not, or begins with
 * "NAME.so: ". */
static void name_file(struct problem *p, const char *file)
{
	const char *name = path_name(file);
	struct problem why = *p;
	const char *text = why.text;
	size_t n = strlen(name);
	if (!strncmp(text, file, strlen(file)))
		return;
	if (!strncmp(text, name, n) && !strncmp(text + n, ": ", 2))
		text += n + 2;
	problem_set(p, why.code, "%s: %s", file, text);
}

static void take_answer(struct plugin_query *q, struct job *j)
{
	q->problem = *j->problem;
	q->machine_failed = j->machine_failed;
	if (q->problem.code == EXIT_DONE)
		read_description(&q->about, j->stream[0], j->name, &q->problem);
	if (q->problem.code != EXIT_DONE)
		name_file(&q->problem, q->file);
}

int plugin_ask_all(struct plugin_query *q, size_t n, double limit_s,
		   struct problem *p)
{
	struct jobs all = {0};
	struct job *job = calloc(n + 1, sizeof *job);
	const struct jobs_options how = {.at_once = ASKED_AT_ONCE,
					 .answer_limit_s = limit_s,
					 .memory_limit_gib =
					     JOB_MEMORY_LIMIT_GIB};
	int rc = job ? 0 : problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		q[i].about = (struct plugin_description){0};
		q[i].problem = (struct problem){0};
	}
	for (size_t i = 0; job && i < n; i++)
		job[i] = (struct job){.name = path_name(q[i].file),
				      .plugin = path_name(q[i].file),
				      .user = (void *)(uintptr_t)q[i].file,
				      .wanted_streams = 1};
	if (rc == 0)
		rc = jobs_run(&all, job, n, describe, &how, p);
	for (size_t i = 0; rc == 0 && i < n; i++)
		take_answer(&q[i], &job[i]);
	jobs_free(&all);
	free(job);
	return rc;
}

int plugin_ask(struct plugin_description *d, const char *file, double limit_s,
	       struct problem *p)
{
	struct plugin_query q = {.file = file};
	int rc = plugin_ask_all(&q, 1, limit_s, p);
	*d = q.about;
	if (rc < 0 || q.problem.code == EXIT_DONE)
		return rc;
	return problem_set(p, q.problem.code, "%s", q.problem.text);
}

void plugin_description_free(struct plugin_description *d)
{
	free(d->text);
	free(d->list);
	free(d->knob);
	free(d->preset);
	free(d->knobs);
	free(d->presets);
	free(d->need);
	free(d->needs);
	free(d->sigma);
	free(d->sigmas);
	*d = (struct plugin_description){0};
}
