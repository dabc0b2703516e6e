/* Every format with the quirks that real files of it have.  The traces here
 * were made up for this test. */
#include <inttypes.h>
#include <unistd.h>
#include "tap.h"
#include "workload/workload.h"
#include "workload_of.h"

static char folder[] = "/tmp/stepcost-trace-XXXXXX";
static struct problem p;

static const char *path(const char *name)
{
	static char full[200];
	snprintf(full, sizeof full, "%s/%s", folder, name);
	return full;
}

static void file_n(const char *name, const char *text, size_t n)
{
	FILE *f = fopen(path(name), "w");
	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		bail_out("cannot write a fixture");
}

static void file(const char *name, const char *text)
{
	file_n(name, text, strlen(text));
}

/* A workload from the trace and "key=value key=value". */
static struct workload *with(const char *name, const char *keys)
{
	struct ini c;
	struct workload_keys k;
	struct workload *w = NULL;
	char all[500];
	snprintf(all, sizeof all, "trace=%s %s", path(name), keys);
	if (workload_of(&k, &c, all, &p) == 0)
		w = workload_open(&k, &c, &p);
	ini_free(&c);
	return w;
}

/* "us:input+output" of every request, or "!" and what is wrong, without the
 * folder. */
static const char *requests(const char *name, const char *keys)
{
	static char all[4000];
	struct workload *w = with(name, keys);
	struct request r;
	int64_t ns;
	int got = w ? 1 : -1;
	size_t n = 0;
	all[0] = '\0';
	while (w && (got = workload_peek(w, &ns, &p)) == 1 &&
	       (got = workload_pop(w, &r, &p)) == 0 && n < sizeof all - 100)
		n += (size_t)sprintf(all + n, "%s%" PRId64 ":%u+%u",
				     n ? " " : "", r.arrival_ns / 1000,
				     r.input_tokens, r.output_tokens);
	if (got < 0) {
		const char *cut = strstr(p.text, folder);
		size_t before = cut ? (size_t)(cut - p.text) : 0;
		size_t skipped = cut ? before + strlen(folder) + 1 : 0;
		snprintf(all, sizeof all, "!%d %.*s%s", p.code, (int)before,
			 p.text, p.text + skipped);
	}
	workload_free(w);
	return all;
}

static void reads(const char *what, const char *text, const char *keys,
		  const char *want)
{
	file("trace", text);
	is(requests("trace", keys), want, "%s", what);
}

/* The error begins with that. */
static void refuses(const char *what, const char *text, const char *keys,
		    const char *want)
{
	file("trace", text);
	const char *got = requests("trace", keys);
	if (!ok(!strncmp(got, want, strlen(want)), "%s", what))
		printf("#  got: %s\n# want: %s\n", got, want);
}

static const char *note(const char *name, const char *keys, uint32_t i)
{
	static char text[1100];
	struct workload *w = with(name, keys);
	const char *s = w ? workload_note(w, i) : p.text;
	const char *cut = s ? strstr(s, folder) : NULL;
	snprintf(text, sizeof text, "%s",
		 cut ? cut + strlen(folder) + 1
		 : s ? s
		     : "");
	workload_free(w);
	return text;
}

/* The tokens of each segment of each request, those of ids not seen before
 * with a '+'. */
static const char *segments(const char *name, const char *keys)
{
	static char all[4000];
	struct workload *w = with(name, keys);
	struct request r;
	int64_t ns;
	uint64_t seen[100], n_seen = 0;
	size_t n = 0;
	if (!w)
		return p.text;
	all[0] = '\0';
	while (workload_peek(w, &ns, &p) == 1 && workload_pop(w, &r, &p) == 0) {
		n += (size_t)sprintf(all + n, "|");
		for (uint32_t i = 0; i < r.n_segments; i++) {
			uint64_t k = 0;
			while (k < n_seen && seen[k] != r.segment[i].id)
				k++;
			n += (size_t)sprintf(all + n, "%s%u ",
					     k == n_seen ? "+" : "",
					     r.segment[i].tokens);
			if (k == n_seen)
				seen[n_seen++] = r.segment[i].id;
		}
		if (r.output_id)
			seen[n_seen++] = r.output_id;
	}
	workload_free(w);
	return all;
}

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
	refuses("a reserved column",
		"arrival_us,input_tokens,output_tokens,adapter\n0,1,1,a\n", "",
		"!3 trace:1: column 'adapter' is reserved");
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
	is(requests("trace", ""), "!3 trace:2: has a NUL", "a NUL");
	is(requests("missing", ""),
	   "!2 --set: trace: missing: No such file or directory",
	   "no such file");
}

