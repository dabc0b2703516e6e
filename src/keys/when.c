/* when.c -- Reads conditions on keys, and finds keys without an effect. */
#include "keys/when.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "keys/keys.h"

/* A piece of the condition's text. */
struct piece {
	const char *at;
	size_t n;
};

static struct piece trimmed(const char *at, size_t n)
{
	while (n && *at == ' ')
		at++, n--;
	while (n && at[n - 1] == ' ')
		n--;
	return (struct piece){at, n};
}

/* Cuts the piece before the next separator off *rest; returns 0 at the end. */
static int next_piece(struct piece *rest, char separator, struct piece *piece)
{
	if (!rest->at)
		return 0;
	const char *end = memchr(rest->at, separator, rest->n);
	size_t n = end ? (size_t)(end - rest->at) : rest->n;
	*piece = trimmed(rest->at, n);
	if (end)
		*rest = (struct piece){end + 1, rest->n - n - 1};
	else
		rest->at = NULL;
	return 1;
}

static struct piece whole(const char *text)
{
	return (struct piece){text, strlen(text)};
}

/* A term: key, one of = > <, and the value or values. */
struct term {
	struct piece key, value;
	char sign; /* 0: none was found */
};

static struct term term_of(struct piece t)
{
	struct term term = {.key = t};
	for (size_t i = 0; i < t.n; i++) {
		if (!memchr("=<>", t.at[i], 3))
			continue;
		term.sign = t.at[i];
		term.key = trimmed(t.at, i);
		term.value = trimmed(t.at + i + 1, t.n - i - 1);
		break;
	}
	return term;
}

static const sc_knob *knob_of(const sc_knob *const *knob, uint32_t n,
			      struct piece key)
{
	for (uint32_t i = 0; i < n; i++)
		if (strlen(knob[i]->name) == key.n &&
		    !strncmp(knob[i]->name, key.at, key.n))
			return knob[i];
	return NULL;
}

static int is_number(struct piece t, double *value)
{
	char text[NUMBER_SIZE];
	if (t.n == 0 || t.n >= sizeof text)
		return 0;
	snprintf(text, sizeof text, "%.*s", (int)t.n, t.at);
	const char *end = number_parse(text, value);
	return end != text && !*end;
}

static int equals(struct piece a, struct piece b)
{
	double x, y;
	if (is_number(a, &x) && is_number(b, &y))
		return !(x < y) && !(x > y);
	return a.n == b.n && !strncmp(a.at, b.at, a.n);
}

/* Returns 1 if the value is a pattern that the text matches. */
static int matches(const char *text, struct piece pattern)
{
	char glob[80];
	snprintf(glob, sizeof glob, "%.*s", (int)pattern.n, pattern.at);
	return *text && strchr(glob, '*') && fnmatch(glob, text, 0) == 0;
}

static int term_holds(const struct term *t, const struct when_of *of)
{
	char buf[NUMBER_SIZE];
	const sc_knob *k = knob_of(of->knob, of->n, t->key);
	if (!k)
		return 0;
	struct piece is = whole(knob_text(buf, k, of->block));
	struct piece rest = t->value, one;
	double value, bound;
	if (t->sign == '=') {
		while (next_piece(&rest, '|', &one))
			if (equals(is, one) || matches(is.at, one))
				return 1;
		return 0;
	}
	if (!is_number(is, &value) || !is_number(t->value, &bound))
		return 0;
	return t->sign == '>' ? value > bound : value < bound;
}

int when_holds(const char *when, const struct when_of *of)
{
	if (!when)
		return 1;
	struct piece groups = whole(when), group, text;
	while (next_piece(&groups, ';', &group)) {
		int holds = 1;
		while (next_piece(&group, '&', &text)) {
			struct term t = term_of(text);
			holds &= term_holds(&t, of);
		}
		if (holds)
			return 1;
	}
	return 0;
}

/* ---- faults of a condition ---- */

