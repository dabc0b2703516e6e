/* CSV files of any make, by the columns that the key names. */
#include "trace_read.h"

static const char rows[] = "t,in,out\n0,10,1\n2,20,2\n5,30,3\n";

static void maps(void)
{
	reads("columns by name", "b,when,a\n7,0.5,100\n8,2,200\n",
	      "columns=time:when@s,input:a,output:b", "0:100+7 1500000:200+8");
	reads("milliseconds", rows, "columns=time:t@ms,input:in,output:out",
	      "0:10+1 2000:20+2 5000:30+3");
	reads("microseconds", rows, "columns=time:t@us,input:in,output:out",
	      "0:10+1 2:20+2 5:30+3");
	reads("nanoseconds since 1970",
	      "t,in,out\n1700000000000000001,1,1\n1700000000000005001,2,2\n",
	      "columns=time:t@ns,input:in,output:out", "0:1+1 5:2+2");
	reads("dates",
	      "t,in,out\n2024-01-01 00:00:00,1,1\n2024-01-01T00:00:01.5Z,2,2\n",
	      "columns=time:t@date,input:in,output:out", "0:1+1 1500000:2+2");
	reads("lengths alone", rows,
	      "columns=input:in,output:out arrival=constant request_rate=1",
	      "0:10+1 1000000:20+2 2000000:30+3");
	reads("out of order, the times count from the first",
	      "t,in,out\n5,1,1\n3,2,2\n",
	      "columns=time:t@us,input:in,output:out", "0:2+2 2:1+1");
	reads("a failed request is dropped", "t,in,out\n5,1,1\n6,2,0\n7,3,3\n",
	      "columns=time:t@us,input:in,output:out", "0:1+1 2:3+3");
	reads("a column with two roles", rows,
	      "columns=time:t@us,input:out,output:out", "0:1+1 2:2+2 5:3+3");
}

static void spelled(void)
{
	reads("semicolons, decimal commas, CRLF, a mark at the beginning",
	      "\xef\xbb\xbft;in;out\r\n0,5;10;1\r\n1,25;20;2\r\n",
	      "columns=time:t@s,input:in,output:out", "0:10+1 750000:20+2");
	reads("tabs, and an empty cell", "t\tin\tx\tout\n0\t10\t\t1\n",
	      "columns=time:t@s,input:in,output:out", "0:10+1");
	reads("a row of one empty cell and a tab is a row",
	      "in\tout\tx\n10\t1\ta\n20\t2\t\n",
	      "columns=input:in,output:out request_rate=inf", "0:10+1 0:20+2");
	reads("a comma in a name", "t,\"in,all\",\"out\"\n1,2,3\n",
	      "columns=time:t@s,input:\"in,all\",output:out", "0:2+3");
	refuses("a comma between digits of a CSV with commas",
		"t,in,out\n\"0,5\",1,1\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:2: t = 0,5: not a time of at least 0");
}

static void guesses(void)
{
	const char *keys = "columns=time:t,input:in,output:out";
	reads("seconds", rows, keys, "0:10+1 2000000:20+2 5000000:30+3");
	is(note("trace", keys, 0),
	   "trace: the unit of column 't' is guessed: s; write time:t@s, or "
	   "another of s, ms, us, ns and date",
	   "and a note says so");
	reads("a date", "t,in,out\n2024-01-01 00:00:00,1,1\n", keys, "0:1+1");
	file("trace", rows);
	is(note("trace", "columns=time:t@s,input:in,output:out", 0), "",
	   "no note if the unit is given");
}

