/* prometheus.c -- Reads a page of metrics, sample by sample. */
#include "metrics/prometheus.h"
#include <stdlib.h>
#include <string.h>

static const char form[] =
    "not NAME{LABEL=\"VALUE\"} NUMBER, as a page of metrics has it";

static int begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == ':';
}

/* Returns the length of the name at s. */
static size_t name_length(const char *s)
{
	size_t n = 0;
	while (begins_name(s[n]) || (n && s[n] >= '0' && s[n] <= '9'))
		n++;
	return n;
}

static char *skip_blanks(char *s)
{
	return s + strspn(s, " \t");
}

/* Ends the name at *s, and puts what follows it into *behind.  Moves *s to what
 * follows, and behind a '{' or '='.  Returns the name, or NULL. */
static char *take_name(char **s, char *behind)
{
	char *name = *s;
	size_t n = name_length(name);
	if (n == 0)
		return NULL;
	char *next = skip_blanks(name + n);
	*behind = *next;
	*s = next + (*next == '{' || *next == '=');
	name[n] = '\0';
	return name;
}

/* Decodes \\, \" and \n of the text behind a quote, in place.  Returns what
 * follows the closing quote, or NULL. */
static char *unquote(char *s)
{
	char *to = s;
	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*to++ = (char)(*s == 'n' ? '\n' : *s);
		} else {
			*to++ = *s;
		}
	}
	if (!*s)
		return NULL;
	*to = '\0';
	return s + 1;
}

/* Reads the labels behind '{'.  Returns what follows '}', or NULL with *why. */
static char *take_labels(char *s, struct prometheus_sample *x, const char **why)
{
	char behind;
	*why = form;
	for (;;) {
		s = skip_blanks(s);
		if (*s == '}')
			return s + 1;
		if (x->n_labels == PROMETHEUS_LABELS) {
			*why = "more than 64 labels";
			return NULL;
		}
		struct prometheus_label *l = &x->label[x->n_labels++];
		l->name = take_name(&s, &behind);
		s = skip_blanks(s);
		if (!l->name || behind != '=' || *s != '"')
			return NULL;
		l->value = s + 1;
		s = unquote(s + 1);
		if (!s)
			return NULL;
		s = skip_blanks(s);
		if (*s == ',')
			s++;
		else if (*s != '}')
			return NULL;
	}
}

/* Reads a line that is no remark. */
static const char *read_sample(char *s, struct prometheus_sample *x)
{
	const char *why = form;
	char behind, *end;
	x->n_labels = 0;
	x->name = take_name(&s, &behind);
	if (!x->name)
		return form;
	if (behind == '{')
		s = take_labels(s, x, &why);
	if (!s)
		return why;
	s = skip_blanks(s);
	x->value = strtod(s, &end);
	/* A time stamp or an exemplar may follow. */
	return end == s || (*end && *end != ' ' && *end != '\t') ? form : NULL;
}

int prometheus_read(char *text, size_t n, const char *origin,
		    prometheus_fn on_sample, void *user, struct problem *p)
{
	struct prometheus_sample x;
	unsigned long long line = 0;
	char *s = text, *end = text + n;
	while (s < end) {
		char *eol = memchr(s, '\n', (size_t)(end - s));
		char *next = eol ? eol + 1 : end;
		line++;
		*(eol ? eol : end) = '\0';
		if (strlen(s) != (size_t)((eol ? eol : end) - s))
			return problem_at(p, origin, line, "a NUL character");
		s[strcspn(s, "\r")] = '\0';
		s = skip_blanks(s);
		if (*s && *s != '#') {
			const char *why = read_sample(s, &x);
			if (!why)
				why = on_sample(user, &x);
			if (why)
				return problem_at(p, origin, line, why);
		}
		s = next;
	}
	return 0;
}

int prometheus_likely(const char *text, size_t n)
{
	char line[400];
	struct prometheus_sample x;
	while (n && strchr(" \t\r\n", *text))
		text++, n--;
	const char *eol = memchr(text, '\n', n);
	size_t k = eol ? (size_t)(eol - text) : n;
	if (k >= 7 &&
	    (!memcmp(text, "# HELP ", 7) || !memcmp(text, "# TYPE ", 7)))
		return 1;
	if (k >= sizeof line)
		k = sizeof line - 1;
	memcpy(line, text, k);
	line[k] = '\0';
	line[strcspn(line, "\r")] = '\0';
	/* A longer line is cut, and then has labels at least. */
	return !read_sample(line, &x) || x.n_labels > 1;
}

const char *prometheus_get(const struct prometheus_sample *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_labels; i++)
		if (!strcmp(s->label[i].name, name))
			return s->label[i].value;
	return NULL;
}
