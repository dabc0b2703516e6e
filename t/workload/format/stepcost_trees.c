/* stepcost's own JSON lines, in which requests come after others. */
#include "trace_read.h"

#define ROW(id, more)                                                          \
	"{\"request_id\":\"" id "\",\"input_tokens\":100,"                     \
	"\"output_tokens\":5" more "}\n"
#define BLOCKS "\"block_tokens\":64,\"hash_ids\":"

/* "name@us" of every request; each ends 1 ms after its arrival. */
static const char *names_in_turn(const char *keys)
{
	static char all[1000];
	struct workload *w = with("trace", keys);
	struct request r;
	int64_t ns;
	size_t n = 0;
	if (!w)
		return p.text;
	all[0] = '\0';
	while (workload_peek(w, &ns, &p) == 1 && workload_pop(w, &r, &p) == 0) {
		n += (size_t)sprintf(all + n, "%s%s@%d", n ? " " : "", r.name,
				     (int)(r.arrival_ns / 1000));
		workload_finished(w, r.row, r.arrival_ns + 1000000);
	}
	workload_free(w);
	return all;
}

static void trees(void)
{
	file("trace", ROW("a", ",\"arrival_us\":500")
			  ROW("b", ",\"after\":[\"a\"],\"delay_us\":20")
			      ROW("c", ",\"after\":[\"a\"]")
				  ROW("d", ",\"after\":[\"b\",\"c\"]")
				      ROW("e", ",\"arrival_us\":40"));
	is(names_in_turn(""), "e@40 a@500 c@1500 b@1520 d@2520",
	   "each comes behind the last end and its delay");
	is(names_in_turn("rate_scale=2"), "e@20 a@250 c@1250 b@1270 d@2270",
	   "a rate moves roots only");
	is(names_in_turn("concurrency=1"), "a@0 c@1000 b@1020 d@2020 e@3020",
	   "a client of a closed loop works through a tree, then takes the "
	   "next");
	is(names_in_turn("retime=true interarrival_us=100 arrival=constant"),
	   "a@0 e@100 c@1000 b@1020 d@2020", "trees at other times");
	is(names_in_turn("retime=true stages=1:1 arrival=constant"),
	   "a@0 c@1000 b@1020 d@2020", "stages count trees");
	is(names_in_turn("num_requests=3"), "a@500 c@1500 b@1520", "a cut");
	is(requests("trace", ""), "40:100+5 500:100+5",
	   "without an end nobody comes");
}

static void prefixes(void)
{
	reads("hash ids", ROW("a", ",\"arrival_us\":0," BLOCKS "[1,2]"), "",
	      "0:100+5");
	is(segments("trace", ""), "|+64 +36 ", "as segments, the last shorter");
	reads("a tail without a block",
	      ROW("a", ",\"session_id\":\"s\",\"arrival_us\":0," BLOCKS "[7]"),
	      "", "0:100+5");
	reads("numbers as ids",
	      "{\"request_id\":1,\"session_id\":2,\"input_tokens\":3,"
	      "\"output_tokens\":4,\"arrival_us\":0.5,\"after\":[]}\n",
	      "", "0:3+4");
	refuses("too many", ROW("a", ",\"arrival_us\":0," BLOCKS "[1,2,3]"), "",
		"!3 trace:1: 3 hash_ids, but 100 tokens are 2 blocks of 64");
	refuses("ids of no size",
		ROW("a", ",\"arrival_us\":0,\"hash_ids\":[1]"), "",
		"!3 trace:1: hash_ids without block_tokens");
	refuses("a size of 0", ROW("a", ",\"arrival_us\":0,\"block_tokens\":0"),
		"", "!3 trace:1: block_tokens = 0: 1 to 1048576");
}

