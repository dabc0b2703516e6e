/* trace_columns.c -- Reads and writes the key `columns`. */
#include "workload/trace/trace_columns.h"
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"

const char *const trace_role_names[] = {"time", "input", "output", NULL};

/* The text that is not read yet, and the place for messages. */
struct reader {
	const char *s, *text, *at;
	struct problem *p;
};

static void skip_spaces(struct reader *r)
{
	r->s += strspn(r->s, " \t");
}

static int wrong(const struct reader *r, const char *why, const char *word)
{
	return problem_set(r->p, EXIT_USAGE, "%s: columns = %.300s: %s%.100s",
			   r->at, r->text, why, word);
}

/* Copies s[0 … n-1] without the spaces around it.  Returns 0, or -1 if it is
 * too long and was cut off. */
static int copy(char to[COLUMN_LONGEST + 1], const char *s, size_t n)
{
	while (n && strchr(" \t", *s))
		s++, n--;
	while (n && strchr(" \t", s[n - 1]))
		n--;
	size_t kept = n < COLUMN_LONGEST ? n : COLUMN_LONGEST;
	memcpy(to, s, kept);
	to[kept] = '\0';
	return kept < n ? -1 : 0;
}

/* Reads "ROLE:".  Returns the role, or -1 with the problem filled in. */
static int role(struct reader *r)
{
	char word[COLUMN_LONGEST + 1], hint[100];
	struct nearest near;
	skip_spaces(r);
	size_t n = strcspn(r->s, ":,");
	if (copy(word, r->s, n) < 0)
		return wrong(r, "a role is time, input or output", "");
	if (r->s[n] != ':')
		return wrong(r,
			     "write ROLE:COLUMN, such as input:prompt_tokens; "
			     "no ':' after ",
			     *word ? word : "a comma");
	r->s += n + 1;
	nearest_start(&near, word);
	for (int i = 0; i < N_ROLES; i++) {
		if (!strcmp(word, trace_role_names[i]))
			return i;
		nearest_try(&near, trace_role_names[i]);
	}
	return problem_set(r->p, EXIT_USAGE,
			   "%s: columns = %.300s: no role '%.60s'%s; the roles "
			   "are time, input and output",
			   r->at, r->text, word, nearest_hint(&near, hint));
}

/* Reads a name in quotes, in which "" is one quote. */
static int quoted(struct reader *r, char to[COLUMN_LONGEST + 1])
{
	size_t n = 0;
	for (r->s++;; r->s++) {
		if (!*r->s)
			return wrong(r, "a quote is not closed", "");
		if (*r->s == '"' && *++r->s != '"')
			break;
		if (n == COLUMN_LONGEST)
			return wrong(r, "a name is too long", "");
		to[n++] = *r->s;
	}
	to[n] = '\0';
	skip_spaces(r);
	return *r->s && !strchr("@,", *r->s)
		   ? wrong(r, "a comma is missing before ", r->s)
		   : 0;
}

static int unit(struct reader *r, enum trace_unit *out)
{
	char word[COLUMN_LONGEST + 1];
	size_t n = strcspn(++r->s, ",");
	if (copy(word, r->s, n) < 0 || (*out = trace_unit_named(word)) == 0)
		return wrong(r,
			     "a unit is s, ms, us, ns or date; a name that has "
			     "an @ needs quotes; unknown unit ",
			     word);
	r->s += n;
	return 0;
}

/* Reads "NAME", and "@UNIT" behind the name of the time. */
static int column(struct reader *r, struct trace_columns *c, int i)
{
	skip_spaces(r);
	if (*r->s == '"') {
		if (quoted(r, c->name[i]) < 0)
			return -1;
	} else {
		size_t n = strcspn(r->s, ",");
		const char *sign =
		    i == ROLE_TIME ? memrchr(r->s, '@', n) : NULL;
		n = sign ? (size_t)(sign - r->s) : n;
		if (copy(c->name[i], r->s, n) < 0)
			return wrong(r, "a name is too long", "");
		r->s += n;
	}
	if (!*c->name[i])
		return wrong(r, "no column is named for ", trace_role_names[i]);
	if (*r->s != '@')
		return 0;
	return i == ROLE_TIME ? unit(r, &c->unit)
			      : wrong(r, "only the time has a unit", "");
}

int trace_columns_parse(struct trace_columns *c, const char *text,
			const char *at, struct problem *p)
{
	struct reader r = {text, text, at, p};
	*c = (struct trace_columns){0};
	do {
		int i = role(&r);
		if (i < 0)
			return -1;
		if (*c->name[i])
			return wrong(&r, "it names two columns for ",
				     trace_role_names[i]);
		if (column(&r, c, i) < 0)
			return -1;
	} while (*r.s++ == ',');
	for (int i = ROLE_INPUT; i <= ROLE_OUTPUT; i++)
		if (!*c->name[i])
			return wrong(&r, "no column is named for ",
				     trace_role_names[i]);
	return 0;
}

int trace_columns_beside(struct trace_columns *c, const char *text,
			 const char *at, const char *format, struct problem *p)
{
	if (strcmp(format, "auto") && strcmp(format, "columns"))
		return problem_set(p, EXIT_USAGE,
				   "%s: columns = %s: format = %s names the "
				   "columns itself; give one of the two keys",
				   at, text, format);
	return trace_columns_parse(c, text, at, p);
}

static int needs_quotes(const char *name, int is_time)
{
	return strpbrk(name, ",\"") || (is_time && strchr(name, '@')) ||
	       strchr(" \t", name[0]) || strchr(" \t", name[strlen(name) - 1]);
}

const char *trace_columns_write(const struct trace_columns *c,
				char buf[TRACE_COLUMNS_TEXT])
{
	char *to = buf;
	for (int i = 0; i < N_ROLES; i++) {
		const char *s = c->name[i];
		if (!*s)
			continue;
		int quote = needs_quotes(s, i == ROLE_TIME);
		to += sprintf(to, "%s%s:%s", to == buf ? "" : ", ",
			      trace_role_names[i], quote ? "\"" : "");
		for (; *s; s++) {
			if (*s == '"')
				*to++ = '"';
			*to++ = *s;
		}
		to += sprintf(to, "%s%s%s", quote ? "\"" : "",
			      i == ROLE_TIME && c->unit ? "@" : "",
			      i == ROLE_TIME ? trace_unit_name(c->unit) : "");
	}
	*to = '\0';
	return buf;
}

int trace_columns_given(const struct trace_columns *c)
{
	return *c->name[ROLE_INPUT] != '\0';
}
