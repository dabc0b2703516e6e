/* keys.c -- Fills structs of values from tables of keys and an INI. */
#include "keys/keys.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/number.h"

static const char *const boolean[] = {"false", "true", NULL};

static int bad_word(const sc_knob *k, const char *const *word, const char *s,
		    struct problem *p)
{
	char list[300] = "";
	for (size_t n = 0; *word && n < sizeof list; word++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
				      n ? "|" : "", *word);
	return problem_set(p, EXIT_USAGE, "%s = %s: not one of %s%s", k->name,
			   s, list, ini_comment_hint(s));
}

static int bad_number(const sc_knob *k, const char *s, struct problem *p)
{
	char min[NUMBER_SIZE], max[NUMBER_SIZE];
	int has_unit = k->unit[0] && strcmp(k->unit, "1") != 0;
	double v;
	const char *end = number_parse(s, &v);
	/* "80GiB" and "0.9%" are a number and a unit. */
	int has_more = end > s && *end && !strchr(s, ' ');
	number_format(min, k->min);
	number_format(max, k->max);
	return problem_set(
	    p, EXIT_USAGE, "%s = %s: not %s in [%s, %s]%s%s%s%s", k->name, s,
	    k->type == SC_KNOB_INT ? "an integer" : "a number", min, max,
	    has_unit ? " " : "", has_unit ? k->unit : "",
	    has_more ? "; write the number alone" : "", ini_comment_hint(s));
}

static int set_word(const sc_knob *k, void *at, const char *s,
		    struct problem *p)
{
	const char *const *word =
	    k->type == SC_KNOB_BOOL ? boolean : k->choices;
	int64_t n = 0;
	while (word[n] && strcmp(word[n], s))
		n++;
	if (!word[n])
		return bad_word(k, word, s, p);
	memcpy(at, &n, sizeof n);
	return 0;
}

static int set_number(const sc_knob *k, void *at, const char *s,
		      struct problem *p)
{
	const char *end;
	double d;
	int64_t n = 0;
	errno = 0;
	if (k->type == SC_KNOB_DOUBLE) {
		end = number_parse(s, &d);
	} else {
		end = number_parse_whole(s, &n);
		d = (double)n;
	}
	/* number_parse() also accepts blanks, as strtod() does. */
	if (end == s || *end || (errno == ERANGE && fabs(d) > 1) ||
	    !(d >= k->min && d <= k->max) || s[strcspn(s, " \t")])
		return bad_number(k, s, p);
	if (k->type == SC_KNOB_DOUBLE)
		memcpy(at, &d, sizeof d);
	else
		memcpy(at, &n, sizeof n);
	return 0;
}

int64_t numbers_read(double *to, const char *text)
{
	int64_t n = 0;
	text += strspn(text, " \t");
	while (*text) {
		size_t length = strcspn(text, ", \t");
		double value;
		if (number_parse(text, &value) != text + length || !length ||
		    !isfinite(value))
			return -1;
		if (to)
			to[n] = value;
		n++;
		text += length;
		text += strspn(text, " \t");
		if (*text != ',')
			continue;
		text++;
		text += strspn(text, " \t");
		if (!*text)
			return -1;
	}
	return n;
}

/* at: the field of the knob, or room for one. */
static int knob_set(const sc_knob *k, void *at, const char *s,
		    struct problem *p)
{
	if (k->type == SC_KNOB_NUMBERS && numbers_read(NULL, s) < 0)
		return problem_set(p, EXIT_USAGE,
				   "%s = %s: not numbers with commas or blanks "
				   "between them, as 1024, 2048",
				   k->name, s);
	if (k->type == SC_KNOB_TEXT || k->type == SC_KNOB_NUMBERS) {
		memcpy(at, &s, sizeof s);
		return 0;
	}
	if (k->type == SC_KNOB_BOOL || k->type == SC_KNOB_CHOICE)
		return set_word(k, at, s, p);
	return set_number(k, at, s, p);
}

int knob_check_value(const sc_knob *k, const char *text, struct problem *p)
{
	union {
		int64_t n;
		double d;
		const char *s;
		struct knob_numbers numbers;
	} room;
	return knob_set(k, &room, text, p);
}

static const char *preset_value(const sc_preset *preset, const char *name)
{
	for (const char *const *v = preset->values; v[0]; v += 2)
		if (!strcmp(v[0], name))
			return v[1];
	return NULL;
}

