/* workload_of.h -- the keys of [workload] from "key=value key=value". */
#ifndef T_WORKLOAD_OF_H
#define T_WORKLOAD_OF_H
#include <string.h>
#include "keys/keys.h"
#include "workload/keys.h"

/* 0, or -1 with *p.  ini_free(c) in either case, after the last use of k. */
static int workload_of(struct workload_keys *k, struct ini *c, const char *keys,
		       struct problem *p)
{
	char copy[500], set[300], *rest = NULL;
	snprintf(copy, sizeof copy, "%s", keys);
	*p = (struct problem){0};
	int rc = ini_read(c, "", 0, p);
	for (char *s = strtok_r(copy, " ", &rest); s && rc == 0;
	     s = strtok_r(NULL, " ", &rest)) {
		snprintf(set, sizeof set, "workload.%s", s);
		rc = ini_override(c, set, p);
	}
	return rc < 0 ? -1
		      : knobs_fill(k, workload_keys, n_workload_keys, NULL, c,
				   "workload", "", p);
}
#endif
