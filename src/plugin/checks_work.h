/* plugin/checks_work.h -- checks that an answer is plausible, alone and
 * compared with that for more work.  Each function is the `run` of a struct
 * check (checks.h): it returns 0, or -1 with *p filled in. */
#pragma once
#include "plugin/subject.h"

/* Every step gets an answer, or is refused. */
int check_prices(struct subject *s, struct problem *p);
/* The same; a plugin may refuse all of them, as outside its domain. */
int check_extremes(struct subject *s, struct problem *p);
/* More of anything takes no less time, to 1e-9.  Names the worst fall, and
 * notes the worst with each other kind of work. */
int check_monotone(struct subject *s, struct problem *p);
/* Parts are finite, not negative, and sum up if the plugin declares so. */
int check_parts(struct subject *s, struct problem *p);
