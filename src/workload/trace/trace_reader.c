/* trace_reader.c -- Reads messages, numbers, times and lists of blocks for all
 * formats. */
#include "workload/trace/trace_reader.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "base/decimal.h"
#include "base/grow.h"
#include "base/hash.h"
#include "workload/trace/trace_reader_private.h"

const char *trace_say(struct trace *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(t->said, sizeof t->said, fmt, ap);
	va_end(ap);
	return t->said;
}

void trace_remark(struct trace *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (!t->remark[0])
		vsnprintf(t->remark, sizeof t->remark, fmt, ap);
	va_end(ap);
}

int trace_read_fault(struct trace *t)
{
	t->why = errno == ENOMEM  ? out_of_memory
		 : errno == EFBIG ? trace_say(t, "a line of more than %d MiB",
					      LINES_LONGEST_MIB)
				  : strerror(errno);
	return -1;
}

int trace_column_of(const struct trace_format *f, const char *name, size_t n)
{
	for (int i = 0; f->column[i].name; i++)
		if (span_is((struct span){name, n}, f->column[i].name))
			return i;
	return -1;
}

const char *trace_path(const struct trace *t)
{
	return t->path;
}

uint32_t trace_block_tokens(const struct trace *t)
{
	return t->format->block_tokens && t->option.block_tokens
		   ? t->option.block_tokens
		   : t->format->block_tokens;
}

const struct trace_options *trace_options(const struct trace *t)
{
	return &t->option;
}

void **trace_state(struct trace *t)
{
	return &t->state;
}

static int shown(struct span s)
{
	return s.n < 60 ? (int)s.n : 60;
}

const char *trace_whole(struct trace *t, struct span s, const char *what,
			int64_t *out)
{
	if (decimal_whole(s.s, s.n, out) == 0)
		return NULL;
	if (s.n == 0)
		return trace_say(t, "%s is empty", what);
	return trace_say(t, "%s = %.*s: not a whole number of at least 0", what,
			 shown(s), s.s);
}

const char *trace_priority(struct trace *t, struct span s, int32_t *out)
{
	int is_below = s.n > 0 && *s.s == '-';
	int64_t n;
	if (decimal_whole(s.s + is_below, s.n - (size_t)is_below, &n) < 0 ||
	    n > (int64_t)INT32_MAX + is_below)
		return trace_say(t, "priority = %.*s: not a whole number",
				 shown(s), s.s);
	*out = (int32_t)(is_below ? -n : n);
	return NULL;
}

const char *trace_time(struct trace *t, struct span s, const char *what,
		       int power, int64_t *out)
{
	if (decimal_scaled(s.s, s.n, power, out) == 0 && *out >= 0)
		return NULL;
	return trace_say(t, "%s = %.*s: not a time of at least 0", what,
			 shown(s), s.s);
}

const char *trace_add_block(struct trace *t, struct trace_row *row, uint64_t id)
{
	if (!MAKE_ROOM(t->block, row->n_blocks, t->block_cap))
		return out_of_memory;
	t->block[row->n_blocks++] = id;
	row->block = t->block;
	return NULL;
}

/* Appends an item to the request. */
static const char *append_item(struct trace *t, struct trace_row *row,
			       struct mm_item item)
{
	struct request *r = &row->request;
	if (!MAKE_ROOM(t->mm_item, r->n_items, t->mm_item_cap))
		return out_of_memory;
	t->mm_item[r->n_items++] = item;
	r->item = t->mm_item;
	return NULL;
}

/* Reads the whole number at the beginning of *text, up to a colon.  Returns 0,
 * or -1. */
static int number(struct span *text, int64_t *out)
{
	const char *colon = memchr(text->s, ':', text->n);
	if (!colon ||
	    decimal_whole(text->s, (size_t)(colon - text->s), out) < 0)
		return -1;
	text->n -= (size_t)(colon + 1 - text->s);
	text->s = colon + 1;
	return 0;
}

/* Adds one item of the cell, "offset:length:name".  *end: where the one before
 * it ends. */
static const char *add_item(struct trace *t, struct span text,
			    struct trace_row *row, int64_t *end)
{
	int64_t offset, length;
	struct span rest = text;
	const char *why = NULL;
	if (number(&rest, &offset) < 0 || number(&rest, &length) < 0 ||
	    rest.n == 0)
		why = "not offset:length:name";
	else if (length == 0)
		why = "no tokens";
	else if (offset < *end)
		why = "begins before the end of the item before it";
	else if (offset > INT32_MAX || length > INT32_MAX ||
		 (row->input_tokens && offset + length > row->input_tokens))
		why = "reaches beyond the prompt";
	if (why)
		return trace_say(t, "mm_items: %.*s: %s", shown(text), text.s,
				 why);
	*end = offset + length;
	return append_item(
	    t, row,
	    (struct mm_item){.name = trace_text_id(rest.s, rest.n),
			     .offset = (uint32_t)offset,
			     .length = (uint32_t)length});
}

const char *trace_items(struct trace *t, struct span cell,
			struct trace_row *row)
{
	int64_t end = 0;
	const char *why = NULL, *at = cell.s;
	if (!cell.n)
		return NULL;
	const char *stop = at + cell.n;
	while (!why && at <= stop) {
		const char *next = memchr(at, ';', (size_t)(stop - at));
		if (!next)
			next = stop;
		why = add_item(t, (struct span){at, (size_t)(next - at)}, row,
			       &end);
		at = next + 1;
	}
	return why;
}