/* Returns "PREFIXname" in the INI, or NULL. */
static const struct ini_item *given(const struct ini *c, const char *section,
				    const char *prefix, const char *name)
{
	return c ? ini_find_behind(c, section, prefix, name) : NULL;
}

int knobs_overlay(void *block, const sc_knob *const *knob, uint32_t n,
		  const struct ini *c, const char *section, const char *prefix,
		  struct problem *p)
{
	struct problem why;
	for (uint32_t i = 0; i < n; i++) {
		const struct ini_item *item =
		    given(c, section, prefix, knob[i]->name);
		if (item && knob_set(knob[i], (char *)block + knob[i]->offset,
				     item->value, &why) < 0)
			return problem_set(p, EXIT_USAGE, "%s: %s%s", item->at,
					   prefix, why.text);
	}
	return 0;
}

int knobs_fill(void *block, const sc_knob *const *knob, uint32_t n,
	       const sc_preset *preset, const struct ini *c,
	       const char *section, const char *prefix, struct problem *p)
{
	for (uint32_t i = 0; i < n; i++) {
		const sc_knob *k = knob[i];
		const struct ini_item *item =
		    given(c, section, prefix, k->name);
		const char *by_preset =
		    preset ? preset_value(preset, k->name) : NULL;
		const char *s = item        ? item->value
				: by_preset ? by_preset
					    : k->def;
		struct problem why;
		if (!s)
			return problem_set(p, EXIT_USAGE,
					   "%s: [%s] needs %s%s: %s",
					   c ? c->path : "?", section, prefix,
					   k->name, k->help);
		if (knob_set(k, (char *)block + k->offset, s, &why) == 0)
			continue;
		return problem_set(p, EXIT_USAGE, "%s: %s",
				   item        ? item->at
				   : by_preset ? preset->name
					       : "default",
				   why.text);
	}
	return 0;
}

/* ---- what a knob says since ABI 1.3 ---- */

const char *knob_when(const sc_knob *k)
{
	return SC_HAS(k, when) ? k->when : NULL;
}

uint32_t knob_scale(const sc_knob *k)
{
	return SC_HAS(k, scale) ? k->scale : SC_SCALE_LINEAR;
}

void knob_fit_bounds(const sc_knob *k, double *low, double *high)
{
	int given = SC_HAS(k, fit_high) && !isnan(k->fit_low) &&
		    !isnan(k->fit_high) &&
		    (k->fit_low != 0 || k->fit_high != 0);
	*low = given ? k->fit_low : k->min;
	*high = given ? k->fit_high : k->max;
}

/* ---- names ---- */

const sc_knob *knob_named(const sc_knob *const *knob, uint32_t n,
			  const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(knob[i]->name, name))
			return knob[i];
	return NULL;
}

static int is_known(const struct key_table *table, size_t n, const char *key)
{
	for (size_t t = 0; t < n; t++) {
		size_t len = strlen(table[t].prefix);
		if (strncmp(key, table[t].prefix, len))
			continue;
		if (knob_named(table[t].knob, table[t].n, key + len))
			return 1;
	}
	return 0;
}

/* Writes " (did you mean 'NAME'?)"; "": no known key is like it. */
static const char *hint_at(const struct ini_item *item,
			   const struct key_table *table, size_t n,
			   char hint[100])
{
	struct nearest near;
	char best[100] = "", name[100];
	nearest_start(&near, item->key);
	for (size_t t = 0; t < n; t++)
		for (uint32_t i = 0; i < table[t].n; i++) {
			snprintf(name, sizeof name, "%s%s", table[t].prefix,
				 table[t].knob[i]->name);
			near.name = NULL;
			nearest_try(&near, name);
			if (near.name)
				strcpy(best, name);
		}
	near.name = best[0] ? best : NULL;
	for (size_t t = 0; t < n; t++) {
		const char *ours =
		    table[t].key_of ? table[t].key_of(item->key) : NULL;
		if (ours && is_known(table, n, ours))
			near.name = ours;
	}
	return near.name ? nearest_hint(&near, hint) : "";
}

/* Writes all keys; a list that is too long ends with dots. */
static void list_known(const struct key_table *table, size_t n, char to[700])
{
	size_t used = 0;
	strcpy(to, "none");
	for (size_t t = 0; t < n; t++)
		for (uint32_t i = 0; i < table[t].n && used < 700; i++)
			used += (size_t)snprintf(
			    to + used, 700 - used, "%s%s%s", used ? ", " : "",
			    table[t].prefix, table[t].knob[i]->name);
	if (used >= 700)
		strcpy(to + 700 - 4, "...");
}