static void azure(void)
{
	reads("Azure 2023: 7 digits, CRLF, no last newline",
	      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
	      "2023-11-16 18:15:46.6805900,374,44\r\n"
	      "2023-11-16 18:15:50.9951690,396,109\r\n"
	      "2023-11-17 00:00:00.0000001,8,9",
	      "", "0:374+44 4314579:396+109 20653319410:8+9");
	reads("Azure 2024: a zone, and no fraction at all",
	      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
	      "2024-05-12 00:00:00.009930+00:00,2162,5\n"
	      "2024-05-12 00:00:10+00:00,5,6\n"
	      "2024-05-12T02:00:11.5+02:00,7,8\n2024-05-12T00:00:12Z,1,1\n",
	      "", "0:2162+5 9990070:5+6 11490070:7+8 11990070:1+1");
	reads("a leap year",
	      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
	      "2024-02-28 23:59:59,1,1\n2024-03-01 00:00:00,1,1\n",
	      "", "0:1+1 86401000000:1+1");
	refuses("not a date",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-13-01 "
		"00:00:00,1,1\n",
		"", "!3 trace:2: TIMESTAMP = 2024-13-01");
	refuses("a date cut short",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-12-01 00:00,1,"
		"1\n",
		"", "!3 trace:2: TIMESTAMP = 2024-12-01 00:00:");
}

#define MOON(time, in, ids)                                                    \
	"{\"timestamp\": " time ", \"input_length\": " in                      \
	", \"output_length\": 5, \"hash_ids\": [" ids "]}\n"
#define QWEN(chat, parent, time, in, ids)                                      \
	"{\"chat_id\": " chat ", \"parent_chat_id\": " parent                  \
	", \"timestamp\": " time ", \"input_length\": " in                     \
	", \"output_length\": 5, \"type\": \"text\", \"turn\": 1, "            \
	"\"hash_ids\": [" ids "]}\n"

