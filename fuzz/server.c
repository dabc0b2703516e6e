/* server.c -- Any bytes as a page of metrics, and, behind a line "==", as an
 * earlier page of the same server; all bytes as its log.  May be refused, must
 * not crash; ranges of percentiles are in order, and hold the mean's bucket. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "metrics/prometheus.h"
#include "metrics/vllm_log.h"
#include "metrics/vllm_page.h"

static char *copy(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (text && size)
		memcpy(text, data, size);
	if (text)
		text[size] = '\0';
	return text;
}

static void check(const struct vllm_page *v)
{
	for (int i = 0; i < N_VLLM_HISTOGRAMS; i++) {
		const struct histogram *h = &v->of[i];
		double before = -INFINITY;
		for (double q = 0; h->total >= 1 && q <= 1; q += 0.25) {
			struct histogram_range r = histogram_percentile(h, q);
			if (r.high < before)
				abort();
			before = r.high;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vllm_page page, before;
	struct vllm_log log;
	struct problem p;
	size_t second, first = fuzz_split(data, size, &second);
	char *text = copy(data + second, size - second);
	char *earlier = copy(data, first), *all = copy(data, size);
	if (text && earlier && all) {
		prometheus_likely(all, size);
		vllm_log_read(&log, all, size, "f", &p);
		int rc = vllm_page_read(&page, text, size - second, "f", &p);
		if (rc == 0)
			check(&page);
		if (vllm_page_read(&before, earlier, first, "e", &p) == 0 &&
		    rc == 0 && vllm_page_since(&page, &before, &p) == 0)
			check(&page);
		vllm_page_free(&page), vllm_page_free(&before);
	}
	free(text), free(earlier), free(all);
	return 0;
}