static int check_words(const sc_knob *k, const struct term *t,
		       struct problem *p)
{
	static const char *const boolean[] = {"false", "true", NULL};
	struct piece rest = t->value, one;
	const char *const *word =
	    k->type == SC_KNOB_BOOL ? boolean : k->choices;
	if (k->type != SC_KNOB_BOOL && k->type != SC_KNOB_CHOICE)
		return 0;
	while (next_piece(&rest, '|', &one)) {
		const char *const *w = word;
		while (*w && !equals(whole(*w), one))
			w++;
		if (!*w)
			return problem_set(p, EXIT_USAGE,
					   "'%.*s' is no value of %s",
					   (int)one.n, one.at, k->name);
	}
	return 0;
}

static int check_term(struct piece text, const sc_knob *const *knob, uint32_t n,
		      struct problem *p)
{
	struct term t = term_of(text);
	double bound;
	const sc_knob *k = knob_of(knob, n, t.key);
	if (!t.sign)
		return problem_set(
		    p, EXIT_USAGE,
		    "'%.*s' is not KEY=VALUE, KEY>NUMBER or KEY<NUMBER",
		    (int)text.n, text.at);
	if (!k)
		return problem_set(p, EXIT_USAGE, "no key '%.*s'", (int)t.key.n,
				   t.key.at);
	if (t.sign != '=' && !is_number(t.value, &bound))
		return problem_set(p, EXIT_USAGE, "'%.*s' is not a number",
				   (int)t.value.n, t.value.at);
	return t.sign == '=' ? check_words(k, &t, p) : 0;
}

int when_check(const char *when, const sc_knob *const *knob, uint32_t n,
	       struct problem *p)
{
	struct problem why;
	struct piece groups = whole(when), group, text;
	while (next_piece(&groups, ';', &group))
		while (next_piece(&group, '&', &text))
			if (check_term(text, knob, n, &why) < 0)
				return problem_set(p, EXIT_USAGE,
						   "when '%s': %s", when,
						   why.text);
	return 0;
}

/* ---- keys without an effect ---- */

/* Returns 1 if an earlier term of the condition has the same key. */
static int is_named_before(const char *when, struct piece key)
{
	struct piece groups = whole(when), group, text;
	while (next_piece(&groups, ';', &group))
		while (next_piece(&group, '&', &text)) {
			struct term t = term_of(text);
			if (t.key.at == key.at)
				return 0;
			if (equals(t.key, key))
				return 1;
		}
	return 0;
}

int when_asks(const char *when, const char *key)
{
	if (!when)
		return 0;
	struct piece groups = whole(when), group, text;
	while (next_piece(&groups, ';', &group))
		while (next_piece(&group, '&', &text))
			if (equals(term_of(text).key, whole(key)))
				return 1;
	return 0;
}

void when_state(char state[WHEN_STATE], const char *when,
		const struct when_of *of)
{
	char buf[NUMBER_SIZE];
	size_t n = 0;
	struct piece groups = whole(when), group, text;
	state[0] = '\0';
	while (next_piece(&groups, ';', &group))
		while (next_piece(&group, '&', &text)) {
			struct term t = term_of(text);
			const sc_knob *k = knob_of(of->knob, of->n, t.key);
			if (!k || is_named_before(when, t.key) ||
			    n >= WHEN_STATE)
				continue;
			const char *is = knob_text(buf, k, of->block);
			n += (size_t)snprintf(state + n, WHEN_STATE - n,
					      "%s%s%s%s", n ? " and " : "",
					      *is ? k->name : "no ",
					      *is ? " = " : k->name, is);
		}
}

const struct ini_item *when_inert(const struct when_of *of, const struct ini *c,
				  const char *section, const char *prefix,
				  uint32_t *i)
{
	while (*i < of->n) {
		const sc_knob *k = of->knob[(*i)++];
		const struct ini_item *item =
		    ini_find_behind(c, section, prefix, k->name);
		if (item && !when_holds(knob_when(k), of))
			return item;
	}
	return NULL;
}
