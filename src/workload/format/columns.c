/* columns.c -- A CSV file of any make, by the columns that [workload] columns
 * names.  Notes say which unit of time was guessed, and doubt times and lengths
 * that are not plausible. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "workload/trace/trace_date.h"
#include "workload/trace/trace_formats.h"

/* The names in the file are those of the options, in this order. */
static const struct trace_column column[] = {
    [ROLE_TIME] = {"time", 0},
    [ROLE_INPUT] = {"input", 1},
    [ROLE_OUTPUT] = {"output", 1},
    [N_ROLES] = {NULL, 0},
};
/* More requests per second than any service gets; fewer than are worth a
 * simulation. */
static const double most_per_s = 100000, least_per_s = 0.02;

struct state {
	/* of the first rows, to guess the unit: */
	struct trace_times sample;
	int is_guessed;
	/* of all rows; rows before `until` were counted already: */
	uint64_t until, n, equal[N_ROLES];
	int64_t min_ns, max_ns;
	char note[TRACE_REMARK];
};

static struct state *state(struct trace *t)
{
	void **s = trace_state(t);
	if (!*s)
		*s = calloc(1, sizeof(struct state));
	return *s;
}

static const char *name_of(struct trace *t, enum trace_role role)
{
	return trace_options(t)->columns.name[role];
}

/* Returns the number with a decimal point: where a semicolon separates cells,
 * programs write a decimal comma.  buf may become its text. */
static struct span with_point(struct trace *t, struct span s, char buf[64])
{
	char *comma;
	if (trace_separator(t) != ';' || s.n >= 64 || memchr(s.s, '.', s.n) ||
	    !memchr(s.s, ',', s.n))
		return s;
	memcpy(buf, s.s, s.n);
	buf[s.n] = '\0';
	comma = memchr(buf, ',', s.n);
	*comma = '.';
	return (struct span){buf, s.n};
}

/* ---- the unit ---- */

/* Estimates the unit of the time column from its name and the first rows. */
static const char *sample(struct trace *t, const struct span *cell)
{
	char buf[64];
	double time;
	int64_t ns;
	struct state *s = state(t);
	if (!s)
		return out_of_memory;
	trace_set_times(t, trace_has_column(t, ROLE_TIME));
	if (!trace_has_column(t, ROLE_TIME) ||
	    (trace_options(t)->columns.unit && !s->is_guessed))
		return NULL;
	s->is_guessed = 1;
	if (trace_date_ns(cell[ROLE_TIME].s, &ns)) {
		trace_set_unit(t, UNIT_DATE);
		return NULL;
	}
	const char *text = with_point(t, cell[ROLE_TIME], buf).s;
	if (!*number_parse(text, &time) && time >= 0 && time < 1e19)
		trace_times_add(&s->sample, time);
	trace_set_unit(t,
		       trace_unit_estimate(name_of(t, ROLE_TIME), &s->sample));
	return NULL;
}

/* ---- rows ---- */

/* Returns 1 for digits with two or more signs as in 02.11.2026 or 9:00:00. */
static int is_like_date(const char *s)
{
	int signs = *s == '-' ? -1 : 0;
	for (; *s >= '-' && *s <= ':'; s++) /* digits and - . / : */
		signs += *s < '0' || *s > '9';
	return signs >= 2;
}

static const char *no_date(struct trace *t, struct span cell)
{
	return trace_say(t,
			 "%s = %.60s: not a date as in 2023-11-16 18:15:46.68: "
			 "write year-month-day, and the time of day",
			 name_of(t, ROLE_TIME), cell.s);
}

static const char *take_time(struct trace *t, struct span cell, int64_t *ns)
{
	char buf[64];
	enum trace_unit unit = trace_options(t)->columns.unit;
	if (unit == UNIT_DATE)
		return trace_date_ns(cell.s, ns) ? NULL : no_date(t, cell);
	const char *why =
	    trace_time(t, with_point(t, cell, buf), name_of(t, ROLE_TIME),
		       trace_unit_power(unit), ns);
	return why && is_like_date(cell.s) ? no_date(t, cell) : why;
}

/* Counts a row, unless it was read before. */
static void count(struct trace *t, struct state *s, const struct trace_row *row)
{
	static const int64_t unit_ns[] = {[UNIT_S] = 1000000000,
					  [UNIT_MS] = 1000000,
					  [UNIT_US] = 1000,
					  [UNIT_NS] = 1,
					  [UNIT_DATE] = 0};
	int64_t unit = unit_ns[trace_options(t)->columns.unit];
	if (row->offset < s->until)
		return;
	s->until = row->offset + 1;
	if (!s->n || row->time_ns < s->min_ns)
		s->min_ns = row->time_ns;
	if (!s->n || row->time_ns > s->max_ns)
		s->max_ns = row->time_ns;
	s->n++;
	s->equal[ROLE_INPUT] += unit && row->time_ns % unit == 0 &&
				row->time_ns / unit == row->input_tokens;
	s->equal[ROLE_OUTPUT] += unit && row->time_ns % unit == 0 &&
				 row->time_ns / unit == row->output_tokens;
}

