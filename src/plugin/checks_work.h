/* plugin/checks_work.h -- does an answer make sense by itself and beside that
 * for more work?  Each is the `run` of a struct check (checks.h): 0, or -1 with
 * *p. */
#ifndef SC_PLUGIN_CHECKS_WORK_H
#define SC_PLUGIN_CHECKS_WORK_H
#include "plugin/subject.h"

/* Every step has an answer, or is refused. */
int check_prices(struct subject *s, struct problem *p);
/* More of anything takes no less time, to 1e-9. */
int check_monotone(struct subject *s, struct problem *p);
/* Parts are finite, not negative, and sum up where the plugin says so. */
int check_parts(struct subject *s, struct problem *p);
#endif
