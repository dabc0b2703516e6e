/* stepcost's own CSV of requests, with every quirk that such files have. */
#include "trace_read.h"

#define ITEMS "arrival_us,input_tokens,output_tokens,mm_items\n"

static void stepcost_csv(void)
{
	reads("stepcost",
	      "arrival_us,input_tokens,output_tokens\n5,10,2\n"
	      "5.5,20,1\n7,30,3\n",
	      "", "5:10+2 5:20+1 7:30+3");
	reads("columns in another order, quotes, blanks, CRLF, no last newline",
	      "output_tokens,request_id,\"arrival_us\", input_tokens\r\n"
	      "2,\"a,b\",0,10\r\n\r\n 3 ,c, 4 ,11",
	      "", "0:10+2 4:11+3");
	reads("a byte order mark",
	      "\xef\xbb\xbf"
	      "arrival_us,input_tokens,output_tokens\n0,1,1\n",
	      "", "0:1+1");
	reads("an unsorted one is sorted, stably",
	      "arrival_us,input_tokens,output_tokens\n9,1,1\n3,2,1\n9,3,1\n3,4,"
	      "1\n0,5,1\n",
	      "", "0:5+1 3:2+1 3:4+1 9:1+1 9:3+1");
	is(note("trace", "", 0),
	   "trace:3: earlier than the row before; rows are sorted by "
	   "time",
	   "and that is said");
	reads("rate_scale",
	      "arrival_us,input_tokens,output_tokens\n0,1,1\n3,1,"
	      "1\n10,1,1\n",
	      "rate_scale=2", "0:1+1 1:1+1 5:1+1");
	reads("num_requests is a cap",
	      "arrival_us,input_tokens,output_tokens\n"
	      "0,1,1\n3,1,1\n10,1,1\n",
	      "num_requests=2", "0:1+1 3:1+1");
	is(note("trace", "num_requests=2", 0),
	   "trace: only its first 2 requests are used (num_requests); left "
	   "out: 1",
	   "which is said");
	is(note("trace", "num_requests=3", 0), "", "where it cuts");
	reads("retime: its lengths at other times",
	      "arrival_us,input_tokens,output_tokens\n5,1,1\n3,2,1\n10,3,1\n",
	      "retime=true interarrival_us=100", "0:1+1 100:2+1 200:3+1");
	reads("or as a closed loop, which never hears that one has ended",
	      "arrival_us,input_tokens,output_tokens\n5,1,1\n3,2,1\n10,3,1\n",
	      "concurrency=2", "0:1+1 0:2+1");
	is(note("trace", "concurrency=2", 0),
	   "trace: its arrival times are not used: concurrency = 2 is a closed "
	   "loop",
	   "which is said");
	reads("prefixes and sessions",
	      "arrival_us,input_tokens,output_tokens,session_id,turn,"
	      "prefix_group,prefix_tokens\n"
	      "0,100,5,,,g,40\n1,50,7,s,1,g,40\n2,100,5,s,2,g,40\n"
	      "3,60,9,s,3,,\n4,99,1,,,,\n",
	      "", "0:100+5 1:50+7 2:100+5 3:60+9 4:99+1");
	is(segments("trace", ""), "|+40 |40 +10 |40 10 7 +43 |40 10 7 3 |",
	   "as segments");
	reads("adapters and tenants",
	      "arrival_us,input_tokens,output_tokens,adapter,cache_salt\n"
	      "0,1,1,a,\n0,2,1,,x\n",
	      "", "0:1+1 0:2+1");
	reads("items", ITEMS "0,10,1,0:4:a;4:6:b:c\n0,2,1,\n", "",
	      "0:10+1 0:2+1");
	refuses("an item beyond the prompt", ITEMS "0,10,1,0:4:a;8:3:b\n", "",
		"!3 trace:2: mm_items: 8:3:b: reaches beyond the prompt");
	refuses("items out of order", ITEMS "0,10,1,4:4:a;0:3:b\n", "",
		"!3 trace:2: mm_items: 0:3:b: begins before the end of the "
		"item before it");
	refuses("an item without a name", ITEMS "0,10,1,4:4:\n", "",
		"!3 trace:2: mm_items: 4:4:: not offset:length:name");
	refuses("an item without tokens", ITEMS "0,10,1,4:0:a\n", "",
		"!3 trace:2: mm_items: 4:0:a: no tokens");
	refuses("no item behind a semicolon", ITEMS "0,10,1,4:1:a;\n", "",
		"!3 trace:2: mm_items: : not offset:length:name");
	refuses("a reserved column",
		"arrival_us,input_tokens,output_tokens,image_tokens\n0,1,1,9\n",
		"", "!3 trace:1: column 'image_tokens' is reserved");
	refuses("an unknown column",
		"arrival_us,input_tokens,output_tokens,foo\n0,1,1,a\n", "",
		"!3 trace:1: column 'foo' is unknown");
	refuses("a column twice",
		"arrival_us,input_tokens,output_tokens,input_tokens\n0,1,1,1\n",
		"", "!3 trace:1: column input_tokens comes twice");
	refuses("a column missing", "arrival_us,output_tokens\n0,1\n",
		"format=stepcost", "!3 trace:1: no column input_tokens");
	refuses("no rows", "arrival_us,input_tokens,output_tokens\n", "",
		"!3 trace:1: no requests");
	refuses("fewer cells",
		"arrival_us,input_tokens,output_tokens\n0,1,1\n3,1", "",
		"!3 trace:3: 2 cells, but the header has 3");
	refuses("NaN", "arrival_us,input_tokens,output_tokens\nnan,1,1\n", "",
		"!3 trace:2: arrival_us = nan: not a time");
	refuses("negative", "arrival_us,input_tokens,output_tokens\n0,-1,1\n",
		"", "!3 trace:2: input_tokens = -1: not a whole number");
	refuses("negative time",
		"arrival_us,input_tokens,output_tokens\n-1,1,1\n", "",
		"!3 trace:2: arrival_us = -1: not a time");
	refuses("an empty cell",
		"arrival_us,input_tokens,output_tokens\n0,,1\n", "",
		"!3 trace:2: input_tokens is empty");
	refuses("0 tokens", "arrival_us,input_tokens,output_tokens\n0,1,0\n",
		"", "!3 trace:2: 1 input and 0 output tokens");
	refuses("2^31 tokens",
		"arrival_us,input_tokens,output_tokens\n0,2147483648,1\n", "",
		"!3 trace:2: 2147483648 input and 1 output tokens are over");
	refuses("2^31 tokens together",
		"arrival_us,input_tokens,output_tokens\n0,2147483647,1\n", "",
		"!3 trace:2: 2147483647 input and 1 output tokens are over");
	refuses("a time beyond the clock",
		"arrival_us,input_tokens,output_tokens\n1e300,1,1\n", "",
		"!3 trace:2: arrival_us = 1e300: not a time");
	refuses("an open quote",
		"arrival_us,input_tokens,output_tokens\n0,\"1,1\n", "",
		"!3 trace:2:");
	refuses("more prefix than prompt",
		"arrival_us,input_tokens,output_tokens,prefix_group,prefix_"
		"tokens\n0,5,1,g,6\n",
		"", "!3 trace:2: prefix_tokens = 6: at most 5");
	refuses("a turn after a later one",
		"arrival_us,input_tokens,output_tokens,session_id,turn\n"
		"0,5,1,s,2\n1,5,1,s,1\n",
		"", "!3 trace:3: turn 1 after turn 2");
	refuses("an empty file", "", "", "!3 trace:1: is empty");
	refuses("a blank file", "\n\n", "", "!3 trace:1: is empty");
	refuses("a git-LFS pointer",
		"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
		"", "!3 trace:1: is a git-LFS pointer");
	file_n("trace", "\x1f\x8b\x08\0\0\0", 6);
	is(requests("trace", ""),
	   "!3 trace:1: is compressed by gzip: unpack it first",
	   "a .gz under another name");
	file_n("trace", "arrival_us,input_tokens,output_tokens\n0,1\0,1\n", 45);
	is(requests("trace", ""),
	   "!3 trace:2: has a NUL, so it is no text: name a CSV file", "a NUL");
	is(requests("missing", ""),
	   "!2 --set: trace: missing: No such file or directory; name a file "
	   "that "
	   "is there",
	   "no such file");
}

