/* The key `columns`, read and written. */
#include "workload/trace/trace_columns.h"
#include <string.h>
#include "tap.h"

static struct trace_columns c;
static struct problem p;

/* Reads the text and writes it again; the error if it is refused. */
static const char *again(const char *text)
{
	static char buf[TRACE_COLUMNS_TEXT];
	p = (struct problem){0};
	return trace_columns_parse(&c, text, "x.ini:3", &p) < 0
		   ? p.text
		   : trace_columns_write(&c, buf);
}

static void taken(void)
{
	is(again("time:timestamp@s, input:prompt_tokens, "
		 "output:completion_tokens"),
	   "time:timestamp@s, input:prompt_tokens, output:completion_tokens",
	   "all of it");
	ok(c.unit == UNIT_S && !strcmp(c.name[ROLE_TIME], "timestamp"),
	   "with the unit");
	is(again(" output:b ,input : Prompt tokens,time:  t "),
	   "time:t, input:Prompt tokens, output:b", "any order, and spaces");
	ok(c.unit == UNIT_UNKNOWN, "no unit");
	is(again("time:t@ ms ,input:a,output:\"b \""),
	   "time:t@ms, input:a, output:\"b \"", "spaces that belong to it");
	is(again("input:a,output:b"), "input:a, output:b", "no time");
	ok(trace_columns_given(&c), "columns are given");
	is(again("input:\"tokens, in\",output:\" b\",time:\"a@b\"@ms"),
	   "time:\"a@b\"@ms, input:\"tokens, in\", output:\" b\"", "quotes");
	is(c.name[ROLE_INPUT], "tokens, in", "which do not belong to the name");
	is(again("input:\"say \"\"a\"\"\",output:b@s"),
	   "input:\"say \"\"a\"\"\", output:b@s", "quotes in quotes");
	is(c.name[ROLE_INPUT], "say \"a\"", "are single in the name");
	is(again("input:a:b,output:b"), "input:a:b, output:b",
	   "a name has a colon");
	is(again("input:n,output:n"), "input:n, output:n",
	   "one column has two roles");
	c = (struct trace_columns){0};
	ok(!trace_columns_given(&c), "zeroed: none");
}

static void refused(const char *text, const char *want)
{
	const char *got = again(text);
	if (!ok(p.code == EXIT_USAGE && strstr(got, want) &&
		    !strncmp(got, "x.ini:3: columns = ", 19),
		"'%s' is refused", text))
		printf("#  got: %s\n# want: %s\n", got, want);
}

int main(void)
{
	static const char *const before[] = {"input:", "input:\"", "",
					     "input:a,output:b,time:t@"};
	static const char *const says[] = {
	    "a name is too long", "a name is too long",
	    "a role is time, input or output", "unknown unit xxxxxxxx"};
	taken();
	refused("prompt_tokens", "no ':' after prompt_tokens");
	refused("input:a,,output:b", "no ':' after a comma");
	refused("inptu:a,output:b", "no role 'inptu' (did you mean 'input'?)");
	refused("input:a", "no column is named for output");
	refused("time:t,output:a", "no column is named for input");
	refused("input:,output:b", "no column is named for input");
	refused("time:@s,input:a,output:b", "no column is named for time");
	refused("input:a,input:b,output:c", "two columns for input");
	refused("time:t@sec,input:a,output:b", "unknown unit sec");
	refused("time:t@,input:a,output:b", "unknown unit ");
	refused("input:\"a,output:b", "a quote is not closed");
	refused("input:\"a\"b,output:b", "a comma is missing before b");
	refused("input:\"a\"@s,output:b", "only the time has a unit");
	ok(trace_columns_beside(&c, "input:a,output:b", "x:1", "azure", &p) < 0,
	   "beside a format");
	is(p.text,
	   "x:1: columns = input:a,output:b: format = azure names the columns "
	   "itself; give one of the two keys",
	   "it names the columns itself");
	ok(trace_columns_beside(&c, "input:a,output:b", "x:1", "columns", &p) ==
		   0 &&
	       trace_columns_beside(&c, "input:a,output:b", "x:1", "auto",
				    &p) == 0,
	   "beside its own, and none");
	for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
		char text[300];
		snprintf(text, sizeof text, "%s%0128d", before[i], 0);
		for (char *s = text; *s; s++)
			*s = *s == '0' ? 'x' : *s;
		refused(text, says[i]);
	}
	return done();
}
