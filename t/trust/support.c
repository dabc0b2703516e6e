/* The words of a support verdict. */
#include "trust/support.h"
#include "tap.h"

static const char *written(struct support s)
{
	static char text[400];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	support_write(&s, f);
	fclose(f);
	return text;
}

int main(void)
{
	struct support s = support_of("roofline_v2", "1");
	ok(s.verdict == SUPPORT_NOT_SCORED && s.n == 0 && isnan(s.error),
	   "without a file of errors nothing is known");
	is(written(s), "not scored", "and that is said");
	s.verdict = SUPPORT_MEASURED;
	s.n = 12;
	s.error = 0.0412;
	is(written(s), "measured: 12 rows, mean error 4.1 %", "measured");
	s.verdict = SUPPORT_EXTRAPOLATED;
	s.n = 1;
	snprintf(s.detail, sizeof s.detail, "tp 8, nearest 4");
	is(written(s), "extrapolated: tp 8, nearest 4; 1 row, mean error 4.1 %",
	   "extrapolated");
	return done();
}
