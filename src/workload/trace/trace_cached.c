/* trace_cached.c -- Keeps the rows of a trace in memory and hands them out
 * again. */
#include "workload/trace/trace_cached.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "workload/trace/trace_reader_private.h"

/* A row, and the places in `data` of the memory that it points to. */
struct cached_row {
	struct trace_row row;
	size_t name, block, block_tokens, item, after; /* SIZE_MAX: none */
	uint64_t n_failed; /* failed rows dropped before this one */
};
struct trace_cached {
	char *path;
	const struct trace_format *format;
	struct trace_options option;
	/* trace_has_times() before the first row and at the end */
	int times_at_first, times;
	struct cached_row *row;
	size_t n, cap;
	unsigned char *data;
	size_t n_data, cap_data;
	uint64_t n_failed, line; /* at the end */
	char remark[TRACE_REMARK];
	struct problem fault;
	uint64_t hash;
	int is_too_big;
	int is_record;
	struct workload_reset *reset;
	size_t n_resets;
};

/* ---- reading ---- */

/* Copies n bytes and sets *at to their place.  Returns 0, or -1 if memory is
 * out. */
static int add_data(struct trace_cached *k, const void *from, size_t n,
		    size_t *at)
{
	*at = SIZE_MAX;
	if (!from)
		return 0;
	size_t here = (k->n_data + 7) / 8 * 8;
	if (here + n > k->cap_data) {
		size_t cap = 2 * (here + n) + 4096;
		unsigned char *more = realloc(k->data, cap);
		if (!more)
			return -1;
		k->data = more;
		k->cap_data = cap;
	}
	memcpy(k->data + here, from, n);
	k->n_data = here + n;
	*at = here;
	return 0;
}

static int add_row(struct trace_cached *k, const struct trace *t,
		   const struct trace_row *row)
{
	if (!MAKE_ROOM(k->row, k->n, k->cap))
		return -1;
	struct cached_row *to = &k->row[k->n];
	const char *name = row->request.name;
	*to = (struct cached_row){.row = *row, .n_failed = t->n_failed};
	to->row.offset = k->n;
	if (add_data(k, name, name ? strlen(name) + 1 : 0, &to->name) < 0 ||
	    add_data(k, row->n_blocks ? row->block : NULL,
		     row->n_blocks * sizeof *row->block, &to->block) < 0 ||
	    add_data(k, row->n_blocks ? row->block_tokens : NULL,
		     row->n_blocks * sizeof *row->block_tokens,
		     &to->block_tokens) < 0 ||
	    add_data(k, row->request.n_items ? row->request.item : NULL,
		     row->request.n_items * sizeof *row->request.item,
		     &to->item) < 0 ||
	    add_data(k, row->n_after ? row->after : NULL,
		     row->n_after * sizeof *row->after, &to->after) < 0)
		return -1;
	k->n++;
	return 0;
}

static uint64_t hash_of(const struct trace_row *row)
{
	const char *name = row->request.name;
	const uint64_t part[] = {
	    (uint64_t)row->time_ns,
	    row->prefix_tokens,
	    row->prefix_group,
	    (uint64_t)row->grows,
	    name ? trace_text_id(name, strlen(name)) : 0,
	    row->own_block_tokens,
	    row->id,
	    (uint64_t)row->delay_ns,
	};
	uint64_t h = request_hash(&row->request, 0);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		h = hash_mix(h ^ part[i]) + i;
	for (uint32_t i = 0; i < row->n_blocks; i++)
		h = hash_mix(h ^ row->block[i]) +
		    (row->block_tokens ? row->block_tokens[i] : 0);
	for (uint32_t i = 0; i < row->n_after; i++)
		h = hash_mix(h ^ row->after[i]) + 1;
	return h;
}

/* Hashes what the file says besides its rows. */
static uint64_t hash_rest(const struct trace_cached *k)
{
	uint64_t h = trace_text_id(k->remark, strlen(k->remark));
	h = hash_mix(h ^ k->n_failed) + (uint64_t)k->times;
	h = hash_mix(h) + (uint64_t)k->is_record;
	for (size_t i = 0; i < k->n_resets; i++) {
		h = hash_mix(h ^ (uint64_t)k->reset[i].ns);
		h = hash_mix(h ^ k->reset[i].replica) + 1;
	}
	return h;
}