static const char *on_row(struct trace *t, const struct span *cell,
			  struct trace_row *row)
{
	struct state *s = state(t);
	const char *why = s ? NULL : out_of_memory;
	int is_timed = trace_has_column(t, ROLE_TIME);
	if (!why && is_timed)
		why = take_time(t, cell[ROLE_TIME], &row->time_ns);
	if (!why)
		why = trace_whole(t, cell[ROLE_INPUT], name_of(t, ROLE_INPUT),
				  &row->input_tokens);
	if (!why)
		why = trace_whole(t, cell[ROLE_OUTPUT], name_of(t, ROLE_OUTPUT),
				  &row->output_tokens);
	if (!why && is_timed)
		count(t, s, row);
	return why;
}

/* ---- notes ---- */

/* The text of a note, to which sentences are added; cut at the end of its
 * room. */
struct text {
	char *s;
	size_t n, cap;
};

static void add(struct text *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void add(struct text *x, const char *fmt, ...)
{
	va_list ap;
	if (x->n)
		x->n += (size_t)snprintf(x->s + x->n, x->cap - x->n, "; ");
	if (x->n < x->cap) {
		va_start(ap, fmt);
		x->n += (size_t)vsnprintf(x->s + x->n, x->cap - x->n, fmt, ap);
		va_end(ap);
	}
	if (x->n >= x->cap)
		x->n = x->cap - 1;
}

static void doubt_rate(struct text *x, const struct state *s,
		       const struct trace_columns *c)
{
	enum trace_unit unit = c->unit;
	double span_ns = (double)((uint64_t)s->max_ns - (uint64_t)s->min_ns);
	double per_s = (double)(s->n - 1) / span_ns * 1e9, unit_ns = 1;
	for (int i = trace_unit_power(unit); i > 0; i--)
		unit_ns *= 10;
	if (s->n < 2 || (per_s >= least_per_s && per_s <= most_per_s))
		return;
	if (span_ns == 0) {
		add(x, "all %llu requests have the same time",
		    (unsigned long long)s->n);
		return;
	}
	struct trace_times raw = {s->n, (double)s->min_ns / unit_ns,
				  (double)s->max_ns / unit_ns, 0};
	enum trace_unit likely = trace_unit_estimate("", &raw);
	const char *how =
	    per_s > most_per_s ? "more than a service gets" : "very few";
	if (unit != UNIT_DATE && likely != unit)
		add(x,
		    "%.3g requests/s is %s: the time is probably in %s, not in "
		    "%s",
		    per_s, how, trace_unit_name(likely), trace_unit_name(unit));
	else if (per_s > most_per_s)
		add(x, "%.3g requests/s is %s: is '%s' the right column?",
		    per_s, how, c->name[ROLE_TIME]);
}

/* The name of a column may tell its unit. */
static void doubt_unit(struct text *x, const struct trace_columns *c)
{
	enum trace_unit named = trace_unit_of_column(c->name[ROLE_TIME]);
	if (named && c->unit != UNIT_DATE && named != c->unit)
		add(x,
		    "the name of column '%s' says %s, and @%s was asked for: "
		    "is that right?",
		    c->name[ROLE_TIME], trace_unit_name(named),
		    trace_unit_name(c->unit));
}

/* Returns doubts about the units of columns, or NULL. */
static const char *note(const struct trace *t, void *own)
{
	struct state *s = own;
	const struct trace_columns *c = &trace_options(t)->columns;
	struct text x = {NULL, 0, 0};
	if (!s || !trace_has_column(t, ROLE_TIME))
		return NULL;
	x = (struct text){s->note, 0, sizeof s->note};
	*s->note = '\0';
	if (s->is_guessed)
		add(&x,
		    "the unit of column '%s' is guessed: %s; write "
		    "time:%s@%s, or another of s, ms, us, ns and date",
		    c->name[ROLE_TIME], trace_unit_name(c->unit),
		    c->name[ROLE_TIME], trace_unit_name(c->unit));
	else
		doubt_unit(&x, c);
	doubt_rate(&x, s, c);
	for (int i = ROLE_INPUT; i <= ROLE_OUTPUT; i++)
		if (s->n > 1 && s->equal[i] == s->n)
			add(&x,
			    "the %s tokens equal the time in %s in all %llu "
			    "rows: is '%s' a time in %s?",
			    trace_role_names[i], trace_unit_name(c->unit),
			    (unsigned long long)s->n, c->name[i],
			    trace_unit_name(c->unit));
	return x.n ? s->note : NULL;
}

static void unload(struct trace *t)
{
	free(*trace_state(t));
}

const struct trace_format trace_columns = {.name = "columns",
					   .shape = TRACE_CSV,
					   .has_times = 1,
					   .failed_rows = 1,
					   .column = column,
					   .takes_columns = 1,
					   .sample = sample,
					   .row = on_row,
					   .note = note,
					   .unload = unload};
