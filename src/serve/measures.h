/* serve/measures.h -- what the server has counted, and its page of metrics in
 * Prometheus' text format, with the names, labels and buckets of vLLM.  Times
 * are simulated, except where the name says otherwise.  The page is made from
 * counters alone.  [one thread] */
#pragma once
#include <stdint.h>
#include "api/buffer.h"
#include "engine/choices.h"
#include "live/message.h"
#include "serve/faults.h"

enum measure {
	M_PROMPT,
	M_GENERATION,
	M_MAX_GENERATION,
	M_PARAM_MAX,
	M_KV_COMPUTED,
	M_ITERATION,
	M_N,
	M_TTFT,
	M_ITL,
	M_TPOT,
	M_E2E,
	M_QUEUE,
	M_INFERENCE,
	M_PREFILL,
	M_DECODE,
	N_MEASURES
};
enum finish {
	FINISH_STOP,
	FINISH_LENGTH,
	FINISH_ABORT,
	FINISH_ERROR,
	FINISH_REPETITION,
	N_FINISHES
};
enum { MEASURE_BUCKETS = 26, LATENESS_BUCKETS = 12 };

struct measure_sum {
	uint64_t count[MEASURE_BUCKETS + 1], n;
	double sum;
};
/* What one replica has measured. */
struct engine_measures {
	struct measure_sum of[N_MEASURES];
	uint64_t prompt_tokens, cached_tokens, generation_tokens, steps;
	/* Speculative decoding: steps of requests with drafts, their drafted
	 * tokens, and those accepted. */
	uint64_t drafts, draft_tokens, accepted_tokens;
	uint64_t accepted_at[ENGINE_DRAFTS];
	uint64_t finished[N_FINISHES];
};
struct measures {
	struct engine_measures *engine; /* [n] */
	uint32_t n;
	uint64_t max_model_len;
	uint64_t lateness[LATENESS_BUCKETS + 1], n_lateness;
	double lateness_sum;
	uint64_t faults[N_FAULTS], cancelled;
	double lookup_s[SC_N_PROVENANCE];
};
int measures_make(struct measures *m, uint32_t engines, uint64_t max_model_len);
void measures_free(struct measures *m);
void measures_add(struct measures *m, uint32_t engine, enum measure which,
		  double value, uint64_t n);
/* A request ended; n: the choices of its HTTP request, limit: the max_tokens
 * that it gave, 0: none. */
void measures_ended(struct measures *m, const struct request_event *e,
		    enum finish how, int64_t n, uint32_t limit);
void measures_late(struct measures *m, double seconds);
/* What the page needs besides. */
struct measures_now {
	const char *model;
	const struct live_facts *facts;
	const struct simulation_load *load; /* [n] */
	double lag_s, speed, start_time_s;
	uint64_t connections;
	int sleep_level;   /* 0: awake */
	uint32_t first, n; /* the replicas that it shows, from 0 on */
	const char *waiting_adapters, *running_adapters;
	double time_s;    /* since the epoch */
	unsigned without; /* bits by enum measure: these are not known */
};
/* The part of the page that is of vLLM: the engines and their requests. */
void measures_of_engines(const struct measures *m,
			 const struct measures_now *now, struct buffer *to);
void measures_page(const struct measures *m, const struct measures_now *now,
		   struct buffer *to);
