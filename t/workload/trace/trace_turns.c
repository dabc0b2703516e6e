/* Prompts of turns as blocks: an answer is cut to the room that the next prompt
 * has, and tokens at the end that no other turn shares have no block. */
#include "trace_read.h"
#include "workload/trace/trace.h"

/* "in:tokens of its blocks>ids it waits for" of every row. */
static const char *rows(const char *text)
{
	static char all[1000];
	struct trace_options o = {.format = "aiperf", .block_tokens = 4};
	struct trace_row row;
	file("trace", text);
	struct trace *t = trace_open(path("trace"), &o, &p);
	size_t n = 0;
	all[0] = '\0';
	while (t && trace_next(t, &row, &p) == 1) {
		n += (size_t)sprintf(all + n, "%s%lld:", n ? " " : "",
				     (long long)row.input_tokens);
		for (uint32_t i = 0; i < row.n_blocks; i++)
			n += (size_t)sprintf(all + n, "%s%u", i ? "+" : "",
					     row.block_tokens[i]);
		for (uint32_t i = 0; i < row.n_after; i++)
			n += (size_t)sprintf(all + n, ">%llu",
					     (unsigned long long)row.after[i]);
	}
	trace_free(t);
	return t ? all : p.text;
}

#define ROW(in, out, more)                                                     \
	"{\"session_id\":\"s\",\"input_length\":" in ",\"output_length\":" out \
	",\"delay\":0" more "}\n"
#define WHOLE ",\"context_mode\":\"message_array_with_responses\""

int main(void)
{
	begin_traces();
	is(rows(ROW("10", "3", "")), "10:", "alone: no blocks");
	is(rows(ROW("10", "3", ",\"hash_ids\":[7,8]")), "10:4+4",
	   "tokens behind its ids");
	is(rows(ROW("10", "3", "") ROW("5", "2", "")), "10:10+3 18:10+3>1",
	   "the first block is the prompt, then the answer");
	is(rows(ROW("10", "3", ",\"hash_ids\":[7,8,9]")
		    ROW("5", "2", ",\"hash_ids\":[1,2]")),
	   "10:4+4+2+3 18:4+4+2+3+4+1>1", "ids, and an answer between them");
	is(rows(ROW("10", "9", WHOLE) ROW("12", "2", WHOLE)
		    ROW("11", "2", WHOLE)),
	   "10:10+9 12:10+2>1 11:>2",
	   "an answer without room, and a prompt that is shorter");
	return end_traces();
}
