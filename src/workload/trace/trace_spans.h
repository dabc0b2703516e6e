/* workload/trace/trace_spans.h -- the spans of a file of OpenTelemetry, as they
 * are written there: OTLP as JSON, the SDKs' form, and that of inference-perf.
 * otel.c makes calls of them, and fills in what the reader leaves 0.
 *
 * The file belongs to the caller and outlives the spans, which point into it;
 * otel_spans_free() frees them. */
#pragma once
#include "base/map64.h"
#include "workload/trace/trace_document.h"

enum { OTEL_NOT_GIVEN = -1 };

/* AGENT: calls inside it have a conversation of their own; its tokens, and
 * those of STEP, are sums over them. */
enum role { NONE, CALL, AGENT, STEP };
struct otel_span {
	uint64_t trace, id, parent; /* 0: none */
	uint64_t name, conversation, line;
	const char *at;
	int64_t start_ns, end_ns, in, out; /* or OTEL_NOT_GIVEN */
	struct span in_text, out_text;
	enum role role;
	int is_call;
	int wraps;               /* 1: there is a call inside */
	uint32_t up, down, next; /* 1 + a span: around it, inside, beside it */
	int is_agent;            /* 1: it is one, or inside one */
	uint64_t agent;
	/* From the first of the calls in it to the end of the last. */
	int has_calls;
	int64_t begin_ns, over_ns;
};
struct otel_spans {
	struct trace_values *file;
	struct otel_span *span;
	uint32_t n, cap, n_twice; /* n_twice: left out, they came before */
	struct map64 ids;         /* otel_span_id(): 1 + a span */
};

/* The key of a span among all traces of the file. */
uint64_t otel_span_id(uint64_t trace, uint64_t id);

/* Reads all spans of s->file.  Returns NULL, or what is wrong at its `bad`. */
const char *otel_spans_read(struct otel_spans *s);

void otel_spans_free(struct otel_spans *s);
