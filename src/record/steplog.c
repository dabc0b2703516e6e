/* steplog.c -- Writes and reads the binary log of a run. */
#include "record/steplog.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Precedes the columns, which are in the order of struct columns. */
struct head {
	int64_t start_ns, end_ns, copy_wait_ns, adapter_wait_ns, encoder_ns;
	uint64_t step_index;
	uint32_t replica, flags, n_prefill, n_decode, n_sampled;
	uint32_t has_decode_new, n_parts;
	uint32_t dp_tokens, dp_max_tokens, reserved;
	sc_result result;
};

static size_t padded(size_t n_words)
{
	return (n_words + 1) / 2 * 2; /* ids need 8-byte alignment */
}

static size_t column_bytes(const struct head *h)
{
	size_t words = padded(h->n_decode) * (h->has_decode_new ? 2 : 1) +
		       3 * padded(h->n_prefill);
	return 4 * words +
	       8 * ((size_t)h->n_decode + h->n_prefill + h->n_parts);
}

static void put(FILE *f, const uint32_t *col, uint32_t n)
{
	static const uint32_t pad = 0;
	fwrite(col, sizeof *col, n, f);
	if (n % 2)
		fwrite(&pad, sizeof pad, 1, f);
}

size_t steplog_write_step(FILE *f, const struct step_event *e, uint32_t n_parts)
{
	const sc_step *s = e->step;
	struct head h = {.start_ns = e->start_ns,
			 .end_ns = e->end_ns,
			 .copy_wait_ns = e->copy_wait_ns,
			 .adapter_wait_ns = e->adapter_wait_ns,
			 .encoder_ns = e->encoder_ns,
			 .step_index = s->step_index,
			 .replica = s->replica,
			 .flags = s->flags,
			 .n_prefill = s->n_prefill,
			 .n_decode = s->n_decode,
			 .n_sampled = s->n_sampled,
			 .has_decode_new = s->decode_new != NULL,
			 .n_parts = e->result->part_us ? n_parts : 0,
			 .dp_tokens = s->dp_tokens,
			 .dp_max_tokens = s->dp_max_tokens,
			 .result = *e->result};
	fwrite(&h, sizeof h, 1, f);
	if (h.n_parts)
		fwrite(e->result->part_us, sizeof(double), h.n_parts, f);
	fwrite(s->decode_id, sizeof *s->decode_id, s->n_decode, f);
	fwrite(s->prefill_id, sizeof *s->prefill_id, s->n_prefill, f);
	put(f, s->decode_ctx, s->n_decode);
	if (s->decode_new)
		put(f, s->decode_new, s->n_decode);
	put(f, s->prefill_ctx, s->n_prefill);
	put(f, s->prefill_new, s->n_prefill);
	put(f, s->prefill_last, s->n_prefill);
	return sizeof h + column_bytes(&h);
}

void steplog_write_request(FILE *f, const struct request_event *e)
{
	struct logged_request r = {.request = e->request,
				   .seen_ns = e->seen_ns,
				   .transfer_from_ns = e->transfer_from_ns,
				   .transfer_to_ns = e->transfer_to_ns,
				   .load_from_ns = e->load_from_ns,
				   .load_to_ns = e->load_to_ns,
				   .first_token_ns = e->first_token_ns,
				   .last_token_ns = e->last_token_ns,
				   .ttft_ns = e->ttft_ns,
				   .tpot_ns = e->tpot_ns,
				   .e2el_ns = e->e2el_ns,
				   .n_visits = e->n_visits};
	memcpy(r.visit, e->visit, sizeof r.visit);
	r.request.name = NULL;
	fwrite(&r, sizeof r, 1, f);
}

double step_kv_tokens(const sc_step *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		sum += s->decode_ctx[i];
	for (uint32_t i = 0; i < s->n_prefill; i++)
		sum += (double)s->prefill_ctx[i] + s->prefill_new[i];
	return sum;
}

int steplog_map(struct steplog *l, FILE *stream, struct problem *p)
{
	*l = (struct steplog){0};
	if (fseek(stream, 0, SEEK_END) < 0)
		return problem_set(p, EXIT_USAGE, "a temporary file: %s",
				   strerror(errno));
	l->bytes = (size_t)ftell(stream);
	if (l->bytes == 0)
		return 0;
	l->map = mmap(NULL, l->bytes, PROT_READ, MAP_SHARED, fileno(stream), 0);
	if (l->map != MAP_FAILED)
		return 0;
	l->map = NULL;
	return problem_set(p, EXIT_USAGE, "mapping a temporary file: %s",
			   strerror(errno));
}

void steplog_unmap(struct steplog *l)
{
	if (l->map)
		munmap(l->map, l->bytes);
	*l = (struct steplog){0};
}

static const uint32_t *take(const char **at, uint32_t n)
{
	const uint32_t *col = (const uint32_t *)(const void *)*at;
	*at += 4 * padded(n);
	return col;
}

static double *take_parts(char **at, uint32_t n)
{
	double *parts = n ? (double *)(void *)*at : NULL;
	*at += 8 * (size_t)n;
	return parts;
}

static const uint64_t *take_ids(const char **at, uint32_t n)
{
	const uint64_t *col = (const uint64_t *)(const void *)*at;
	*at += 8 * (size_t)n;
	return col;
}

int steplog_next_step(const struct steplog *l, size_t *at,
		      struct logged_step *out)
{
	if (*at >= l->bytes)
		return 0;
	char *parts = (char *)l->map + *at;
	const struct head *h = (const struct head *)(const void *)parts;
	parts += sizeof *h;
	*at += sizeof *h + column_bytes(h);
	*out = (struct logged_step){.start_ns = h->start_ns,
				    .end_ns = h->end_ns,
				    .copy_wait_ns = h->copy_wait_ns,
				    .adapter_wait_ns = h->adapter_wait_ns,
				    .encoder_ns = h->encoder_ns,
				    .result = h->result};
	out->result.part_us = take_parts(&parts, h->n_parts);
	const char *col = parts;
	sc_step *s = &out->step;
	*s = (sc_step){.size = sizeof *s,
		       .flags = h->flags,
		       .step_index = h->step_index,
		       .replica = h->replica,
		       .n_prefill = h->n_prefill,
		       .n_decode = h->n_decode,
		       .n_sampled = h->n_sampled,
		       .dp_tokens = h->dp_tokens,
		       .dp_max_tokens = h->dp_max_tokens};
	s->decode_id = take_ids(&col, h->n_decode);
	s->prefill_id = take_ids(&col, h->n_prefill);
	s->decode_ctx = take(&col, h->n_decode);
	if (h->has_decode_new)
		s->decode_new = take(&col, h->n_decode);
	s->prefill_ctx = take(&col, h->n_prefill);
	s->prefill_new = take(&col, h->n_prefill);
	s->prefill_last = take(&col, h->n_prefill);
	return 1;
}

const struct logged_request *steplog_see_request(const struct steplog *l,
						 size_t *at)
{
	const char *here = (const char *)l->map + *at;
	if (*at >= l->bytes)
		return NULL;
	*at += sizeof(struct logged_request);
	return (const struct logged_request *)(const void *)here;
}

int steplog_next_request(const struct steplog *l, size_t *at,
			 struct logged_request *out)
{
	const struct logged_request *q = steplog_see_request(l, at);
	if (q)
		*out = *q;
	return q != NULL;
}
