/* Dates as ns since 1970. */
#include "workload/trace/trace_date.h"
#include <inttypes.h>
#include "tap.h"

static int64_t ns(const char *s)
{
	int64_t at = -1;
	return trace_date_ns(s, &at) ? at : -1;
}

int main(void)
{
	ok(ns("1970-01-01 00:00:00") == 0, "the origin");
	ok(ns("2023-11-16T18:15:46.6805900") == INT64_C(1700158546680590000),
	   "seven digits behind the second");
	ok(ns("1970-01-01 00:00:01,024") == INT64_C(1024000000),
	   "a comma before the fraction");
	ok(ns("2024-05-12T02:00:11.5+02:00") == ns("2024-05-12 00:00:11.5Z"),
	   "a zone");
	ok(ns("2024-03-01 00:00:00") - ns("2024-02-28 23:59:59") ==
	       INT64_C(86401000000000),
	   "a leap year");
	static const char *const bad[] = {
	    "",
	    "5",
	    "2024-13-01 00:00:00",
	    "2024-02-30 00:00:00",
	    "2024-12-01 00:00",
	    "2024-12-01 24:00:00",
	    "2024-12-01 00:00:00.",
	    "2024-12-01 00:00:00 ",
	    "1600-12-01 00:00:00",
	    "02.11.2026 09:00:00",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(ns(bad[i]) == -1, "'%s' is none", bad[i]);
	return done();
}
