/* The power of a GPU: the law, and its file. */
#include "keys/power.h"
#include "tap.h"

static struct problem why;

int main(void)
{
	const struct power_law l = {
	    .limit_w = 100, .a = .2, .b = .4, .p = 1, .c = .3, .q = .5};
	struct power_law found;
	char text[POWER_LAW_TEXT];
	ok(!strcmp(power_law_text(text, &l), "100 0.2 0.4 1 0.3 0.5"),
	   "the name of a law: %s", text);
	near(power_watts(&l, 0, 0), 20, 1e-12, "without work");
	near(power_watts(&l, .5, .25), 20 + 20 + 15, 1e-12, "with work");
	near(power_watts(&l, 2, 2), 100, 1e-12, "never above the limit");
	ok(power_find("h100-sxm", &found, &why) == 0 && found.limit_w == 700 &&
	       found.a > 0 && found.error > 0,
	   "a GPU that was measured");
	ok(power_find("l40s", &found, &why) == 0 && found.limit_w == 0,
	   "one that was not");
	return done();
}
