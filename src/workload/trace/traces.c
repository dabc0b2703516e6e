/* traces.c -- Keeps traces by their path and the way they are read. */
#include "workload/trace/traces.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct traces_item {
	char *id;
	int takes_lengths; /* 1: rows depend on the lengths of [workload] */
	struct trace_cached *kept;
};

/* Returns everything besides the file that the rows depend on; the caller frees
 * it.  NULL: memory is out. */
static char *id_of(const struct workload_keys *k, const char *path,
		   int takes_lengths)
{
	char *id;
	int n =
	    asprintf(&id, "%s\n%s\n%lld %lld %lld %a %lld %a\n%lld\n%s\n%s",
		     path, k->columns, (long long)k->format,
		     (long long)k->hash_block_tokens, (long long)k->failed,
		     k->chars_per_token, (long long)k->timing_strategy,
		     k->api_time_scale, takes_lengths ? (long long)k->seed : 0,
		     takes_lengths ? k->input_tokens : "",
		     takes_lengths ? k->output_tokens : "");
	return n < 0 ? NULL : id;
}

const struct trace_cached *traces_find(const struct traces *s,
				       const struct workload_keys *k,
				       const char *path)
{
	const struct trace_cached *found = NULL;
	for (size_t i = 0; i < s->n && !found; i++) {
		char *id = id_of(k, path, s->item[i].takes_lengths);
		if (id && !strcmp(id, s->item[i].id))
			found = s->item[i].kept;
		free(id);
	}
	return found;
}

const struct trace_cached *traces_add(struct traces *s,
				      const struct workload_keys *k,
				      const char *path, struct trace *t,
				      struct problem *p)
{
	struct traces_item *more =
	    realloc(s->item, (s->n + 1) * sizeof *s->item);
	if (!more) {
		problem_no_memory(p);
		return NULL;
	}
	s->item = more;
	struct traces_item *item = &s->item[s->n];
	item->takes_lengths = trace_takes_lengths(t);
	item->id = id_of(k, path, item->takes_lengths);
	item->kept =
	    item->id ? trace_keep(t, TRACES_MOST_BYTES - s->bytes, p) : NULL;
	if (!item->kept) {
		free(item->id);
		problem_no_memory(p);
		return NULL;
	}
	s->bytes += trace_cached_bytes(item->kept);
	s->n++;
	return item->kept;
}

void traces_free(struct traces *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->item[i].id);
		trace_cached_free(s->item[i].kept);
	}
	free(s->item);
	*s = (struct traces){0};
}
