/* measured_json.c -- Reads files of results: JSON values one after another, or
 * documents of YAML. */
#include "validate/measured/measured_json.h"
#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include "base/file/filetype.h"
#include "validate/result/results.h"
#include "validate/result/yaml.h"

/* ---- JSON ---- */

/* Python writes NaN and Infinity, which JSON has not: they are read as null. */
struct source {
	FILE *f;
	uint64_t line;
	int in_text, escaped;
	const char *pending; /* bytes that come before those of f */
};

static int in_text(struct source *s, int c)
{
	int was = s->in_text;
	if (c == '"' && !s->escaped)
		s->in_text = !was;
	s->escaped = was && c == '\\' && !s->escaped;
	return was;
}

/* Reads the rest of NaN, Infinity or -Infinity, which begins with c.  Another
 * text is left to jansson, which refuses it. */
static int skip_word(struct source *s, int c)
{
	char word[10] = {(char)c, '\0'};
	size_t n = c != '-';
	int next;
	while (isalpha(next = getc(s->f)) && n + 1 < sizeof word)
		word[n++] = (char)next;
	ungetc(next, s->f);
	word[n] = '\0';
	if (!strcmp(word, "NaN") || !strcmp(word, "Infinity")) {
		s->pending = "ull";
		return 'n';
	}
	return c;
}

static size_t feed(void *buffer, size_t size, void *user)
{
	struct source *s = user;
	(void)size;
	/* A byte at a time, so that nothing behind a value is swallowed. */
	int c = s->pending && *s->pending ? *s->pending++ : getc(s->f);
	if (c == EOF)
		return 0;
	s->line += c == '\n';
	if (!in_text(s, c) && (c == 'N' || c == 'I' || c == '-'))
		c = skip_word(s, c);
	*(char *)buffer = (char)c;
	return 1;
}

static int more(struct source *s)
{
	int c;
	while ((c = getc(s->f)) == ' ' || c == '\n' || c == '\r' || c == '\t')
		s->line += c == '\n';
	if (c != EOF)
		ungetc(c, s->f);
	return c != EOF;
}

static int bad_json(const struct result *r, const json_error_t *e)
{
	const char *path = measured_path(r->m);
	struct problem why;
	filetype_bad_json(e, path, r->line, &why);
	if (r->line > 1 ||
	    strncmp(why.text + strlen(path), ":1: not JSON", 12) != 0) {
		*r->p = why;
		return -1;
	}
	return problem_set(r->p, EXIT_INPUT,
			   "%s; a measured run is a result of a benchmark "
			   "program (JSON or YAML), or a CSV file",
			   why.text);
}

/* ---- a file ---- */

static int end_file(struct result *r, size_t before, int rc)
{
	if (rc == 0)
		rc = results_end(r);
	if (rc == 0 && r->m->n == before)
		rc = problem_set(r->p, EXIT_INPUT, "%s:1: no runs",
				 measured_path(r->m));
	measured_requests_free(&r->requests);
	return rc;
}

int measured_read_json(struct measured *m, FILE *f, struct problem *p)
{
	struct source s = {.f = f, .line = 1};
	struct result r = {.m = m, .p = p};
	size_t before = m->n;
	int rc = 0;
	while (rc == 0 && more(&s)) {
		json_error_t e;
		r.line = s.line;
		s.in_text = s.escaped = 0;
		json_t *v = json_load_callback(
		    feed, &s, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
		    &e);
		rc = v ? results_add(&r, v) : bad_json(&r, &e);
		json_decref(v);
	}
	return end_file(&r, before, rc);
}

static int on_document(void *user, json_t *document, uint64_t line)
{
	struct result *r = user;
	r->line = line;
	return results_add(r, document);
}

/* How the CSV of a benchmark program begins, and its reader. */
static const struct csv_of {
	const char *begins;
	int (*read)(struct result *r, const char *text, size_t n);
} csv_of[] = {{"Metric,", result_aiperf_csv},
	      {"Run Info,", result_guidellm_csv}};

/* NULL: no CSV of a benchmark program. */
static const struct csv_of *csv_of_text(const char *text)
{
	for (size_t i = 0; i < sizeof csv_of / sizeof *csv_of; i++)
		if (!strncmp(text, csv_of[i].begins, strlen(csv_of[i].begins)))
			return &csv_of[i];
	return NULL;
}

int measured_is_text(const char *text, size_t n)
{
	return csv_of_text(text) || yaml_begins(text, n);
}

int measured_read_text(struct measured *m, const char *text, size_t n,
		       struct problem *p)
{
	struct result r = {.m = m, .p = p};
	size_t before = m->n;
	const struct csv_of *csv = csv_of_text(text);
	int rc = csv ? csv->read(&r, text, n)
		     : yaml_read(text, n, measured_path(m), on_document, &r, p);
	return end_file(&r, before, rc);
}
