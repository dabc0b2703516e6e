/* The likely meaning of columns, from their names. */
#include "workload/trace/trace_likely.h"
#include <string.h>
#include "tap.h"

/* The columns of "a|b|c". */
static const char *of(const char *names)
{
	static char buf[TRACE_COLUMNS_TEXT];
	char copy[600], *rest = NULL;
	struct names header = {0};
	struct trace_columns c;
	snprintf(copy, sizeof copy, "%s", names);
	for (char *s = strtok_r(copy, "|", &rest); s;
	     s = strtok_r(NULL, "|", &rest))
		if (names_add(&header, s) < 0)
			bail_out("memory");
	trace_likely(&c, &header);
	names_free(&header);
	return trace_columns_write(&c, buf);
}

int main(void)
{
	is(of("timestamp|prompt_tokens|completion_tokens|total_tokens"),
	   "time:timestamp, input:prompt_tokens, output:completion_tokens",
	   "names of an API");
	is(of("id|Arrival Time|Input Length|Output Length|E2E latency"),
	   "time:Arrival Time, input:Input Length, output:Output Length",
	   "spaces and capitals");
	is(of("createdAt|numPromptTokens|numGeneratedTokens|generationTime"),
	   "time:createdAt, input:numPromptTokens, output:numGeneratedTokens",
	   "CamelCase, and a time that is no arrival");
	is(of("ts|isl|osl|ttft_ms"), "time:ts, input:isl, output:osl",
	   "abbreviations");
	is(of("start_time|end_time|context_len|response_len"),
	   "time:start_time, input:context_len, output:response_len",
	   "the start and not the end");
	is(of("prompt_id|prompt_text|prompt_len|output_cost|output_tokens"),
	   "input:prompt_len, output:output_tokens",
	   "of several prompts the length");
	is(of("cached_prompt_tokens|prompt_tokens|response_time|out"),
	   "input:prompt_tokens, output:out", "no cached ones");
	is(of("input_a|input_b|output"), "output:output",
	   "two that fit equally: neither");
	is(of("prompt_tokens|prompt_words|output"),
	   "input:prompt_tokens, output:output", "the best comes first");
	is(of("a|b|c"), "", "nothing is plain");
	char longest[400];
	snprintf(longest, sizeof longest, "prompt_tokens_%0200d|output|len", 0);
	is(of(longest), "output:output", "a name that is too long is none");
	snprintf(longest, sizeof longest, "prompt_tokens_%0113d|output", 0);
	ok(strstr(of(longest), "input:prompt_tokens_000"), "the longest");
	return done();
}
