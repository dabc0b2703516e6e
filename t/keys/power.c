/* The power of a GPU: the law, and its file. */
#include "keys/power.h"
#include "scratch.h"

static struct problem why;

/* What the file of the data folder may not say of a GPU. */
static void refused(const char *row, const char *want)
{
	char text[200];
	struct power_law found;
	snprintf(text, sizeof text, "gpu,limit_w,a,b,p,c,q,error\n%s\n", row);
	scratch_file("data/etc/power.csv", text);
	ok(power_find("x", &found, &why) < 0 && strstr(why.text, want), "%s",
	   why.text);
}

static void files(void)
{
	struct power_law found;
	scratch_folder("data/etc");
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	unsetenv("HOME");
	ok(power_find("x", &found, &why) == 0 && found.limit_w == 0,
	   "no file, no law");
	static const char *const cell[] = {"y", "1x", "", "-1", "100001"};
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
		char row[60];
		snprintf(row, sizeof row, "x,1,1,%s,1,1,1,1", cell[i]);
		refused(row, "power.csv:2: not a number from 0 to 100000");
	}
	scratch_file("data/etc/power.csv", "gpu,limit_w\nx,1\n");
	ok(power_find("x", &found, &why) < 0 &&
	       strstr(why.text, ":1: gpu,limit_w,a,b,p,c,q,error"),
	   "other columns: %s", why.text);
	remove(scratch_path("data/etc/power.csv"));
	scratch_folder("data/etc/power.csv");
	ok(power_find("x", &found, &why) < 0 &&
	       strstr(why.text, "Is a directory"),
	   "a folder: %s", why.text);
}

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
	scratch_open();
	files();
	return done();
}
