/* workload/trace_row.h -- one row of a request trace, whatever its format, and
 * how a trace is to be read.  Times are int64 ns. */
#ifndef SC_WORKLOAD_TRACE_ROW_H
#define SC_WORKLOAD_TRACE_ROW_H
#include <stddef.h>
#include <stdint.h>
#include "workload/distribution.h"
#include "workload/request.h"

enum { TRACE_MAX_TOKENS = INT32_MAX }; /* of a request, input + output       */

/* Pointers live until the next row. */
struct trace_row {
	/* A format fills in name, session, turn (counted as the file does),
	 * priority, slo_class and line, trace_next() the tokens from those
	 * below, replay arrival and segments. */
	struct request request;
	uint64_t offset; /* for trace_seek()                                 */
	int64_t time_ns;
	int64_t input_tokens, output_tokens; /* both >= 1                    */
	uint32_t prefix_tokens; /* how many are the group's                */
	uint64_t prefix_group;  /* 0: none                                 */
	const uint64_t *block;  /* hash ids of the prompt's blocks          */
	uint32_t n_blocks;      /* 0: not told                              */
	const uint32_t *block_tokens; /* of each; NULL: the format's, the last
					 what is left                        */
	int64_t own[2]; /* the reader's, between its calls for a row         */
	int grows; /* the session's prompts and answers are a prefix of it   */
};

struct trace_options {
	const char *format;     /* a name, or "auto"                       */
	uint32_t block_tokens;  /* of a hash id; 0: the format's            */
	int failed_is_error;    /* else failed rows are dropped, counted   */
	double chars_per_token; /* where a file holds text                 */
	/* For formats that are themselves random. */
	uint64_t seed;
	const struct distribution *input, *output; /* NULL: none given       */
};
#endif
