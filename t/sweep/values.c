/* The values of an axis: lists, ranges, numbers in one form. */
#include "sweep/values.h"
#include <string.h>
#include "tap.h"

static void gives(const char *text, const char *want)
{
	struct names l = {0};
	struct problem p = {0};
	char buf[400];
	int rc = values_parse(&l, "a.b", text, &p);
	ok(rc == 0 && !strcmp(names_join(&l, buf, sizeof buf), want), "%s",
	   text);
	names_free(&l);
}

static void refuses(const char *text, const char *why)
{
	struct names l = {0};
	struct problem p = {0};
	int rc = values_parse(&l, "a.b", text, &p);
	ok(rc < 0 && p.code == EXIT_USAGE && strstr(p.text, why), "'%s': %s",
	   text, why);
	names_free(&l);
}

/* A longer text is cut off. */
static void longest(void)
{
	char text[VALUE_SIZE + 10], out[VALUE_SIZE];
	memset(text, 'x', sizeof text);
	value_plain(out, text, sizeof text);
	ok(strlen(out) == VALUE_SIZE - 1, "%zu characters", strlen(out));
}

int main(void)
{
	gives("1,2,3", "1, 2, 3");
	gives(" a , b ", "a, b");
	gives("5.0,1e1,0.50", "5, 10, 0.5");
	gives("007,0x10,-2.50", "007, 0x10, -2.5");
	gives("5:20:5", "5, 10, 15, 20");
	gives("0.1:0.5:0.1", "0.1, 0.2, 0.3, 0.4, 0.5");
	gives("3:1:-1", "3, 2, 1");
	gives("1:16:*2", "1, 2, 4, 8, 16");
	gives("8:1:*0.5", "8, 4, 2, 1");
	gives("1,4:6:1,64", "1, 4, 5, 6, 64");
	gives("7:7:1", "7");
	gives("lognormal:mean=512,p50=400;constant:100",
	      "lognormal:mean=512,p50=400, constant:100");
	gives("18446744073709551615", "18446744073709551615");
	gives("-0,.5,\t3 ", "0, 0.5, 3");
	gives("1e999,-,-a,1.5.2,.,-.", "1e999, -, -a, 1.5.2, ., -.");
	gives("9007199254740991,9007199254740992,1e400",
	      "9007199254740991, 9007199254740992, 1e400");
	gives("1:2:3:4,a:2:3,1:b:3,1:2:c,1:2:*c,1:2",
	      "1:2:3:4, a:2:3, 1:b:3, 1:2:c, 1:2:*c, 1:2");
	gives("0:0:*2", "0");
	gives("-1:1:1", "-1, 0, 1");
	gives("1:0.5:-0.25", "1, 0.75, 0.5");
	longest();
	refuses("", "an empty value");
	refuses("1,,2", "an empty value");
	refuses("1,2,1.0", "1 given twice");
	refuses("1:10:-1", "does not lead from");
	refuses("1:10:0", "does not lead from");
	refuses("1:10:*1", "does not lead from");
	refuses("0:10:*2", "does not lead from");
	static const char *const away[] = {
	    "3:1:1",     "8:1:*2",    "1:8:*0.5",   "1:8:*-1",
	    "8:-1:*0.5", "-8:1:*0.5", "-8:-1:*0.5", "8:1:*1"};
	for (size_t i = 0; i < sizeof away / sizeof *away; i++)
		refuses(away[i], "the step does not lead from");
	refuses("  ,1", "an empty value");
	refuses("0:10:0.0000001", "more than");
	refuses("9:-9e15:-1", "more than");
	refuses("1:9e15:*1.00000001", "more than");
	refuses("2,0:999999:1,3", "more than");
	return done();
}
