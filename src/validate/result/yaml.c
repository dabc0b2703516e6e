/* yaml.c -- Builds values of jansson from the events of libyaml. */
#include "validate/result/yaml.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>
#include "base/grow.h"
#include "base/number.h"

struct anchor {
	char *name;
	json_t *value;
	uint64_t n_values; /* itself, and all that are in it */
};
struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	const char *origin;
	struct problem *p;
	struct anchor *anchor; /* of the document */
	size_t n, cap;
	uint64_t
	    n_values; /* of the document, those of its aliases among them */
};

static int fault(struct reader *r, const yaml_mark_t *at, const char *what)
{
	return problem_set(r->p, EXIT_INPUT, "%s:%zu: %s", r->origin,
			   at->line + 1, what);
}

static int next(struct reader *r)
{
	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return 0;
	r->event = (yaml_event_t){0};
	char what[200];
	if (!r->parser.problem)
		return problem_no_memory(r->p);
	snprintf(what, sizeof what,
		 "not YAML: %s; check the indentation and the quotes there",
		 r->parser.problem);
	return fault(r, &r->parser.problem_mark, what);
}

/* ---- scalars ---- */

static int is_one_of(const char *s, const char *const *word)
{
	for (; *word; word++)
		if (!strcasecmp(s, *word))
			return 1;
	return 0;
}

/* A number has digits; "1e5" and "0x1f" are numbers, "nan" and "1_000" text. */
static json_t *number(const char *s)
{
	double v;
	int64_t whole;
	const char *digits = s + (*s == '-' || *s == '+');
	if ((*digits < '0' || *digits > '9') && *digits != '.')
		return NULL;
	if (!strncmp(digits, "0x", 2)) {
		char *end;
		unsigned long long x = strtoull(digits, &end, 16);
		return *end || x > INT64_MAX
			   ? NULL
			   : json_integer(*s == '-' ? -(json_int_t)x
						    : (json_int_t)x);
	}
	const char *end = number_parse_whole(s, &whole);
	if (end != s && !*end)
		return json_integer(whole);
	end = number_parse(s, &v);
	return end != s && !*end && isfinite(v) ? json_real(v) : NULL;
}

/* Returns a plain scalar as the JSON value that it means, or else as a string.
 */
static json_t *scalar(const yaml_event_t *e)
{
	static const char *const null[] = {"", "~", "null", NULL};
	static const char *const yes[] = {"true", "yes", "on", NULL};
	static const char *const no[] = {"false", "no", "off", NULL};
	const char *s = (const char *)e->data.scalar.value;
	size_t n = e->data.scalar.length;
	int is_text = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
		      (e->data.scalar.tag &&
		       !strcmp((const char *)e->data.scalar.tag, YAML_STR_TAG));
	json_t *v = NULL;
	if (is_text)
		return json_stringn(s, n);
	if (is_one_of(s, null))
		return json_null();
	if (is_one_of(s, yes) || is_one_of(s, no))
		return json_boolean(is_one_of(s, yes));
	v = number(s);
	return v ? v : json_stringn(s, n);
}

/* ---- anchors ---- */

/* Takes over the name, which may be NULL. */
static int keep_anchor(struct reader *r, char *name, json_t *v,
		       uint64_t n_values)
{
	if (!name)
		return 0;
	if (!MAKE_ROOM(r->anchor, r->n, r->cap)) {
		free(name);
		return problem_no_memory(r->p);
	}
	r->anchor[r->n++] = (struct anchor){name, json_incref(v), n_values};
	return 0;
}

static json_t *of_anchor(struct reader *r)
{
	const char *name = (const char *)r->event.data.alias.anchor;
	const struct anchor *a = r->anchor + r->n;
	while (a > r->anchor && strcmp(a[-1].name, name) != 0)
		a--;
	if (a == r->anchor) {
		fault(r, &r->event.start_mark,
		      "an alias has no anchor before it");
		return NULL;
	}
	r->n_values += a[-1].n_values - 1;
	if (r->n_values <= YAML_MOST_VALUES)
		return json_incref(a[-1].value);
	fault(r, &r->event.start_mark,
	      "with its aliases it has more than a million values");
	return NULL;
}

static void forget_anchors(struct reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->anchor[i].name);
		json_decref(r->anchor[i].value);
	}
	r->n = 0;
	r->n_values = 0;
}

/* ---- values ---- */

static json_t *value(struct reader *r, int depth);