static void forget_rows(struct trace_cached *k)
{
	free(k->row), free(k->data);
	k->row = NULL;
	k->data = NULL;
	k->n = k->cap = k->n_data = k->cap_data = 0;
}

size_t trace_cached_bytes(const struct trace_cached *k)
{
	return k->n * sizeof *k->row + k->n_data;
}

static int read_rows(struct trace_cached *k, struct trace *t, size_t most_bytes)
{
	struct trace_row row;
	int got;
	while ((got = trace_next(t, &row, &k->fault)) == 1) {
		k->hash = hash_mix(k->hash ^ hash_of(&row)) + 1;
		if (!k->is_too_big && add_row(k, t, &row) < 0)
			return -1;
		if (trace_cached_bytes(k) > most_bytes) {
			k->is_too_big = 1;
			forget_rows(k);
		}
	}
	if (got < 0)
		k->hash =
		    hash_mix(k->hash ^ trace_text_id(k->fault.text,
						     strlen(k->fault.text)));
	return 0;
}

struct trace_cached *trace_keep(struct trace *t, size_t most_bytes,
				struct problem *p)
{
	struct trace_cached *k = calloc(1, sizeof *k);
	if (!k || !(k->path = strdup(t->path))) {
		free(k);
		problem_no_memory(p);
		return NULL;
	}
	k->format = t->format;
	k->option = t->option;
	k->option.input = k->option.output = NULL; /* they belong to t */
	k->times_at_first = t->has_times;
	if (read_rows(k, t, most_bytes) < 0) {
		trace_cached_free(k);
		problem_no_memory(p);
		return NULL;
	}
	k->times = t->has_times;
	k->is_record = t->is_record;
	k->reset = t->reset; /* moves here */
	k->n_resets = t->n_resets;
	t->reset = NULL;
	t->n_resets = 0;
	k->n_failed = t->n_failed;
	k->line = t->lines.line;
	const char *note = trace_note(t);
	snprintf(k->remark, sizeof k->remark, "%s", note ? note : "");
	k->hash = hash_mix(k->hash ^ hash_rest(k));
	return k;
}

void trace_cached_free(struct trace_cached *k)
{
	forget_rows(k);
	free(k->reset);
	free(k->path), free(k);
}

uint64_t trace_cached_hash(const struct trace_cached *k)
{
	return k->hash;
}

/* ---- handing out ---- */

static const void *data_at(const struct trace_cached *k, size_t at)
{
	return at == SIZE_MAX ? NULL : k->data + at;
}

/* Returns the next row from memory instead of the file. */
static int next(struct trace *t, struct trace_row *row, struct problem *p)
{
	const struct trace_cached *k = t->kept;
	t->has_times = k->times;
	strcpy(t->remark, k->remark);
	t->lines.line = k->line;
	if (t->item >= k->n) {
		t->n_failed = k->n_failed;
		return k->fault.code == EXIT_DONE
			   ? 0
			   : problem_set(p, k->fault.code, "%s", k->fault.text);
	}
	const struct cached_row *from = &k->row[t->item++];
	*row = from->row;
	row->request.name = data_at(k, from->name);
	row->request.item = data_at(k, from->item);
	row->block = data_at(k, from->block);
	row->block_tokens = data_at(k, from->block_tokens);
	row->after = data_at(k, from->after);
	t->n_failed = from->n_failed;
	return 1;
}

struct trace *trace_of_cached(const struct trace_cached *k)
{
	struct trace *t = calloc(1, sizeof *t);
	if (!t || !(t->path = strdup(k->path))) {
		free(t);
		return NULL;
	}
	t->format = k->format;
	t->option = k->option;
	t->has_times = k->times_at_first;
	t->next_cached = next;
	t->is_record = k->is_record;
	t->reset = k->reset; /* owned by k */
	t->n_resets = k->n_resets;
	t->kept = k;
	return t;
}
