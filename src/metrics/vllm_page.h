/* metrics/vllm_page.h -- the page /metrics of a vLLM server, 0.15 or newer: its
 * cache, its drafts, and the histograms of the requests that it served.  The
 * names are those of vllm/v1/metrics/loggers.py.  Engines of one server are
 * added up.  [any thread]; no printing. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "metrics/histogram.h"

enum vllm_histogram {
	VLLM_TTFT, /* seconds */
	VLLM_ITL,
	VLLM_TPOT, /* without requests of one token; vLLM counts them as 0 */
	VLLM_E2EL,
	VLLM_QUEUEING,
	VLLM_INPUT, /* tokens */
	VLLM_OUTPUT,
	N_VLLM_HISTOGRAMS
};
extern const char *const vllm_histogram_name[N_VLLM_HISTOGRAMS];

/* Numbers that only grow, all of them from the start of the server. */
enum vllm_counter {
	VLLM_PREFIX_QUERIES,
	VLLM_PREFIX_HITS,
	VLLM_PROMPT_TOKENS,
	VLLM_PROMPT_CACHED,
	VLLM_PREEMPTIONS,
	VLLM_DRAFTS,
	VLLM_DRAFT_TOKENS,
	VLLM_ACCEPTED_TOKENS,
	N_VLLM_COUNTERS
};

/* Labels of vllm:cache_config_info; "": absent, or "None". */
enum vllm_cache_label {
	VLLM_BLOCK_SIZE,
	VLLM_GPU_BLOCKS,
	VLLM_CACHE_DTYPE,
	VLLM_PREFIX_CACHING,
	VLLM_MEMORY_UTILIZATION,
	N_VLLM_CACHE_LABELS
};

enum { VLLM_TEXT = 200, VLLM_POSITIONS = 32 };
struct vllm_page {
	const char *path;      /* the caller's */
	char model[VLLM_TEXT]; /* as served; "": no request yet */
	uint32_t engines;      /* ranks of data parallelism */
	char engine[64][8];    /* [engines] their labels */
	struct histogram of[N_VLLM_HISTOGRAMS];
	double counter[N_VLLM_COUNTERS]; /* NaN: absent */
	double accepted_at[VLLM_POSITIONS];
	uint32_t positions; /* of drafts */
	char cache[N_VLLM_CACHE_LABELS][VLLM_TEXT];
	double requests; /* that ended: those of VLLM_E2EL */
};

/* Reads a page; writes into text.  text[n] must be 0, and path must outlive the
 * page.  Returns 0, or -1 with *p filled in (EXIT_INPUT).  The caller calls
 * vllm_page_free() in either case. */
int vllm_page_read(struct vllm_page *v, char *text, size_t n, const char *path,
		   struct problem *p);
/* The same for the page of a file or of an address (metrics/source.h), which
 * must outlive the page.  [main] */
int vllm_page_load(struct vllm_page *v, const char *where, struct problem *p);
/* Leaves the requests served since an earlier page of the same server.  Returns
 * 0, or -1 with *p filled in (EXIT_INPUT). */
int vllm_page_since(struct vllm_page *v, const struct vllm_page *before,
		    struct problem *p);
void vllm_page_free(struct vllm_page *v);
