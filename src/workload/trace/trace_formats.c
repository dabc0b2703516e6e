/* trace_formats.c -- Lists the formats, and detects the format of a file. */
#include "workload/trace/trace_formats.h"
#include <string.h>
#include "base/decimal.h"
#include "base/file/filetype.h"

const struct trace_format *const trace_format[] = {
#define FORMAT(name, reader) &trace_##reader,
#define VARIANT(reader) &trace_##reader,
#include "workload/format/list.inc"
#undef FORMAT
#undef VARIANT
    NULL,
};

const char *const trace_format_names[] = {
    "auto",
#define FORMAT(name, reader) #name,
#define VARIANT(reader)
#include "workload/format/list.inc"
#undef FORMAT
#undef VARIANT
    NULL,
};

/* A file, and the formats that are allowed. */
struct look {
	const char *name; /* "auto", or the name of the only one allowed */
	const char *head, *end, *line_end;
	char separator;
	const char **why;
};

static int is_allowed(const struct look *l, const struct trace_format *f)
{
	return !strcmp(l->name, "auto") || !strcmp(l->name, f->name);
}

/* ---- CSV ---- */

static unsigned columns_missing(const struct trace_column *column)
{
	unsigned mask = 0;
	for (int i = 0; column[i].name; i++)
		mask |= column[i].required == 1 ? 1u << i : 0;
	return mask;
}

static unsigned column_bit(const struct trace_column *column, struct span name)
{
	for (int i = 0; column[i].name; i++)
		if (span_is(name, column[i].name))
			return 1u << i;
	return 0;
}

char trace_separator_of(const char *head, size_t n)
{
	static const char separator[] = ",;\t";
	size_t count[3] = {0}, best = 0;
	int is_quoted = 0, has_text = 0;
	for (size_t i = 0; i < n && !(has_text && head[i] == '\n'); i++) {
		const char *at = head[i] ? strchr(separator, head[i]) : NULL;
		is_quoted ^= head[i] == '"';
		has_text |= head[i] > ' ';
		if (at && !is_quoted && ++count[at - separator] > count[best])
			best = (size_t)(at - separator);
	}
	return separator[best];
}

static struct span next_cell(const char **s, const char *end, char separator)
{
	const char *from = *s;
	const char *comma = memchr(from, separator, (size_t)(end - from));
	const char *to = comma ? comma : end;
	*s = comma ? comma + 1 : end + 1;
	while (from < to && (*from == ' ' || *from == '"'))
		from++;
	while (to > from && (to[-1] == ' ' || to[-1] == '"' || to[-1] == '\r'))
		to--;
	return (struct span){from, (size_t)(to - from)};
}

static int has_header(const struct look *l, const struct trace_format *f)
{
	unsigned missing = columns_missing(f->column);
	for (const char *s = l->head; s <= l->line_end;)
		missing &= ~column_bit(
		    f->column, next_cell(&s, l->line_end, l->separator));
	return !missing;
}

/* ServeGen's windows have no header: a line has six cells, and the first is a
 * number. */
static int is_windows(const struct look *l)
{
	const char *s = l->head;
	int64_t number;
	struct span first = next_cell(&s, l->line_end, l->separator);
	int n = 1;
	for (; s <= l->line_end; n++)
		next_cell(&s, l->line_end, l->separator);
	return n == 6 && decimal_scaled(first.s, first.n, 0, &number) == 0;
}

static const struct trace_format *by_header(const struct look *l)
{
	for (int i = 0; trace_format[i]; i++) {
		const struct trace_format *f = trace_format[i];
		if (f->shape == TRACE_CSV && is_allowed(l, f) &&
		    has_header(l, f))
			return f;
	}
	if (is_windows(l) && is_allowed(l, &trace_servegen))
		return &trace_servegen;
	if (is_allowed(l, &trace_columns))
		return &trace_columns; /* it says what it needs */
	*l->why = "its columns are not those of a known format; stepcost's are "
		  "arrival_us,input_tokens,output_tokens";
	return NULL;
}

/* ---- JSON lines ---- */

static int has_keys(const struct look *l, const struct trace_format *f)
{
	unsigned missing = columns_missing(f->column);
	struct json_cursor j;
	struct span key;
	jc_begin(&j, l->head, (size_t)(l->line_end - l->head));
	jc_enter(&j, '{');
	while (jc_key(&j, &key)) {
		missing &= ~column_bit(f->column, key);
		if (f->is_note && span_is(key, "stepcost_trace"))
			return 1; /* the first line of a record */
		jc_skip(&j);
	}
	return !missing;
}

/* Mooncake, Qwen and RAGPulse share key names, but not units.  These are counts
 * over the rows, to distinguish them. */
struct evidence {
	int rows, chats, objects, lists;
	int turns; /* rows that come after the one before of their session */
	int fit_512, fit_16; /* there are as many hash ids as blocks */
};

static int fits(int64_t tokens, int64_t ids, int64_t size)
{
	return ids == (tokens + size - 1) / size;
}

