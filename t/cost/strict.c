/* What --strict[=CLASS] makes an error. */
#include "cost/strict.h"
#include "stepcost/plugin.h"
#include "tap.h"

int main(void)
{
	struct strict s = strict_of(0);
	ok(s.lookups == SC_N_PROVENANCE && !s.floor && !strict_is_on(&s),
	   "without --strict nothing is refused");
	s = strict_of(-1);
	ok(s.lookups == SC_FALLBACK && !s.floor && strict_is_on(&s),
	   "--strict alone: fallback");
	for (int choice = 1; strict_choice[choice - 1]; choice++) {
		int is_floor = !strcmp(strict_choice[choice - 1], "floor");
		s = strict_of(choice);
		ok(strict_is_on(&s) && s.floor == is_floor &&
		       s.lookups == (is_floor
					 ? SC_N_PROVENANCE
					 : SC_CLAMPED + (uint32_t)choice - 1),
		   "--strict=%s", strict_choice[choice - 1]);
	}
	return done();
}