/* Names the unknown keys of the section, from item i on. */
static int unknown_keys(const struct ini *c, size_t i,
			const struct key_table *table, size_t n,
			struct problem *p)
{
	const struct ini_item *first = &c->item[i];
	char hint[100], known[700], more[300] = "";
	const char *of_first = hint_at(first, table, n, hint);
	for (size_t used = 0; ++i < c->n && used < sizeof more;) {
		const struct ini_item *t = &c->item[i];
		char of_this[100];
		if (strcmp(t->section, first->section) != 0 ||
		    is_known(table, n, t->key))
			continue;
		used += (size_t)snprintf(
		    more + used, sizeof more - used, "%s'%s'%s",
		    used ? ", " : "; also unknown: ", t->key,
		    hint_at(t, table, n, of_this));
	}
	list_known(table, n, known);
	return problem_set(
	    p, EXIT_USAGE, "%s: unknown key '%s' in [%s]%s%s%s%s", first->at,
	    first->key, first->section, of_first, more,
	    *of_first ? "" : "; allowed: ", *of_first ? "" : known);
}

int keys_check(const struct ini *c, const char *section,
	       const struct key_table *table, size_t n, struct problem *p)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->item[i].section, section) &&
		    !is_known(table, n, c->item[i].key))
			return unknown_keys(c, i, table, n, p);
	return 0;
}

/* ---- values as text ---- */

static const char *word_of(const sc_knob *k, int64_t n)
{
	return k->type == SC_KNOB_BOOL ? boolean[n != 0] : k->choices[n];
}

const char *knob_text(char buf[32], const sc_knob *k, const void *block)
{
	const char *at = (const char *)block + k->offset, *text;
	const struct knob_numbers *numbers;
	int64_t n;
	double d;
	memcpy(&n, at, sizeof n);
	memcpy(&d, at, sizeof d);
	switch (k->type) {
	case SC_KNOB_TEXT:
		memcpy(&text, at, sizeof text);
		return text;
	case SC_KNOB_NUMBERS:
		memcpy(&numbers, at, sizeof numbers);
		return numbers->text;
	case SC_KNOB_DOUBLE:
		number_format(buf, d);
		return buf;
	case SC_KNOB_INT:
		snprintf(buf, 32, "%lld", (long long)n);
		return buf;
	default:
		return word_of(k, n);
	}
}

static void write_numbers(struct jw *j, const sc_knob *k, const char *at)
{
	const struct knob_numbers *numbers;
	memcpy(&numbers, at, sizeof numbers);
	jw_flat_array(j, k->name);
	for (uint32_t i = 0; i < numbers->is.n; i++)
		jw_number(j, NULL, numbers->is.value[i]);
	jw_end(j);
}

void knobs_write(struct jw *j, const void *block, const sc_knob *const *knob,
		 uint32_t n)
{
	char buf[32];
	for (uint32_t i = 0; i < n; i++) {
		const sc_knob *k = knob[i];
		const char *at = (const char *)block + k->offset;
		int64_t v;
		double d;
		memcpy(&v, at, sizeof v);
		memcpy(&d, at, sizeof d);
		if (k->type == SC_KNOB_DOUBLE)
			jw_number(j, k->name, d);
		else if (k->type == SC_KNOB_INT)
			jw_int(j, k->name, v);
		else if (k->type == SC_KNOB_BOOL)
			jw_bool(j, k->name, v != 0);
		else if (k->type == SC_KNOB_NUMBERS)
			write_numbers(j, k, at);
		else
			jw_text(j, k->name, knob_text(buf, k, block));
	}
}

int is_same_value(const char *a, const char *b)
{
	double x, y;
	const char *end_a = number_parse(a, &x), *end_b = number_parse(b, &y);
	if (end_a != a && !*end_a && end_b != b && !*end_b)
		return x <= y && x >= y; /* not of NaN */
	return !strcmp(a, b);
}

int knobs_differ(const sc_knob *const *knob, uint32_t n, const void *a,
		 const void *b)
{
	char x[32], y[32];
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(knob_text(x, knob[i], a), knob_text(y, knob[i], b)))
			return 1;
	return 0;
}
