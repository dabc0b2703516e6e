/* ask.c -- Lets a child process load a plugin and write down its
 * declarations. */
#include "plugin/ask.h"
#include <inttypes.h>
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

/* ---- a declaration as texts that end with NUL ---- */

/* The child writes what the parent then reads, in the same order.  The parent
 * cannot trust it. */
struct carrier {
	FILE *to;             /* NULL: it is read */
	const char *at, *end; /* the last byte is NUL */
	const char **list;    /* place for the next text */
	int broken;
};

static void carry_text(struct carrier *c, const char **text)
{
	if (c->to) {
		fputs(*text, c->to);
		putc('\0', c->to);
		return;
	}
	*text = c->at < c->end ? c->at : "";
	c->broken |= c->at >= c->end;
	c->at += c->broken ? 0 : strlen(*text) + 1;
}

/* A count of things that take at least one byte each. */
static void carry_count(struct carrier *c, uint32_t *n)
{
	char word[16];
	const char *text = word;
	snprintf(word, sizeof word, "%" PRIu32, *n);
	carry_text(c, &text);
	unsigned long count = strtoul(text, NULL, 10);
	c->broken |= count > UINT32_MAX;
	*n = c->broken ? 0 : (uint32_t)count;
}

static void carry_flag(struct carrier *c, int *flag)
{
	uint32_t n = *flag != 0;
	carry_count(c, &n);
	*flag = n != 0;
}

static void carry_number(struct carrier *c, double *v)
{
	char word[40];
	const char *text = word;
	snprintf(word, sizeof word, "%a", *v);
	carry_text(c, &text);
	*v = strtod(text, NULL);
}

/* A text that may be missing. */
static void carry_optional(struct carrier *c, const char **text)
{
	int has = *text != NULL;
	carry_flag(c, &has);
	if (has)
		carry_text(c, text);
}

static void carry_list(struct carrier *c, const char *const **list)
{
	const char **read = c->list;
	uint32_t n = 0;
	while (*list && (*list)[n])
		n++;
	carry_count(c, &n);
	for (uint32_t i = 0; c->to && i < n; i++)
		carry_text(c, &(const char *){(*list)[i]});
	if (c->to)
		return;
	for (uint32_t i = 0; i < n && !c->broken; i++)
		carry_text(c, c->list++);
	*c->list++ = NULL;
	*list = read;
}

static void carry_knob(struct carrier *c, sc_knob *k)
{
	carry_count(c, &k->type);
	carry_count(c, &k->offset);
	carry_text(c, &k->name);
	carry_text(c, &k->def);
	carry_number(c, &k->min);
	carry_number(c, &k->max);
	carry_text(c, &k->unit);
	carry_text(c, &k->help);
	carry_list(c, &k->choices);
	carry_optional(c, &k->when);
	carry_number(c, &k->fit_low);
	carry_number(c, &k->fit_high);
	carry_count(c, &k->scale);
}

static void carry_preset(struct carrier *c, sc_preset *s)
{
	carry_text(c, &s->name);
	carry_text(c, &s->help);
	carry_list(c, &s->values);
}

static void carry_need(struct carrier *c, sc_need *n)
{
	carry_count(c, &n->kind);
	carry_count(c, &n->flags);
	carry_optional(c, &n->value);
	carry_optional(c, &n->columns);
	carry_optional(c, &n->notes);
	carry_optional(c, &n->when);
	carry_optional(c, &n->help);
}

static void carry_sigma(struct carrier *c, sc_sigma *s)
{
	carry_text(c, &s->name);
	carry_text(c, &s->help);
}

static void carry_plugin(struct carrier *c, struct plugin_description *d)
{
	sc_plugin *p = &d->is;
	carry_text(c, &p->name);
	carry_text(c, &p->version);
	carry_text(c, &p->summary);
	carry_count(c, &p->abi_major);
	carry_count(c, &p->abi_minor);
	carry_count(c, &p->capabilities);
	carry_optional(c, &p->id);
	carry_optional(c, &p->author);
	carry_optional(c, &p->licence);
	carry_optional(c, &p->url);
	carry_optional(c, &p->citation);
	carry_flag(c, &d->prices_batches);
	carry_flag(c, &d->prices_kernels);
	carry_flag(c, &d->prices_requests);
	carry_count(c, &p->knob_block);
	carry_count(c, &p->n_knobs);
	carry_count(c, &p->n_presets);
	carry_count(c, &p->n_needs);
	carry_count(c, &p->n_sigma);
}

/* ---- in the child ---- */

