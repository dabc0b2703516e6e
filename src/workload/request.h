/* workload/request.h -- one request to be served. */
#ifndef SC_WORKLOAD_REQUEST_H
#define SC_WORKLOAD_REQUEST_H
#include <stdint.h>

/* Beyond this, after 146 years, the clock could overflow. */
#define REQUEST_LAST_NS (INT64_MAX / 2)

/* A stretch of a prompt.  Token t of a segment is the same token in every
 * prompt that has a segment of that id there: two prompts share the longest
 * prefix in which their (id, offset within the segment) agree.  What no
 * segment covers is unlike every other prompt. */
struct segment {
	uint64_t id;
	uint32_t tokens;
};

struct request {
	uint64_t row;       /* its identity: 0, 1, … in order of arrival or
			       of the file                                    */
	int64_t arrival_ns; /* at the client                                  */
	uint32_t input_tokens, output_tokens; /* both >= 1 */
	int32_t priority; /* lower is served first, as in vLLM; 0           */
	uint32_t slo_class;
	uint64_t session; /* 0: none                                        */
	uint32_t turn;
	uint32_t n_segments;
	const struct segment *segment; /* until the next pop */
	uint64_t output_id; /* segment id of the tokens it will generate, 0:
			       nobody continues it                            */
	const char *name;   /* request_id of the trace, or NULL; until the
			       next pop                                       */
	uint64_t line;      /* where it stands in the trace, 0: generated     */
};

/* Of all that it asks for: a new attribute belongs into it.  The arrival counts
 * only if it is the same in all arms. */
uint64_t request_hash(const struct request *r, int with_arrival);
#endif
