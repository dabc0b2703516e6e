/* cmd/experiment/experiment_file.h -- an experiment by its name or file, from
 * its INI to its verdict; for the commands `experiment` and `experiment list`.
 */
#pragma once
#include "arm/configuration.h"
#include "base/names.h"
#include "experiment/experiment.h"

/* Zeroed: closed. */
struct experiment_at_work {
	struct config config;
	struct experiment x;
};
/* A name with a '/' or an .ini is a file.  set: the assignments of --set.
 * Returns 0, or -1 with *p filled in; the caller calls experiment_close() in
 * either case. */
int experiment_open(struct experiment_at_work *w, const char *name,
		    const struct names *set, struct problem *p);
/* Prices, computes and judges it.  Returns 0, or -1 with *p filled in. */
int experiment_judge(struct experiment_at_work *w, const sc_host *host,
		     struct problem *p);
void experiment_close(struct experiment_at_work *w);