static int put_pair(struct reader *r, json_t *to, int depth)
{
	yaml_mark_t at = r->event.start_mark;
	if (r->event.type != YAML_SCALAR_EVENT)
		return fault(r, &at, "a key is no plain text");
	char *key = strdup((const char *)r->event.data.scalar.value);
	if (!key)
		return problem_no_memory(r->p);
	char what[200];
	int rc = 0;
	if (json_object_get(to, key)) {
		snprintf(what, sizeof what, "%.100s occurs twice", key);
		rc = fault(r, &at, what);
	}
	json_t *v = rc == 0 && next(r) == 0 ? value(r, depth) : NULL;
	if (v && json_object_set_new(to, key, v) < 0)
		rc = problem_no_memory(r->p);
	free(key);
	return v ? rc : -1;
}

/* The event is the start of a mapping or sequence. */
static int fill(struct reader *r, json_t *to, int depth)
{
	yaml_event_type_t end = json_is_object(to) ? YAML_MAPPING_END_EVENT
						   : YAML_SEQUENCE_END_EVENT;
	if (depth >= YAML_DEEPEST)
		return fault(r, &r->event.start_mark,
			     "more than 200 lists or mappings within another");
	while (next(r) == 0) {
		if (r->event.type == end)
			return 0;
		if (json_is_object(to)) {
			if (put_pair(r, to, depth + 1) < 0)
				return -1;
			continue;
		}
		json_t *v = value(r, depth + 1);
		if (json_array_append_new(to, v) < 0)
			return v ? problem_no_memory(r->p) : -1;
	}
	return -1;
}

/* Returns the value that begins with the event; NULL with *p filled in. */
static json_t *value(struct reader *r, int depth)
{
	yaml_event_type_t type = r->event.type;
	uint64_t before = r->n_values++;
	if (type == YAML_ALIAS_EVENT)
		return of_anchor(r);
	/* The structs of scalars, sequences and mappings begin with it. */
	const char *name = (const char *)r->event.data.scalar.anchor;
	char *anchor = name ? strdup(name) : NULL;
	json_t *v = type == YAML_SCALAR_EVENT          ? scalar(&r->event)
		    : type == YAML_MAPPING_START_EVENT ? json_object()
						       : json_array();
	int rc = v && (anchor || !name) ? 0 : problem_no_memory(r->p);
	if (rc == 0 && type != YAML_SCALAR_EVENT)
		rc = fill(r, v, depth);
	if (rc == 0)
		rc = keep_anchor(r, anchor, v, r->n_values - before);
	else
		free(anchor);
	if (rc == 0)
		return v;
	json_decref(v);
	return NULL;
}

/* ---- documents ---- */

int yaml_read(const char *text, size_t n, const char *origin,
	      yaml_document_fn each, void *user, struct problem *p)
{
	struct reader r = {.origin = origin, .p = p};
	int rc = 0;
	if (!yaml_parser_initialize(&r.parser))
		return problem_no_memory(p);
	yaml_parser_set_input_string(&r.parser, (const yaml_char_t *)text, n);
	while (rc == 0 && (rc = next(&r)) == 0 &&
	       r.event.type != YAML_STREAM_END_EVENT) {
		if (r.event.type != YAML_DOCUMENT_START_EVENT)
			continue;
		rc = next(&r);
		uint64_t line = r.event.start_mark.line + 1;
		json_t *v = rc == 0 ? value(&r, 0) : NULL;
		rc = v ? each(user, v, line) : -1;
		json_decref(v);
		forget_anchors(&r);
	}
	forget_anchors(&r);
	free(r.anchor);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	return rc;
}

/* A key has neither a comma nor a blank in it, as the header of a CSV file or a
 * command would. */
static int is_key(const char *s, const char *end)
{
	while (s < end && *s != ':')
		if (strchr(", \t", *s++))
			return 0;
	return s < end && (s + 1 == end || strchr(" \r", s[1]));
}

int yaml_begins(const char *text, size_t n)
{
	const char *end = text + n;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const char *s = text;
		stop = stop ? stop : end;
		while (s < stop && (*s == ' ' || *s == '\r'))
			s++;
		if (s < stop && *s != '#' && *s != '%')
			return is_key(s, stop) || !strncmp(s, "---", 3) ||
			       (s + 1 < stop && *s == '-' && s[1] == ' ');
		text = stop + 1;
	}
	return 0;
}
