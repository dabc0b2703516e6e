/* Prices of GPUs, and what a file of them may say. */
#include "keys/prices.h"
#include "scratch.h"

static struct problem p;
static struct price x;

#define HEAD "gpu,usd_per_hour,kind,as_of,list\n"

static int find(const char *text, const char *gpu)
{
	p = (struct problem){0};
	return prices_find(scratch_file("prices.csv", text), gpu, &x, &p);
}

static void refused(const char *text, const char *want)
{
	ok(find(text, "a") < 0, "refused");
	if (!ok(strstr(p.text, want) != NULL, "%s", want))
		printf("# got: %s\n", p.text);
}

static void medians(void)
{
	char text[PRICE_TEXT];
	const char *file = HEAD "a,3,on demand,2026-09,x\n"
				"b,7,spot,2026-10,x\n"
				"a,9,on demand,2025-12,y\n"
				"a,1,on demand,2026-11,z\n";
	ok(find(file, "a") == 0 && x.usd_per_hour == 3 && x.lists == 3,
	   "the median of three lists: %g %s", x.usd_per_hour, p.text);
	is(price_text(text, &x),
	   "on demand, median of 3 lists, 2025-12 to 2026-11",
	   "their kind, and from the oldest to the newest");
	ok(find(file, "b") == 0 && x.usd_per_hour == 7, "another GPU");
	is(price_text(text, &x), "spot, one list, 2026-10", "one list");
	ok(find(file, "c") == 0 && x.usd_per_hour == 0 && x.lists == 0,
	   "a GPU that the file lacks has no price");
	ok(find(HEAD "a,3,on demand,2026-09,x\na,4,on demand,2026-09,y\n",
		"a") == 0 &&
	       x.usd_per_hour == 3.5,
	   "of two lists the mean");
	ok(find("list,note,as_of,gpu,kind,usd_per_hour\nx,,2026-09,a,spot,2\n",
		"a") == 0 &&
	       x.usd_per_hour == 2,
	   "columns in another order, and more of them");
}

static void wrong_cells(void)
{
	static const char *const month[] = {
	    "2026-9",   "2026-091", "2026-0",  "2026--1", "2026- 9", "26-09",
	    "20260-09", "2026.09",  "2000-09", "2026-00", "x",       ""};
	for (size_t i = 0; i < sizeof month / sizeof *month; i++) {
		char text[200];
		snprintf(text, sizeof text, HEAD "a,1,spot,%s,x\n", month[i]);
		refused(text, "prices.csv:2: as_of must be a month");
	}
	refused(HEAD "a,1x,spot,2026-09,x\n", "usd_per_hour must be");
	refused(HEAD "a,1e6,spot,2026-09,x\n", "usd_per_hour must be");
	refused(HEAD "a,1,of twenty-four characters,2026-09,x\n",
		"kind must have 1 to 23 characters");
	char many[20000];
	size_t n = (size_t)sprintf(many, HEAD);
	for (int i = 0; i < 257; i++)
		n += (size_t)sprintf(many + n, "a,1,spot,2026-09,x\n");
	refused(many, "prices.csv:258: too many prices of one GPU");
	struct price none = {0};
	char text[PRICE_TEXT];
	is(price_text(text, &none), "usd_per_hour", "a price that is given");
}

int main(void)
{
	scratch_open();
	medians();
	refused("gpu,usd_per_hour,kind,list\na,1,spot,x\n",
		"prices.csv:1: no column 'as_of'");
	refused(HEAD "a,0,spot,2026-09,x\n", "prices.csv:2: usd_per_hour must");
	refused(HEAD "b,cheap,spot,2026-09,x\n", "usd_per_hour must be");
	refused(HEAD "a,1,,2026-09,x\n", "kind must have");
	refused(HEAD "a,1,spot,2026,x\n", "as_of must be a month");
	refused(HEAD "a,1,spot,2026-13,x\n", "as_of must be a month");
	refused(HEAD "a,1,spot,2026-09,x\na,1,on demand,2026-09,x\n",
		"a has prices of two kinds: 'spot' and 'on demand'");
	ok(prices_find(scratch_path("none.csv"), "a", &x, &p) < 0,
	   "a file that is not there");
	wrong_cells();
	return done();
}
