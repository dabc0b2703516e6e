/* workload/trace/trace_row.h -- one row of a request trace of any format, and
 * the options for reading a trace.  Times are int64 ns. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "workload/distribution.h"
#include "workload/request.h"
#include "workload/trace/trace_columns.h"

enum { TRACE_MAX_TOKENS = INT32_MAX }; /* of a request, input + output */

/* Pointers are valid until the next row. */
struct trace_row {
	/* The format fills in name, session, turn (as the file counts them),
	 * priority, slo_class and line; trace_next() the tokens, from those
	 * below; replay arrival and segments. */
	struct request request;
	uint64_t offset; /* for trace_seek() */
	int64_t time_ns;
	int64_t input_tokens, output_tokens; /* both >= 1 */
	uint32_t prefix_tokens; /* tokens that are the group's prefix */
	uint64_t prefix_group;  /* 0: none */
	const uint64_t *block;  /* hash ids of the prompt's blocks */
	uint32_t n_blocks;      /* 0: not known */
	/* Tokens of each block; NULL: the format's number, the last block has
	 * the rest. */
	const uint32_t *block_tokens;
	uint32_t own_block_tokens; /* of this row's blocks; 0: the format's */
	/* For formats with trees: a row that is `after` others comes delay_ns
	 * behind the last of their ends; it has no time of its own. */
	uint64_t id;           /* by which others are after it; 0: none */
	const uint64_t *after; /* [n_after] ids */
	uint32_t n_after;
	int64_t delay_ns;
	int64_t own[2]; /* for the reader, between its calls for one row */
	/* 1: the line is no request (of a record of a server) */
	int is_note;
	/* 1: its session's earlier prompts and answers are its prefix */
	int grows;
};

/* When the next request of a session comes, for formats with trees. */
enum trace_timing {
	TIMING_THINK_ONLY, /* its recorded think time after the answer */
	TIMING_ORIGINAL,   /* as long after the answer as their times differ */
	TIMING_API_SCALED, /* the recorded time of the server, scaled, and the
			      think time */
};

struct trace_options {
	const char *format;           /* a name, or "auto" */
	struct trace_columns columns; /* for the format `columns` */
	uint32_t block_tokens;        /* per hash id; 0: the format's */
	/* 1: a failed row is an error; 0: it is dropped and counted */
	int failed_is_error;
	double chars_per_token; /* for files that hold text */
	enum trace_timing timing;
	double api_time_scale;
	/* For formats that draw random numbers: */
	uint64_t seed;
	const struct distribution *input, *output; /* NULL: not given */
};