static void refusals(void)
{
	refuses("both times",
		ROW("a", ",\"arrival_us\":0")
		    ROW("b", ",\"arrival_us\":0,\"after\":[\"a\"]"),
		"", "!3 trace:2: arrival_us and after: a row has one of them");
	refuses("no time", ROW("a", ""), "",
		"!3 trace:1: neither arrival_us nor after: nothing says when "
		"it comes");
	refuses("a delay behind nothing",
		ROW("a", ",\"arrival_us\":0,\"delay_us\":1"), "",
		"!3 trace:1: delay_us without after");
	refuses("a long delay",
		ROW("a", ",\"after\":[\"b\"],\"delay_us\":9e15"), "",
		"!3 trace:1: delay_us: over 146 years, where the clock ends");
	refuses("an unknown key", ROW("a", ",\"afer\":[\"b\"]"), "",
		"!3 trace:1: key 'afer' is unknown");
	refuses("of a long key 60 characters are shown",
		"{\"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffff"
		"ffgggg\": 1}\n",
		"format=stepcost",
		"!3 trace:1: key 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee"
		"eeeeeeffffffffff' is unknown");
	refuses("an empty id", ROW("", ",\"arrival_us\":0"), "",
		"!3 trace:1: request_id is empty");
	refuses("a list of other things", ROW("a", ",\"after\":[{}]"), "",
		"!3 trace:1: ");
	refuses("a key is missing, by the name of the format",
		"{\"input_tokens\":1}\n", "format=stepcost",
		"!3 trace:1: no request_id, which stepcost traces have");
	refuses("only roots may be late",
		ROW("a", ",\"arrival_us\":9000000000000000"), "",
		"!3 trace:1: arrives after 146 years, where the clock ends");
}

static void spoilt(void)
{
	survives("rows",
		 "{\"request_id\":\"a\",\"input_tokens\":9,\"output_tokens\":5,"
		 "\"session_id\":\"s\",\"arrival_us\":0,\"hash_ids\":[1],"
		 "\"block_tokens\":8,\"max_tokens\":6,\"stop_tokens\":2,"
		 "\"priority\":-1,\"adapter\":\"x\",\"cache_salt\":\"y\",\"mm_"
		 "items\":\"0:2:a\",\"cancel_us\":8}\n"
		 "{\"request_id\":7,\"input_tokens\":9,\"output_tokens\":5,"
		 "\"after\":[\"a\",1],\"delay_us\":3}\n",
		 "format=stepcost");
}

static void more_keys(void)
{
	static const char *const row[][2] = {
	    {",\"arrival_us\":0,\"priority\":-1.5",
	     "priority = -1.5: not a whole number"},
	    {",\"arrival_us\":0,\"priority\":1e99",
	     "priority = 1e99: not a whole number"},
	    {",\"arrival_us\":0,\"priority\":-2147483649",
	     "priority = -2147483649: not a whole number"},
	    {",\"arrival_us\":0,\"priority\":2147483648",
	     "priority = 2147483648: not a whole number"},
	    {",\"arrival_us\":0,\"replica\":4294967295",
	     "replica = 4294967295: too large"},
	    {",\"arrival_us\":0,\"max_tokens\":x", "a number expected"},
	    {",\"arrival_us\":0,\"max_tokens\":1.5",
	     "max_tokens = 1.5: not a whole number of at least 0"},
	    {",\"arrival_us\":0,\"block_tokens\":1048577",
	     "block_tokens = 1048577: 1 to 1048576"},
	    {",\"arrival_us\":0,\"block_tokens\":0.5",
	     "block_tokens = 0.5: not a whole number"},
	    {",\"after\":[\"b\"],\"cancel_us\":1",
	     "cancel_us and after: a row has one of them"},
	    {",\"arrival_us\":5,\"cancel_us\":1",
	     "cancel_us is before arrival_us"},
	    {",\"arrival_us\":0,\"mm_items\":\"0:101:a\"",
	     "mm_items: 0:101:a: reaches beyond the prompt"},
	    {",\"arrival_us\":0,\"max_tokens\":4",
	     "max_tokens = 4: at least output_tokens = 5"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char text[300], want[200];
		snprintf(text, sizeof text, ROW("a", "%s"), row[i][0]);
		snprintf(want, sizeof want, "!3 trace:1: %s", row[i][1]);
		refuses(row[i][1], text, "", want);
	}
	refuses("items before the prompt is known",
		"{\"request_id\":\"a\",\"mm_items\":\"0:9:a\",\"input_tokens\":"
		"3,\"output_tokens\":4,\"arrival_us\":0}\n",
		"", "!3 trace:1: mm_items: 0:9: reaches beyond the prompt");
	reads("empty names are none, a prompt with an item",
	      ROW("a", ",\"arrival_us\":0,\"adapter\":\"\",\"cache_salt\":\"\","
		       "\"mm_items\":\"0:9:a\",\"priority\":-3,"
		       "\"cancel_us\":9"),
	      "", "0:100+5");
}

int main(void)
{
	begin_traces();
	spoilt();
	trees();
	prefixes();
	refusals();
	more_keys();
	return end_traces();
}