const char *trace_check_items(struct trace *t, const struct trace_row *row)
{
	for (uint32_t i = 0; i < row->request.n_items; i++) {
		const struct mm_item *x = &row->request.item[i];
		if ((int64_t)x->offset + x->length > row->input_tokens)
			return trace_say(t,
					 "mm_items: %u:%u: reaches beyond the "
					 "prompt",
					 x->offset, x->length);
	}
	return NULL;
}

/* An id beyond int64 is identified by its digits. */
static uint64_t block_id(struct span s)
{
	int64_t v;
	return decimal_whole(s.s, s.n, &v) == 0 ? (uint64_t)v
						: trace_text_id(s.s, s.n);
}

const char *trace_blocks(struct trace *t, struct json_cursor *j,
			 struct trace_row *row)
{
	struct span s;
	const char *why = NULL;
	jc_enter(j, '[');
	while (!why && jc_element(j)) {
		if (jc_peek(j) == '"' ? !jc_string(j, &s) : !jc_number(j, &s))
			return j->why;
		why = trace_add_block(t, row, block_id(s));
	}
	return why ? why : j->why;
}

uint64_t trace_text_id(const char *s, size_t n)
{
	uint64_t h = hash_mix(hash_on(HASH_BEGIN, s, n) ^ n);
	return h + !h;
}

const char *trace_check_blocks(struct trace *t, const struct trace_row *row)
{
	int64_t size = trace_block_tokens(t);
	int64_t want = (row->input_tokens + size - 1) / size;
	if (row->n_blocks == 0 || row->n_blocks == want)
		return NULL;
	return trace_say(t,
			 "%u hash_ids, but %lld tokens are %lld blocks of %lld",
			 row->n_blocks, (long long)row->input_tokens,
			 (long long)want, (long long)size);
}

int trace_json_text(struct trace *t, struct json_cursor *j, struct span *text)
{
	if (!jc_string(j, text))
		return 0;
	if (!memchr(text->s, '\\', text->n))
		return 1;
	while (t->text_cap < text->n)
		if (!MAKE_ROOM(t->text, t->text_cap, t->text_cap)) {
			j->why = out_of_memory;
			return 0;
		}
	*text = (struct span){t->text, jc_decode(*text, t->text)};
	return 1;
}

const char *trace_json_whole(struct trace *t, struct json_cursor *j,
			     const char *what, int64_t *out)
{
	struct span s;
	return jc_number(j, &s) ? trace_whole(t, s, what, out) : j->why;
}

const char *trace_json_prompt(struct trace *t, struct json_cursor *j,
			      struct trace_row *row)
{
	struct span s;
	if (!jc_string(j, &s))
		return j->why;
	if (!row->input_tokens)
		row->input_tokens = trace_text_tokens(t, s);
	return NULL;
}

int64_t trace_text_tokens(struct trace *t, struct span text)
{
	int64_t chars = 0;
	for (size_t i = 0; i < text.n; i++, chars++) {
		if (text.s[i] == '\\') /* an escape is one character */
			i += text.s[i + 1] == 'u' ? 5 : 1;
		while (i + 1 < text.n &&
		       ((unsigned char)text.s[i + 1] & 0xc0) == 0x80)
			i++;
	}
	trace_remark(t,
		     "holds text: its lengths are estimated, %g characters a "
		     "token (chars_per_token)",
		     t->option.chars_per_token);
	return (int64_t)ceil((double)chars / t->option.chars_per_token);
}

void trace_set_times(struct trace *t, int has_times)
{
	t->has_times = has_times;
}

int trace_has_column(const struct trace *t, int i)
{
	return t->known[i].s != NULL;
}

char trace_separator(const struct trace *t)
{
	return t->separator;
}

void trace_set_unit(struct trace *t, enum trace_unit unit)
{
	t->option.columns.unit = unit;
}

const char *trace_cancel(struct trace *t, struct trace_row *row,
			 int64_t cancel_ns)
{
	int64_t wait_ns = cancel_ns - row->time_ns; /* both at least 0 */
	if (wait_ns < 0)
		return trace_say(t, "cancel_us is before arrival_us");
	row->request.cancel_ns = wait_ns ? wait_ns : 1;
	return NULL;
}

const char *trace_ends(struct trace *t, struct trace_row *row,
		       int64_t max_tokens, int64_t stop_tokens)
{
	if (max_tokens && (max_tokens < row->output_tokens ||
			   max_tokens > TRACE_MAX_TOKENS - row->input_tokens))
		return trace_say(
		    t, "max_tokens = %lld: at least output_tokens = %lld",
		    (long long)max_tokens, (long long)row->output_tokens);
	if (stop_tokens > row->output_tokens)
		return trace_say(
		    t, "stop_tokens = %lld: at most output_tokens = %lld",
		    (long long)stop_tokens, (long long)row->output_tokens);
	row->request.max_tokens = (uint32_t)max_tokens;
	row->request.stop_tokens = (uint32_t)stop_tokens;
	return NULL;
}