static void doubts(void)
{
	const char *keys = "columns=time:t@ns,input:in,output:out";
	file("trace", "t,in,out\n0,10,1\n200,20,2\n900,30,3\n");
	is(note("trace", keys, 0),
	   "trace: 2.22e+06 requests/s is more than a service gets: the time "
	   "is probably in ms, not in ns",
	   "a rate that no service has");
	is(note("trace", "columns=time:t@ms,input:in,output:out", 0), "",
	   "in ms it is one");
	file("trace", "t,in,out\n0,10,1\n160,20,2\n350,30,3\n");
	is(note("trace", "columns=time:t@s,input:in,output:out", 0),
	   "trace: 0.00571 requests/s is very few: the time is probably in ms, "
	   "not in s",
	   "a rate that is not worth a simulation");
	file("trace", "t,in,out\n2024-01-01 00:00:00,10,1\n"
		      "2024-01-01 01:00:00,20,2\n");
	is(note("trace", "columns=time:t@date,input:in,output:out", 0), "",
	   "dates are what they say");
	file("trace", "t,in,out\n900,10,1\n0,20,2\n200,30,3\n");
	ok(strstr(note("trace", keys, 0), "2.22e+06 requests/s"),
	   "rows that are read twice count once");
	file("trace", "t,in,out\n2024-01-01 00:00:00.000001,10,1\n"
		      "2024-01-01 00:00:00.000002,20,2\n");
	is(note("trace", "columns=time:t@date,input:in,output:out", 0),
	   "trace: 1e+06 requests/s is more than a service gets: is 't' the "
	   "right column?",
	   "dates have no other unit");
	file("trace", "t,in,out\n7,10,1\n7,20,2\n");
	is(note("trace", keys, 0), "trace: all 2 requests have the same time",
	   "all at once");
	file("trace", "t,in,out\n10,10,1\n20,20,2\n40,40,9\n");
	is(note("trace", "columns=time:t@s,input:in,output:out", 0),
	   "trace: the input tokens equal the time in s in all 3 rows: is 'in' "
	   "a time in s?",
	   "lengths that are the times");
	file("trace", "t,in,out\n10,10,10\n20,20,20\n40,41,40\n");
	is(note("trace", "columns=time:t@ms,input:in,output:out", 0),
	   "trace: the output tokens equal the time in ms in all 3 rows: is "
	   "'out' a time in ms?",
	   "all rows, and not most");
}

static void errors(void)
{
	refuses("a near name", rows, "columns=time:t@s,input:inn,output:out",
		"!3 trace:1: no column inn (did you mean 'in'?); the file has: "
		"t, in, out");
	refuses("a name that no other is near", rows,
		"columns=input:tokens,output:out",
		"!3 trace:1: no column tokens; the file has: t, in, out");
	refuses("no time of that name", rows,
		"columns=time:arrival@s,input:in,output:out",
		"!3 trace:1: no column arrival; the file has");
	refuses("a column twice", "in,in,out\n1,2,3\n",
		"columns=input:in,output:out",
		"!3 trace:1: column in comes twice");
	refuses("another format as well", rows,
		"format=azure columns=input:in,output:out",
		"!2 --set: columns = input:in,output:out: format = azure names "
		"the columns itself");
	refuses("no columns", "when,prompt_tokens,output_tokens\n1,2,3\n", "",
		"!3 trace:1: its columns are not those of a known format; "
		"write [workload] columns = time:NAME@UNIT, "
		"input:prompt_tokens, "
		"output:output_tokens; the file has: when, prompt_tokens, "
		"output_tokens");
	refuses("no header", "1,2,3\n4,5,6\n", "format=columns",
		"!3 trace:1: its first line has numbers");
	refuses("a number that is none", "t,in,out\n1,2,3\n4,x,6\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:3: in = x: not a whole number of at least 0");
	refuses("a date that is none", "t,in,out\n1,2,3\n",
		"columns=time:t@date,input:in,output:out",
		"!3 trace:2: t = 1: not a date as in");
	refuses("a day first", "t,in,out\n02.11.2026 09:00:00,2,3\n",
		"columns=time:t,input:in,output:out",
		"!3 trace:2: t = 02.11.2026 09:00:00: not a date as in "
		"2023-11-16 18:15:46.68: write year-month-day");
	refuses("a negative time", "t,in,out\n-1.5,2,3\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:2: t = -1.5: not a time of at least 0");
	refuses("a header alone", "t,in,out\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:1: no requests");
	reads("rows behind the last one used may be wrong",
	      "t,in,out\n1,2,3\n2,3\n",
	      "columns=time:t@s,input:in,output:out num_requests=1", "0:2+3");
}