static void mooncake_and_qwen(void)
{
	reads("Mooncake: ms, told by its blocks",
	      MOON("0", "600", "0, 1") MOON("3000", "1024", "0, 2"), "",
	      "0:600+5 3000000:1024+5");
	is(segments("trace", ""), "|+512 +88 |512 +512 ",
	   "hash ids as segments of 512, the last shorter");
	reads("a blank line between, two at the end, ids beyond 64 bits",
	      MOON("0", "600", "99999999999999999999, 1") "\n" MOON(
		  "1", "600", "99999999999999999999, 2") "\n\n",
	      "", "0:600+5 1000:600+5");
	is(segments("trace", ""), "|+512 +88 |512 +88 ", "the same id");
	reads("Qwen: s, told by its blocks",
	      QWEN("1", "-1", "0.5", "40", "1,2,3")
		  QWEN("2", "1", "61.114", "50", "1,2,4"),
	      "", "0:40+5 60614000:50+5");
	is(segments("trace", ""), "|+16 +16 +8 |16 16 +16 ",
	   "blocks of 16; a part of a block may be left out");
	reads("made up: 0, 1, 2, 3",
	      MOON("0", "600", "0, 1") MOON("1", "600", "0, 2")
		  MOON("2", "600", "0, 1") MOON("3", "600", "0, 1"),
	      "", "0:600+5 1000:600+5 2000:600+5 3000:600+5");
	is(note("trace", "", 0),
	   "trace: its requests are exactly evenly spaced; measured requests "
	   "are not",
	   "is remarked");
	refuses("either of them", MOON("0", "10", "1") MOON("1", "12", "2"), "",
		"!3 trace:1: it could be Mooncake's");
	refuses("Mooncake's keys without hash ids",
		"{\"timestamp\": 0, \"input_length\": 3, \"output_length\": "
		"1}\n",
		"", "!3 trace:1: it could be Mooncake's");
	reads("unless it is said",
	      "{\"timestamp\": 5, \"input_length\": 3, \"output_length\": 1}\n"
	      "{\"timestamp\": 9, \"input_length\": 3, \"output_length\": 1}\n",
	      "format=mooncake", "0:3+1 4000:3+1");
	refuses("Qwen's seconds as Mooncake's ms",
		QWEN("1", "-1", "0.5", "40", "1"), "format=mooncake",
		"!3 trace:1: timestamp = 0.5: Mooncake's are whole ms");
	refuses("blocks of another size", MOON("0", "600", "0, 1, 2"),
		"format=mooncake",
		"!3 trace:1: 3 hash_ids, but 600 tokens are 2 blocks of 512");
	reads("unless that is said", MOON("0", "600", "0, 1, 2"),
	      "format=mooncake hash_block_tokens=256", "0:600+5");
	refuses("a README's dots", MOON("0", "600", "0, ..., 1"),
		"format=mooncake", "!3 trace:1: ");
	refuses("a comment", MOON("0", "600", "0, 1") "// more\n", "",
		"!3 trace:2: '{' expected");
	refuses("a truncated last line",
		MOON("0", "600", "0, 1") "{\"timestamp\": 7, \"input_le", "",
		"!3 trace:2: not JSON: it ends too early");
	refuses("an object of lists as a list",
		"{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, "
		"\"hash_ids\": {}}\n",
		"format=mooncake", "!3 trace:1: '[' expected");
	refuses("a key twice",
		"{\"timestamp\": 0, \"timestamp\": 1, \"input_length\": 3, "
		"\"output_length\": 1}\n",
		"format=mooncake", "!3 trace:1: key timestamp comes twice");
}

/* What a file is told from ends in the middle of a line. */
static void long_files(void)
{
	static const struct {
		const char *format, *row;
	} kind[] = {{"mooncake", MOON("7", "600", "1, 2")},
		    {"qwen", QWEN("1", "-1", "7", "40", "1,2,3")},
		    {"ragpulse",
		     "{\"timestamp\": \"7\", \"input_length\": 3, "
		     "\"output_length\": 1, \"hash_ids\": {\"history\": "
		     "[1]}}\n"}};
	for (int i = 0; i < 3; i++) {
		FILE *f = fopen(path("trace"), "w");
		for (int k = 0; f && k < 2000; k++)
			fputs(kind[i].row, f);
		if (!f || fclose(f))
			bail_out("cannot write a fixture");
		struct workload *w = with("trace", "");
		is(w ? workload_kind(w) : p.text, kind[i].format,
		   "a long file of %s", kind[i].format);
		ok(w && workload_total(w) == 2000, "all of it");
		workload_free(w);
	}
}

static void burstgpt(void)
{
	reads("BurstGPT v1",
	      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
	      "Type\n5,ChatGPT,472,18,490,Conversation log\n"
	      "45,GPT-4,10,0,10,API log\n45,GPT-4,0,0,0,API log\n"
	      "118,GPT-4,20,7,27,API log\n",
	      "", "0:472+18 113000000:20+7");
	is(note("trace", "", 0),
	   "trace: 2 failed requests (0 tokens) dropped, 2 kept",
	   "failed ones are counted");
	refuses(
	    "or refused",
	    "Timestamp,Model,Request tokens,Response tokens,"
	    "Total tokens,Log Type\n45,GPT-4,10,0,10,API\n",
	    "failed=error",
	    "!3 trace:2: 10 input and 0 output tokens: both must be at least "
	    "1");
	refuses("nothing but failed ones",
		"Timestamp,Model,Request tokens,Response tokens,Total tokens,"
		"Log Type\n45,GPT-4,10,0,10,API\n",
		"", "!3 trace:2: all requests failed");
	reads("v3: columns in front, times as 19440110.0",
	      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response "
	      "tokens,Total tokens,Log Type\n"
	      "19440110.0,,3.5,GPT-4,20,7,27,API log\n"
	      "19440112.0,77,3.5,GPT-4,21,8,29,Conversation log\n",
	      "", "0:20+7 2000000:21+8");
}