/* Looks in a row for signs of the formats that share these keys. */
static void weigh(struct evidence *e, const char *s, size_t n)
{
	struct json_cursor j;
	struct span key, number;
	int64_t tokens = -1, ids = -1;
	int chats = 0, objects = 0, has_time = 0, delays = 0;
	jc_begin(&j, s, n);
	jc_enter(&j, '{');
	while (jc_key(&j, &key)) {
		if (span_is(key, "input_length") && jc_peek(&j) == '0') {
			if (jc_number(&j, &number))
				decimal_whole(number.s, number.n, &tokens);
		} else if (span_is(key, "hash_ids") && jc_peek(&j) == '[') {
			jc_enter(&j, '[');
			for (ids = 0; jc_element(&j); ids++)
				jc_skip(&j);
		} else {
			chats |= span_is(key, "chat_id");
			has_time |= span_is(key, "timestamp");
			delays |= span_is(key, "delay");
			objects |=
			    span_is(key, "hash_ids") && jc_peek(&j) == '{';
			jc_skip(&j);
		}
	}
	if (j.why) /* the last line may be incomplete here */
		return;
	e->rows++;
	e->chats += chats;
	e->objects += objects;
	e->turns += delays || !has_time;
	if (ids <= 0)
		return;
	e->lists++;
	e->fit_512 += fits(tokens, ids, 512);
	e->fit_16 += fits(tokens, ids, 16) || ids == tokens / 16;
}

static const struct trace_format *by_evidence(const struct look *l)
{
	struct evidence e = {0};
	const char *s = l->head;
	for (const char *to; s < l->end; s = to + 1) {
		to = memchr(s, '\n', (size_t)(l->end - s));
		if (!to)
			to = l->end;
		weigh(&e, s, (size_t)(to - s));
	}
	int is_512 = e.lists && e.fit_512 == e.lists;
	int is_16 = e.lists && e.fit_16 == e.lists;
	if (e.turns && !e.chats && !e.objects)
		return &trace_mooncake_turns;
	if (strcmp(l->name, "auto") != 0)
		return &trace_mooncake;
	if (e.objects && e.objects == e.rows)
		return &trace_ragpulse;
	if (is_512 && !is_16 && !e.chats)
		return &trace_mooncake;
	if (is_16 && !is_512 && e.chats == e.rows)
		return &trace_qwen;
	*l->why = "it could be Mooncake's (ms, hash ids of 512 tokens) or "
		  "Qwen's (s, 16 tokens), and its hash_ids fit both, or "
		  "GuideLLM's (s): give format = mooncake, qwen or guidellm";
	return NULL;
}

static const struct trace_format *by_keys(const struct look *l)
{
	for (int i = 0; trace_format[i]; i++) {
		const struct trace_format *f = trace_format[i];
		if (f->shape != TRACE_JSON_LINES || !is_allowed(l, f) ||
		    !has_keys(l, f))
			continue;
		return f == &trace_mooncake ? by_evidence(l) : f;
	}
	return NULL;
}

/* ---- documents ---- */

static int holds(const struct look *l, const char *text)
{
	return memmem(l->head, (size_t)(l->end - l->head), text,
		      strlen(text)) != NULL;
}

static const struct trace_format *by_content(const struct look *l)
{
	for (int i = 0; trace_format[i]; i++) {
		const struct trace_format *f = trace_format[i];
		for (int k = 0; f->mark[k] && is_allowed(l, f); k++)
			if (holds(l, f->mark[k]))
				return f;
	}
	*l->why = "it is JSON, or an INI, and no known record of requests: "
		  "those are CSV, JSON lines, or results of benchmark "
		  "programs; stepcost help workload.format lists them";
	return NULL;
}

/* ---- any file ---- */

/* Returns the format that the name leaves no choice of: the only one with that
 * name, or of a CSV and a JSON lines format the one that the first byte fits.
 * NULL: there is a choice. */
static const struct trace_format *only_one(const struct look *l)
{
	const struct trace_format *of[2] = {NULL, NULL};
	int n = 0;
	for (int i = 0; trace_format[i]; i++)
		if (is_allowed(l, trace_format[i]) && ++n <= 2)
			of[n - 1] = trace_format[i];
	if (n == 2 && of[0] == &trace_mooncake && *l->head != '{')
		return of[0];
	if (n != 2 || of[0]->shape != TRACE_CSV)
		return n == 1 ? of[0] : NULL;
	return of[*l->head == '{'];
}

const struct trace_format *trace_detect(const char *name, const char *head,
					size_t n, const char **why)
{
	const struct trace_format *f = NULL;
	struct look l = {
	    name, head, head + n, NULL, trace_separator_of(head, n), why};
	while (l.head < l.end && (*l.head == ' ' || *l.head == '\t' ||
				  *l.head == '\r' || *l.head == '\n'))
		l.head++;
	l.line_end = memchr(l.head, '\n', (size_t)(l.end - l.head));
	if (!l.line_end)
		l.line_end = l.end;
	if (l.head == l.end)
		*why = FILETYPE_EMPTY;
	else if ((f = only_one(&l)))
		return f;
	else if (*l.head == '{')
		f = by_keys(&l);
	else if (*l.head != '[')
		return by_header(&l);
	return f || *why ? f : by_content(&l);
}