/* Lines that a CSV reader could take otherwise. */
static void lines_of_csv(void)
{
	static const char keys[] = "columns=time:t@date,input:in,output:out";
	refuses("146 years before the first row and 292 after it",
		"t,in,out\n1845-01-01 00:00:00,2,3\n1700-01-01 00:00:00,2,3\n"
		"2137-01-01 00:00:00,2,3\n",
		keys,
		"!3 trace:4: arrives after 146 years, where the clock ends");
	refuses("a cell too many in a last line without an end",
		"t,in,out\n1,2,3,4", keys,
		"!3 trace:2: 4 cells, but the header has 3");
	refuses("a quote inside a cell", "t,in,out\n1,2\"5\",3\n4,5,6\n", keys,
		"!3 trace:2: ");
	refuses("likely columns, with the time",
		"timestamp,prompt_tokens,completion_tokens,more\n1,2,3,4\n", "",
		"!3 trace:1: its columns are not those of a known format; "
		"write [workload] columns = time:timestamp, "
		"input:prompt_tokens, output:completion_tokens; the file has:");
}

static void spelled_oddly(void)
{
	reads("a point where semicolons separate, and no comma",
	      "t;in;out\n0.5;10;1\n2;20;2\n",
	      "columns=time:t@s,input:in,output:out", "0:10+1 1500000:20+2");
	refuses("a long cell",
		"t;in;out\n0,00000000001111111111222222222233333333334444444444"
		"555555555566;1;1\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:2: t = 0,00000000001111111111");
	refuses("more cells than columns", "t,in,out\n0,10,1,9\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:2: 4 cells, but the header has 3");
	FILE *f = fopen(path("trace"), "w");
	for (int i = -1; f && i < 1100; i++)
		fputs(i < 0 ? "t,in,out\n" : "9,10,1\n", f);
	if (!f || fclose(f))
		bail_out("cannot write a fixture");
	ok(!strncmp(note("trace", "columns=time:t,input:in,output:out", 0),
		    "trace: the unit of column 't' is guessed: s; ", 45),
	   "the unit of a long file");
	refuses("a time of day", "t,in,out\n9:00:00,2,3\n",
		"columns=time:t,input:in,output:out",
		"!3 trace:2: t = 9:00:00: not a date as in");
	refuses("no time, and no date either", "t,in,out\n5x,2,3\n",
		"columns=time:t@s,input:in,output:out",
		"!3 trace:2: t = 5x: not a time of at least 0");
	refuses("a time that cannot be guessed from", "t,in,out\n-5,2,3\n",
		"columns=time:t,input:in,output:out",
		"!3 trace:2: t = -5: not a time of at least 0");
	refuses("nor from", "t,in,out\n1e20,2,3\n",
		"columns=time:t,input:in,output:out",
		"!3 trace:2: t = 1e20: not a time of at least 0");
	file("trace", "t_ms,in,out\n0,10,1\n1,20,2\n");
	is(note("trace", "columns=time:t_ms@s,input:in,output:out", 0),
	   "trace: the name of column 't_ms' says ms, and @s was asked for: is "
	   "that right?",
	   "a name that says another unit");
	is(note("trace", "columns=time:t_ms@ms,input:in,output:out", 0), "",
	   "or the same");
	file("trace", "t_ms,in,out\n2024-01-01 00:00:00,10,1\n"
		      "2024-01-01 00:00:01,20,2\n");
	is(note("trace", "columns=time:t_ms@date,input:in,output:out", 0), "",
	   "a date has none");
}

int main(void)
{
	begin_traces();
	maps();
	spelled();
	guesses();
	doubts();
	errors();
	spelled_oddly();
	lines_of_csv();
	return end_traces();
}
