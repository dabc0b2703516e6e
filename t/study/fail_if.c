#include "study/fail_if.h"
#include <math.h>
#include <string.h>
#include "tap.h"

static struct arm_record record[3];
static struct arm_result arm[3] = {{.name = "first", .record = &record[0]},
				   {.name = "second", .record = &record[1]},
				   {.name = "third", .record = &record[2]}};
static const struct results results = {.arm = arm, .n = 3};
static struct problem p;

static void refused(const char *text, const char *why)
{
	struct fail_if f;
	ok(fail_if_parse(&f, text, &p) < 0 && p.code == EXIT_USAGE, "%s", text);
	is(p.text, why, "the reason");
}

/* Returns the arms that break a bound, as bits. */
static int broken(const char *text, char line[FAIL_IF_LINE])
{
	struct fail_if f;
	int found = 0;
	ok(fail_if_parse(&f, text, &p) == 0, "%s", text);
	for (size_t i = 0; i < results.n; i++)
		found |= fail_if_broken(&f, &results, i, line) << i;
	return found;
}

static void bounds(void)
{
	char line[FAIL_IF_LINE] = "";
	record[0].outcome.preemptions = 100;
	record[1].outcome.preemptions = 103;
	record[2].outcome.preemptions = 98;
	ok(broken("preemptions>+2%", line) == 2,
	   "a larger share than the limit");
	is(line,
	   "preemptions is 103 under second and 100 under first (+3.00 %) "
	   "(--fail-if preemptions>+2%)",
	   "the sentence has the figures");
	ok(broken("preemptions>+3%", line) == 0, "the limit itself may be");
	ok(broken("preemptions>2.9%", line) == 2, "a share needs no sign");
	ok(broken("preemptions<-1%", line) == 4, "less than the first");
	ok(broken("preemptions>+2", line) == 2, "a difference");
	ok(broken("preemptions<-2", line) == 0, "its limit may be, too");
	ok(broken("preemptions>99", line) == 3, "values, of the first arm too");
	is(line, "preemptions is 103 under second (--fail-if preemptions>99)",
	   "a value stands alone");
	arm[1].error = "failed";
	ok(broken("preemptions>+2%", line) == 0, "an arm that failed");
	arm[1].error = NULL;
	arm[0].error = "failed";
	ok(broken("preemptions>+2%", line) == 0 &&
	       broken("preemptions>99", line) == 2,
	   "without a first arm there are values only");
	arm[0].error = NULL;
	record[0].outcome.preemptions = 0;
	record[2].outcome.preemptions = 0;
	ok(broken("preemptions>+2%", line) == 2,
	   "nothing is as much as nothing, and anything is more");
	ok(broken("spec_decode_acceptance_rate<0.5", line) == 7,
	   "a figure that the runs do not have");
	is(line,
	   "third: there is no spec_decode_acceptance_rate to compare "
	   "(--fail-if spec_decode_acceptance_rate<0.5)",
	   "is not passed over");
}

int main(void)
{
	struct fail_if f;
	refused("mean_tpot_ms", "--fail-if mean_tpot_ms: not METRIC>LIMIT or "
				"METRIC<LIMIT");
	refused("mean_tpot>1", "--fail-if mean_tpot>1: no metric 'mean_tpot' "
			       "(did you mean 'mean_tpot_ms'?)");
	ok(fail_if_parse(&f, "speed>1", &p) < 0 &&
	       strstr(p.text, "no metric 'speed'; metrics are ") &&
	       strstr(p.text, ", mean_ttft_ms, "),
	   "one that is like no other: the metrics are listed");
	refused("mean_tpot_ms>",
		"--fail-if mean_tpot_ms>: '' is no number, and "
		"no number with %");
	refused("mean_tpot_ms>2ms", "--fail-if mean_tpot_ms>2ms: '2ms' is no "
				    "number, and no number with %");
	refused("mean_tpot_ms>nan%", "--fail-if mean_tpot_ms>nan%: 'nan%' is "
				     "no number, and no number with %");
	bounds();
	return done();
}