/* Copies a struct of the plugin, which begins with its size there; fields that
 * it does not have are 0. */
static void *known(void *to, const void *declared, size_t size)
{
	uint32_t theirs;
	memcpy(&theirs, declared, sizeof theirs);
	return memcpy(to, declared, theirs < size ? theirs : size);
}

static void put_knob(struct carrier *c, const sc_knob *declared)
{
	sc_knob k = {0};
	known(&k, declared, sizeof k);
	if (k.type != SC_KNOB_CHOICE)
		k.choices = NULL;
	carry_knob(c, &k);
}

static void put_plugin(FILE *f, const sc_plugin *p)
{
	struct carrier c = {.to = f};
	struct plugin_description d = {.is = *p,
				       .prices_batches = p->eval_batch != NULL,
				       .prices_kernels = p->kernel != NULL,
				       .prices_requests =
					   p->request_costs != NULL};
	carry_plugin(&c, &d);
	for (uint32_t i = 0; i < p->n_knobs; i++)
		put_knob(&c, p->knob[i]);
	for (uint32_t i = 0; i < p->n_presets; i++)
		carry_preset(&c, known(&(sc_preset){0}, p->preset[i],
				       sizeof(sc_preset)));
	for (uint32_t i = 0; i < p->n_needs; i++)
		carry_need(&c,
			   known(&(sc_need){0}, p->need[i], sizeof(sc_need)));
	for (uint32_t i = 0; i < p->n_sigma; i++)
		carry_sigma(
		    &c, known(&(sc_sigma){0}, p->sigma[i], sizeof(sc_sigma)));
}

/* Opens a plugin in a child process and writes its declarations to the stream.
 */
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

/* ---- in the parent ---- */

/* Reads as many parts as the plugin says. */
static void get_parts(struct carrier *c, struct plugin_description *d)
{
	for (size_t i = 0; i < d->is.n_knobs && !c->broken; i++) {
		d->knobs[i] = &d->knob[i];
		d->knob[i].size = sizeof *d->knob;
		carry_knob(c, &d->knob[i]);
	}
	for (size_t i = 0; i < d->is.n_presets && !c->broken; i++) {
		d->presets[i] = &d->preset[i];
		d->preset[i].size = sizeof *d->preset;
		carry_preset(c, &d->preset[i]);
	}
	for (size_t i = 0; i < d->is.n_needs && !c->broken; i++) {
		d->needs[i] = &d->need[i];
		d->need[i].size = sizeof *d->need;
		carry_need(c, &d->need[i]);
	}
	for (size_t i = 0; i < d->is.n_sigma && !c->broken; i++) {
		d->sigmas[i] = &d->sigma[i];
		d->sigma[i].size = sizeof *d->sigma;
		carry_sigma(c, &d->sigma[i]);
	}
}

static void get_plugin(struct carrier *c, struct plugin_description *d,
		       size_t texts)
{
	d->is.size = sizeof d->is;
	carry_plugin(c, d);
	/* each of them has several texts */
	c->broken |= d->is.n_knobs > texts || d->is.n_presets > texts ||
		     d->is.n_needs > texts || d->is.n_sigma > texts;
	get_parts(c, d);
	d->is.knob = d->knobs;
	d->is.preset = d->presets;
	d->is.need = d->needs;
	d->is.sigma = d->sigmas;
}

/* Allocates room for that many texts. */
static int make_room(struct plugin_description *d, size_t texts,
		     struct problem *p)
{
	/* A list ends with an extra NULL; the count of the list, a text too,
	 * leaves room for it. */
	struct arrays *a = &d->arrays;
	d->list = arrays_add(a, texts + 1, sizeof *d->list);
	d->knob = arrays_add(a, texts, sizeof *d->knob);
	d->knobs = arrays_add(a, texts, sizeof *d->knobs);
	d->preset = arrays_add(a, texts, sizeof *d->preset);
	d->presets = arrays_add(a, texts, sizeof *d->presets);
	d->need = arrays_add(a, texts, sizeof *d->need);
	d->needs = arrays_add(a, texts, sizeof *d->needs);
	d->sigma = arrays_add(a, texts, sizeof *d->sigma);
	d->sigmas = arrays_add(a, texts, sizeof *d->sigmas);
	return a->out_of_memory ? problem_no_memory(p) : 0;
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
	struct carrier r = {.at = d->text, .end = d->text + n, .list = d->list};
	get_plugin(&r, d, texts);
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
	arrays_free(&d->arrays);
	*d = (struct plugin_description){0};
}