#define MORE(column, cell)                                                     \
	"arrival_us,input_tokens,output_tokens," column "\n10,10,4," cell "\n"
static void wrong_cells(void)
{
	static const char *const row[][3] = {
	    {"prefix_tokens", "x", "prefix_tokens = x: not a whole number"},
	    {"prefix_tokens", "5", "prefix_tokens without a prefix_group"},
	    {"turn", "-1", "turn = -1: not a whole number"},
	    {"turn", "2147483648", "turn = 2147483648: at most 2147483647"},
	    {"turn", "1", "turn without a session_id"},
	    {"priority", "high", "priority = high: not a whole number"},
	    {"priority", "0.5", "priority = 0.5: not a whole number"},
	    {"priority", "-2147483649", "priority = -2147483649: not a whole"},
	    {"priority", "2147483648", "priority = 2147483648: not a whole"},
	    {"mm_items", "x:1:a", "mm_items: x:1:a: not offset:length:name"},
	    {"mm_items", "0:x:a", "mm_items: 0:x:a: not offset:length:name"},
	    {"mm_items", "0", "mm_items: 0: not offset:length:name"},
	    {"mm_items", "2147483648:1:a",
	     "mm_items: 2147483648:1:a: reaches beyond the prompt"},
	    {"mm_items", "0:2147483648:a",
	     "mm_items: 0:2147483648:a: reaches beyond the prompt"},
	    {"max_tokens", "x", "max_tokens = x: not a whole number"},
	    {"max_tokens", "3", "max_tokens = 3: at least output_tokens = 4"},
	    {"max_tokens", "2147483647",
	     "max_tokens = 2147483647: at least output_tokens = 4"},
	    {"stop_tokens", "x", "stop_tokens = x: not a whole number"},
	    {"stop_tokens", "5", "stop_tokens = 5: at most output_tokens = 4"},
	    {"cancel_us", "x", "cancel_us = x: not a time"},
	    {"cancel_us", "9", "cancel_us is before arrival_us"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char text[200], want[200];
		snprintf(text, sizeof text, MORE("%s", "%s"), row[i][0],
			 row[i][1]);
		snprintf(want, sizeof want, "!3 trace:2: %s", row[i][2]);
		refuses(row[i][2], text, "", want);
	}
	refuses("a wrong output", MORE("turn", "") "1,1,x,\n", "",
		"!3 trace:3: output_tokens = x: not a whole number");
	reads("a class that is a name, or a large number; an end at once",
	      MORE("slo_class,cancel_us", "4294967296,10") "20,9,3,gold,\n"
							   "20,8,3,7,\n",
	      "", "10:10+4 20:9+3 20:8+3");
	refuses("of a long cell 60 characters are shown",
		"arrival_us,input_tokens,output_tokens\n0,"
		"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee"
		"ffffffffffgggg,1\n",
		"",
		"!3 trace:2: input_tokens = "
		"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee"
		"ffffffffff: not");
	reads("a cell of two lines",
	      MORE("request_id", "\"a\nb\"") "20,9,3,c\n", "",
	      "10:10+4 20:9+3");
}

static void priorities(void)
{
	struct request r = {0};
	int64_t ns;
	int wrong = 0;
	file("trace", "arrival_us,input_tokens,output_tokens,priority\n"
		      "0,1,1,7\n1,1,1,-7\n2,1,1,2147483647\n");
	struct workload *w = with("trace", "");
	for (int i = 0; w && i < 3; i++) {
		wrong += workload_peek(w, &ns, &p) != 1 ||
			 workload_pop(w, &r, &p) < 0 ||
			 r.priority != (const int32_t[]){7, -7, INT32_MAX}[i];
	}
	ok(w && wrong == 0, "priorities of both signs");
	workload_free(w);
}

int main(void)
{
	begin_traces();
	stepcost_csv();
	wrong_cells();
	priorities();
	return end_traces();
}
