/* fits.c -- Searches the sizes on which a model fits. */
#include "engine/memory/fits.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "engine/draft_model.h"
#include "engine/parallel.h"
#include "engine/resolve.h"

enum { TP_MOST = 1024, /* as of the key */ LEN_UNIT = 1024 };

static struct engine_keys sized(const struct fits_of *q, int64_t tp, int64_t pp)
{
	struct engine_keys k = *q->keys;
	k.tensor_parallel_size = tp;
	k.pipeline_parallel_size = pp;
	return k;
}

static int is_allowed(const struct fits_of *q, int64_t tp, int64_t pp)
{
	const struct engine_keys k = sized(q, tp, pp);
	return parallel_check(&k, q->model, NULL, NULL) == 0;
}

/* Returns 1 if the engine of these keys fits into GPUs of that many bytes each.
 * *len: the longest request that it takes.  The split is allowed already
 * (is_allowed()). */
static int keys_fit(const struct fits_of *q, const struct engine_keys *k,
		    double bytes, uint32_t *len)
{
	static const struct slo_keys no_slo = {0};
	struct engine e;
	sc_model view;
	struct engine_facts f = parallel_facts(q->model, q->hardware, k, &view);
	f.usable_bytes = bytes;
	draft_model_add(&f, q->draft, k, q->draft->view.kv_bits);
	int rc = engine_resolve(&e, k, &no_slo, &f, NULL);
	*len = e.max_model_len;
	return rc == 0;
}

static int fits(const struct fits_of *q, int64_t tp, int64_t pp, double bytes)
{
	uint32_t unused;
	const struct engine_keys k = sized(q, tp, pp);
	return keys_fit(q, &k, bytes, &unused);
}

static int fits_here(const struct fits_of *q, int64_t tp, int64_t pp)
{
	return is_allowed(q, tp, pp) &&
	       fits(q, tp, pp, q->hardware->view.mem_bytes);
}

static int64_t least_tp(const struct fits_of *q)
{
	const struct engine_keys *k = q->keys;
	for (int64_t n = k->tensor_parallel_size + 1; n <= TP_MOST; n++)
		if (fits_here(q, n, k->pipeline_parallel_size))
			return n;
	return 0;
}

static int64_t least_pp(const struct fits_of *q)
{
	const struct engine_keys *k = q->keys;
	for (int64_t n = k->pipeline_parallel_size + 1; n <= ENGINE_STAGES; n++)
		if (fits_here(q, k->tensor_parallel_size, n))
			return n;
	return 0;
}

/* Finds the fewest GPUs where neither size is enough alone; tp 0: none. */
static void least_both(const struct fits_of *q, int64_t *tp, int64_t *pp)
{
	const struct engine_keys *k = q->keys;
	*tp = *pp = 0;
	for (int64_t t = k->tensor_parallel_size; t <= TP_MOST; t++) {
		if (!is_allowed(q, t, k->pipeline_parallel_size))
			continue;
		for (int64_t n = k->pipeline_parallel_size; n <= ENGINE_STAGES;
		     n++)
			if ((*tp == 0 || t * n < *tp * *pp) &&
			    fits_here(q, t, n))
				*tp = t, *pp = n;
	}
}

/* Returns the most max_model_len that fits, in whole LEN_UNITs; 0: none, so
 * that shorter requests are no remedy. */
static int64_t most_len(const struct fits_of *q)
{
	struct engine_keys k = *q->keys;
	double bytes = q->hardware->view.mem_bytes;
	uint32_t len;
	int64_t fit = 0, too_long;
	if (keys_fit(q, &k, bytes, &len))
		return 0;
	for (too_long = len / LEN_UNIT + 1; fit + 1 < too_long;) {
		int64_t n = fit + (too_long - fit) / 2;
		k.max_model_len = n * LEN_UNIT;
		if (keys_fit(q, &k, bytes, &len))
			fit = n;
		else
			too_long = n;
	}
	return fit * LEN_UNIT;
}

/* Finds the smallest GPU that fits.  The caller frees *h. */
static int least_gpu(const struct fits_of *q, struct hardware *h)
{
	struct names all = {0};
	const struct engine_keys *k = q->keys;
	*h = (struct hardware){0};
	if (hardware_names(&all) < 0)
		all.n = 0;
	for (size_t i = 0; i < all.n; i++) {
		struct hardware x;
		struct problem unused;
		double bytes = hardware_read(&x, all.item[i], &unused) < 0
				   ? 0
				   : x.view.mem_bytes;
		int is_less = h->name == NULL || bytes < h->view.mem_bytes;
		if (bytes > 0 && is_less &&
		    fits(q, k->tensor_parallel_size, k->pipeline_parallel_size,
			 bytes)) {
			struct hardware was = *h;
			*h = x;
			x = was;
		}
		hardware_free(&x);
	}
	names_free(&all);
	return h->name != NULL;
}

/* Appends a split that fits into memory: ", or tensor_parallel_size = 4 from 1
 * on (4 GPUs)". */
static void append(char *text, size_t size, const struct fits_of *q, int64_t tp,
		   int64_t pp)
{
	const struct engine_keys k = sized(q, tp, pp), *is = q->keys;
	char split[120] = "";
	size_t n = strlen(text);
	if (tp != is->tensor_parallel_size)
		snprintf(split, sizeof split, "tensor_parallel_size = %" PRId64,
			 tp);
	if (pp != is->pipeline_parallel_size)
		snprintf(split + strlen(split), sizeof split - strlen(split),
			 "%spipeline_parallel_size = %" PRId64,
			 split[0] ? " with " : "", pp);
	snprintf(text + n, size - n, "%s from %s on (%" PRIu64 " GPUs)",
		 n ? ", or" : "", split, engine_gpus(&k));
}

void fits_say(struct problem *p, const struct fits_of *q)
{
	char text[400] = "", was[sizeof p->text];
	const struct engine_keys *k = q->keys;
	int64_t tp = least_tp(q), pp = least_pp(q);
	struct hardware gpu;
	if (tp)
		append(text, sizeof text, q, tp, k->pipeline_parallel_size);
	if (pp)
		append(text, sizeof text, q, k->tensor_parallel_size, pp);
	if (!tp && !pp) {
		least_both(q, &tp, &pp);
		if (tp)
			append(text, sizeof text, q, tp, pp);
	}
	size_t n = strlen(text);
	int64_t len = most_len(q);
	if (len)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "%s with max_model_len up to %" PRId64,
				      n ? ", or" : "", len);
	if (least_gpu(q, &gpu))
		snprintf(text + n, sizeof text - n,
			 "%s on a GPU as large as %s", n ? ", or" : "",
			 gpu.name);
	hardware_free(&gpu);
	snprintf(was, sizeof was, "%s", p->text);
	if (text[0])
		problem_set(p, p->code, "%s; it fits%s", was, text);
}
