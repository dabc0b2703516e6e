/* The spans of OpenTelemetry's files: the three forms in which they are
 * written, spans that come twice, and the place of what is wrong. */
#include "workload/trace/trace_spans.h"
#include "tap.h"
#include "workload/trace/trace_reader_private.h"

static struct trace trace;

/* "TRACE.ID<PARENT start-end in>out role line" of every span, ids in the order
 * in which they come, or "!" and what is wrong, with the text from there. */
static const char *spans(const char *text)
{
	static char all[2000];
	struct trace_values file = {.t = &trace,
				    .text = (char *)(uintptr_t)text,
				    .n = strlen(text),
				    .from = text,
				    .line = 1};
	struct otel_spans s = {.file = &file};
	size_t n = 0;
	const char *why = otel_spans_read(&s);
	all[0] = '\0';
	for (uint32_t i = 0; !why && i < s.n; i++) {
		const struct otel_span *x = &s.span[i];
		uint64_t *up =
		    map64_at(&s.ids, otel_span_id(x->trace, x->parent), NULL);
		n += (size_t)snprintf(
		    all + n, sizeof all - n,
		    "%s%d<%d %lld-%lld %lld>%lld %d l%d", i ? ", " : "",
		    (int)i + 1, up && x->parent ? (int)*up : 0,
		    (long long)x->start_ns, (long long)x->end_ns,
		    (long long)x->in, (long long)x->out, (int)x->role,
		    (int)x->line);
	}
	if (why)
		snprintf(all, sizeof all, "!%s at %.9s", why,
			 file.bad ? file.bad : "nothing");
	else if (s.n_twice)
		snprintf(all + n, sizeof all - n, ", %d twice", (int)s.n_twice);
	otel_spans_free(&s);
	return all;
}

int main(void)
{
	is(spans("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\n"
		 "{\"traceId\":\"t\",\"spanId\":\"a\",\"startTimeUnixNano\":"
		 "\"3000\",\"endTimeUnixNano\":7000,\"attributes\":[{\"key\":"
		 "\"gen_ai.usage.input_tokens\",\"value\":{\"intValue\":"
		 "\"12\"}},{\"value\":{\"intValue\":5},\"key\":"
		 "\"gen_ai.usage.output_tokens\"}]},\n"
		 "{\"traceId\":\"t\",\"spanId\":\"b\",\"parentSpanId\":\"a\","
		 "\"startTimeUnixNano\":\"4000\"}]}]}]}"),
	   "1<0 3000-7000 12>5 0 l2, 2<1 4000--1 -1>-1 0 l3",
	   "OTLP: texts and numbers, a child and its parent, lines");
	is(spans("{\"context\":{\"trace_id\":\"t\",\"span_id\":\"a\"},"
		 "\"start_time\":\"1970-01-01T00:00:01Z\",\"attributes\":{"
		 "\"openinference.span.kind\":\"LLM\","
		 "\"llm.token_count.prompt\":8}}"),
	   "1<0 1000000000--1 8>-1 1 l1",
	   "an SDK's form: ids in its context, a date, plain attributes");
	is(spans(
	       "{\"start_time\":\"1970-01-01T00:00:00Z\",\"attributes\":null}"),
	   "1<0 0--1 -1>-1 0 l1", "attributes that are null");
	is(spans("{\"trace_id\":\"t\",\"span_id\":\"a\",\"start_time\":\"1970-"
		 "01-01T00:00:00Z\"}\n{\"trace_id\":\"t\",\"span_id\":\"a\","
		 "\"start_time\":\"1970-01-01T00:00:00Z\"}\n"
		 "{\"trace_id\":\"u\",\"span_id\":\"a\",\"start_time\":\"1970-"
		 "01-01T00:00:00Z\"}"),
	   "1<0 0--1 -1>-1 0 l1, 2<0 0--1 -1>-1 0 l3, 1 twice",
	   "an exporter that tried again: once in each trace");
	is(spans("{\"span_id\":\"a\"}"), "", "no time of its start: no span");
	is(spans("[{\"span_id\":\"a\",\"start_time\":x}]"),
	   "!a number expected at x}]", "the place of what is wrong");
	return done();
}
