/* arm/inert: keys without an effect are refused, or noted where a command line
 * made them. */
#include "arm/inert.h"
#include "tap.h"
#include "keys/keys.h"

/* Checks [workload] of an INI, with assignments on top of it. */
static int check(const char *text, const char *const *put, struct names *notes,
		 struct problem *p)
{
	struct ini c = {0};
	struct workload_keys k;
	*p = (struct problem){0};
	if (ini_read(&c, text, strlen(text), p) < 0)
		bail_out(p->text);
	for (; put && *put; put += 3)
		ini_put(&c, "workload", put[0], put[1], put[2], p);
	if (knobs_fill(&k, workload_keys, n_workload_keys, NULL, &c, "workload",
		       "", p) < 0)
		bail_out(p->text);
	const struct inert_in in = {
	    &c,         "workload", "", {workload_keys, n_workload_keys, &k},
	    INERT_KEYS, 0};
	int rc = inert_check(&in, notes, p);
	ini_free(&c);
	return rc;
}

static void refused(const char *key, const char *state)
{
	char text[200], want[300];
	struct problem p;
	struct names notes = {0};
	snprintf(text, sizeof text, "[workload]\n%s = 3\n", key);
	snprintf(want, sizeof want, ":2: workload: %s has no effect with %s",
		 key, state);
	ok(check(text, NULL, &notes, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, want),
	   "%s alone: %s", key, p.text);
}

static void accepted(const char *text, const char *what)
{
	struct problem p;
	struct names notes = {0};
	if (!ok(check(text, NULL, &notes, &p) == 0 && !notes.n, "%s", what))
		printf("# %s\n", p.text);
}

/* The file, one key that an option puts, and what follows. */
static void noted(const char *text, const char *key, const char *value,
		  const char *option, int is_note)
{
	const char *const put[] = {key, value, option, NULL};
	struct problem p;
	struct names notes = {0};
	int rc = check(text, put, &notes, &p);
	ok(is_note ? rc == 0 && notes.n == 1 : rc < 0, "%s %s=%s: %s", option,
	   key, value, is_note ? "a note" : "refused");
	names_free(&notes);
}

int main(void)
{
	refused("burst_size", "arrival = poisson");
	refused("think_time_s", "turns = 1 and concurrency = 0 and no trace");
	refused("off_s", "on_s = 0");
	refused("on_s", "off_s = 0");
	refused("cv", "arrival = poisson");
	refused("period_s", "arrival = poisson");
	refused("api_time_scale", "timing_strategy = think-only");
	accepted("[workload]\narrival = burst\nburst_size = 3\n",
		 "with the arrivals that it is of");
	accepted("[workload]\nburst_size = 10\nthink_time_s = 0\n"
		 "api_time_scale = 1.0\n",
		 "the default, and what turns a feature off");
	accepted("[workload]\nthink_time_s = 3\nconcurrency = 2\n",
		 "clients that think");
	noted("[workload]\n", "burst_size", "3", "--axis", 1);
	noted("[workload]\n", "burst_size", "3", "--set", 0);
	noted("[workload]\narrival = burst\nburst_size = 3\n", "arrival",
	      "poisson", "--axis", 1);
	noted("[workload]\narrival = burst\nburst_size = 3\n", "arrival",
	      "poisson", "--set", 1);
	return done();
}