static void ragpulse(void)
{
	const char *rows =
	    "{\"timestamp\": \"82\", \"input_length\": 312, \"output_length\": "
	    "19, \"hash_ids\": {\"sys_prompt\": [1, 2], \"passages_ids\": [], "
	    "\"history\": [3], \"web_search\": [], \"user_input\": [4]}, "
	    "\"session_id\": \"17-a\"}\n"
	    "{\"timestamp\": \"90\", \"input_length\": 112, \"output_length\": "
	    "9, \"hash_ids\": {\"sys_prompt\": [1, 2], \"passages_ids\": [9], "
	    "\"history\": [], \"web_search\": [], \"user_input\": [4]}}\n"
	    "{\"timestamp\": \"0\", \"input_length\": 50, \"output_length\": "
	    "8, \"hash_ids\": {\"sys_prompt\": [1], \"passages_ids\": [], "
	    "\"history\": [], \"web_search\": [], \"user_input\": []}}\n\n";
	reads("RAGPulse: seconds as text, a clock that starts again", rows, "",
	      "0:50+8 82000000:312+19 90000000:112+9");
	is(note("trace", "", 1),
	   "trace:3: earlier than the row before; rows are sorted by "
	   "time",
	   "which is said with the line");
	is(segments("trace", ""), "|||", "no lengths of hash ids, no prefix");
	file("1_sys_prompt.jsonl",
	     "{\"sys_prompt_id\": 1, \"token_length\": 60}\n"
	     "{\"sys_prompt_id\": 2, \"token_length\": 30}\n");
	file("3_history.jsonl", "{\"history_id\": 3, \"token_length\": 7}\n");
	is(segments("trace", ""), "|+50 |60 +30 +7 |60 30 ",
	   "up to the first id of unknown length, and to the prompt's end");
	unlink(path("1_sys_prompt.jsonl")), unlink(path("3_history.jsonl"));
}

static void servegen(void)
{
	file("chunk-1-trace.csv",
	     "0,0.5,1,Gamma,1,2\n600,0,0,,0,0\n1200,0.25,1.3,Weibull,0.8,1e-05"
	     "\n");
	refuses("ServeGen without lengths", "0,0.5,1,Gamma,1,2\n", "",
		"!2 --set: trace: trace: windows have no lengths");
	reads("but with those of [workload]",
	      "0,0.005,1,Gamma,1,2\n600,0,0,,0,0\n",
	      "input_tokens=7 output_tokens=8 num_requests=1",
	      requests("trace", "input_tokens=7 output_tokens=8 "
				"num_requests=1"));
	file("chunk-1-dataset.json",
	     "{\"1200\": {\"input_tokens\": \"{100: 0.5, 120: 0.5}\", "
	     "\"output_tokens\": \"{9: 1.0}\"}, \"600\": {\"input_tokens\": "
	     "\"{}\", \"output_tokens\": \"{}\"}, \"0\": {\"input_tokens\": "
	     "\"{\\\"5\\\": 1}\", \"output_tokens\": \"{0: 1}\"}}");
	struct workload *w = with("chunk-1-trace.csv", "");
	struct request r;
	int64_t ns;
	int n[3] = {0}, good = w != NULL, long_ones = 0;
	while (w && workload_peek(w, &ns, &p) == 1 &&
	       workload_pop(w, &r, &p) == 0) {
		int late = r.input_tokens > 5;
		n[r.line - 1]++;
		good &= late ? r.output_tokens == 9 && (r.input_tokens == 100 ||
							r.input_tokens == 120)
			     : r.output_tokens == 1;
		good &= late == (r.line == 3);
		long_ones += r.input_tokens == 120;
	}
	ok(good && n[0] == 300 && n[1] == 0 && n[2] == 150,
	   "ServeGen's windows have their counts, and lengths of their time: "
	   "%d %d %d",
	   n[0], n[1], n[2]);
	ok(long_ones > 50 && long_ones < 100, "as distributed: %d of 150",
	   long_ones);
	workload_free(w);
	refuses("a window of another pattern", "0,0.5,1,Pareto,1,2\n",
		"input_tokens=7 output_tokens=8",
		"!3 trace:1: the pattern must be Gamma");
	refuses("a cell too few", "0,0.5,1,Gamma,1\n", "format=servegen",
		"!3 trace:1: a window has 6 cells");
	file("chunk-1-dataset.json",
	     "version https://git-lfs.github.com/spec/v1\n");
	const char *got = requests("chunk-1-trace.csv", "");
	is(got,
	   "!3 chunk-1-dataset.json:1: is a git-LFS pointer, not the data: "
	   "run git lfs pull",
	   "a git-LFS pointer of lengths");
	unlink(path("chunk-1-trace.csv")), unlink(path("chunk-1-dataset.json"));
}

