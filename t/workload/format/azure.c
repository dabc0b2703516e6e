/* Azure's traces of 2023 and 2024: times as dates. */
#include "trace_read.h"

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

static void far_apart(void)
{
	refuses("rows 400 years apart",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n"
		"1700-01-01 00:00:00,1,1\n2100-01-01 00:00:00,1,1\n",
		"",
		"!3 trace:3: its time is over 292 years from the first row's");
	refuses("a wrong length",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n"
		"2024-01-01 00:00:00,x,1\n",
		"", "!3 trace:2: ContextTokens = x: not a whole number");
}

int main(void)
{
	begin_traces();
	azure();
	far_apart();
	return end_traces();
}
