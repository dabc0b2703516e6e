/* sim/batch.h -- a scheduled step: the requests that compute tokens in it, and
 * the results when it was processed.  [one thread] */
#pragma once
#include <stdint.h>

/* The part of one request in a step. */
struct member {
	uint32_t sequence; /* NO_SEQUENCE: the request has ended since */
	uint32_t context;  /* tokens before the step, as the scheduler counts */
	uint32_t new_tokens; /* drafts included */
	uint16_t is_prefill; /* 1: it is admitted, or was in its prompt */
	/* 1: it makes a token when the step is processed */
	uint16_t makes_token;
	uint16_t drafts;
	uint16_t is_padded; /* 1: its drafts only pad the step */
	/* Known when the step is complete: */
	uint32_t accepted; /* of the drafts */
	uint32_t emits;    /* tokens that appear when the step is processed */
};

/* Tokens of a request that appear when the step is processed. */
struct handed {
	uint64_t row;
	uint32_t sequence, tokens;
};

struct batch {
	/* on the GPU; for an empty batch when it was scheduled */
	int64_t end_ns;
	int is_empty;
	uint32_t call; /* that scheduled it, where KV is copied to the host */
	int64_t response_ns; /* from the end of the step to the client */
	/* Members in the order of the step, if the policy needs it:
	 * [max_num_seqs].  n_decode_only decodes of one token each come before
	 * them and are not listed. */
	uint32_t n_decode_only, n_members;
	struct member *member;
	int64_t results_ns; /* when its tokens appear; known when processed */
	/* Requests for which it makes the first token, and the last token. */
	uint32_t n_first, n_last;
	uint32_t *first, *last; /* [max_num_seqs] each */
	/* Requests with a token gap_ns after the one before, and the gaps of
	 * requests that had to pause. */
	int64_t gap_ns;
	uint32_t n_on_time, n_late;
	int64_t *late_gap_ns; /* [max_num_seqs] */
	/* The requests that get tokens, and how many, in the order of the step:
	 * [max_num_seqs].  NULL: the replicas do not list them. */
	uint32_t n_handed;
	struct handed *handed;
};
/* Returns 0, or -1 if memory is out; the caller calls batch_free() in either
 * case. */
int batch_make(struct batch *b, uint32_t max_num_seqs);
void batch_free(struct batch *b);
/* Begins to process the results.  n_on_time requests are on time; they are not
 * counted one by one.  *processed_ns: when the batch before it was
 * processed. */
void batch_begin_results(struct batch *b, uint32_t n_on_time, int64_t now,
			 int64_t *processed_ns);