static void texts(void)
{
	const char *chats =
	    "[{\"id\": \"a\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"\\u00e9\\u00e9\xc3\xa9 45678\"}, {\"from\": \"gpt\", "
	    "\"value\": \"12\\\"4\"}]},\n"
	    "{\"id\": \"b\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"x\"}]},\n"
	    "{\"id\": \"c\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"12345678\"}, {\"from\": \"gpt\", \"value\": "
	    "\"\"}]}]\n";
	reads("ShareGPT: characters, two turns, no times", chats,
	      "interarrival_us=10", "0:3+1");
	is(note("trace", "interarrival_us=10", 0),
	   "trace: holds text: its lengths are estimated, 4 characters a token "
	   "(chars_per_token)",
	   "which is said");
	refuses("no times, no rate", chats, "",
		"!2 <text>: [workload] needs request_rate");
	refuses("cut short", "[{\"conversations\": [\n{\"value\": \"x\"}, ", "",
		"!3 trace:2: not JSON: it ends too early");
	reads("vLLM prompts",
	      "{\"prompt\": \"12345678\", \"output_tokens\": 7}\n"
	      "{\"prompt\": \"1\", \"output_tokens\": 9}\n",
	      "interarrival_us=10", "0:2+7 10:1+9");
	reads("vLLM prompts without lengths of answers",
	      "{\"prompt\": \"12345678\"}\n",
	      "interarrival_us=10 output_tokens=3", "0:2+3");
	refuses("and none given", "{\"prompt\": \"12345678\"}\n",
		"interarrival_us=10", "!3 trace:1: no output_tokens");
}

static void results(void)
{
	reads("vLLM's result: NaN, errors, start times",
	      "{\"duration\": 1.5, \"request_throughput\": NaN, \"input_lens\":"
	      " [10, 20, 30], \"output_lens\": [1, 0, 3], \"itls\": [[0.1], "
	      "[]], \"start_times\": [100.25, 100.5, 101.000001], \"errors\": "
	      "[\"\", \"timeout\", \"\"], \"request_rate\": Infinity}",
	      "", "0:10+1 750001:30+3");
	reads("two of them, without start times",
	      "{\"input_lens\": [10], \"output_lens\": [1]}\n"
	      "{\"input_lens\": [11], \"output_lens\": [2]}",
	      "interarrival_us=10", "0:10+1 10:11+2");
	refuses("without detail",
		"{\"duration\": 1.5,\n \"request_throughput\": 3}\n", "",
		"!3 trace:2: has no input_lens and output_lens");
	refuses("ragged", "{\"input_lens\": [10, 20], \"output_lens\": [1]}\n",
		"interarrival_us=10",
		"!3 trace:1: output_lens has 1 items, not 2");
	reads("inference-perf's report",
	      "[{\"start_time\": 1000.5, \"end_time\": 1001, \"request\": "
	      "\"{}\", \"info\": {\"input_tokens\": 10, \"output_tokens\": 4, "
	      "\"output_token_times\": [1, 2]}, \"error\": null},\n"
	      " {\"start_time\": 1001.75, \"info\": {\"input_tokens\": 10, "
	      "\"output_tokens\": 4}, \"error\": {\"error_type\": \"x\"}},\n"
	      " {\"start_time\": 1002, \"info\": {\"input_tokens\": 11, "
	      "\"output_tokens\": 5}, \"error\": null}]",
	      "", "0:10+4 1500000:11+5");
	reads("inference-perf's shared prefixes",
	      "{\"timestamp\": 5.5, \"shared_prefix_length\": 100, "
	      "\"tail_input_length\": 20, \"output_length\": 7, "
	      "\"shared_prefix_id\": 3}\n"
	      "{\"timestamp\": 6, \"shared_prefix_length\": 90, "
	      "\"tail_input_length\": 25, \"output_length\": 8, "
	      "\"shared_prefix_id\": 3}\n",
	      "", "0:120+7 500000:115+8");
	is(segments("trace", ""), "|+100 |90 ", "as segments");
}

static void simulators(void)
{
	reads("vidur",
	      "arrived_at,num_prefill_tokens,num_decode_tokens\n"
	      "0.5,10,3\n1.25,0,4\n",
	      "", "0:10+3 750000:1+4");
	is(note("trace", "", 0), "trace: 0 tokens are read as 1, as in vidur",
	   "0 is 1 there");
	reads("vidur's lengths alone",
	      "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n"
	      "10,3,13,3.33\n",
	      "interarrival_us=10", "0:10+3");
	reads("LLMServingSim: ns beyond 2^53",
	      "{\"input_toks\": 3, \"output_toks\": 2, \"arrival_time_ns\": "
	      "1759813207532900363, \"input_tok_ids\": [1, 2, 3], "
	      "\"output_tok_ids\": [4, 5]}\n"
	      "{\"input_toks\": 18, \"output_toks\": 2, \"arrival_time_ns\": "
	      "1759813207532903363}\n",
	      "", "0:3+2 3:18+2");
	reads("and tokens, from which prefixes are known",
	      "{\"input_toks\": 5, \"output_toks\": 1, \"arrival_time_ns\": 0, "
	      "\"input_tok_ids\": [1, 2, 3, 4, 5]}\n"
	      "{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time_ns\": 0, "
	      "\"input_tok_ids\": [1, 2, 3, 4, 9, 9]}\n",
	      "hash_block_tokens=2", "0:5+1 0:6+1");
	is(segments("trace", "hash_block_tokens=2"), "|+2 +2 +1 |2 2 +2 ",
	   "in blocks");
	refuses("other lengths than tokens",
		"{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time_ns\": "
		"0, \"input_tok_ids\": [1]}\n",
		"", "!3 trace:1: input_toks = 6, but 1 input_tok_ids");
	refuses("agentic rows", "{\"sub_requests\": [{\"input_toks\": 6}]}\n",
		"format=llmservingsim", "!3 trace:1: sub_requests");
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	stepcost_csv();
	azure();
	mooncake_and_qwen();
	long_files();
	burstgpt();
	ragpulse();
	servegen();
	texts();
	results();
	simulators();
	refuses("CSV of nobody's", "a,b\n1,2\n", "",
		"!3 trace:1: its columns are not those of a known format");
	refuses("JSON of nobody's", "{\"a\": 1}\n", "",
		"!3 trace:1: its JSON is not of a known format");
	refuses("a folder for a file", "", "trace=/tmp",
		"!2 --set: trace: /tmp: Is a directory");
	unlink(path("trace"));
	rmdir(folder);
	return done();
}
