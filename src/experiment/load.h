/* experiment/load.h -- reads an experiment from its INI. */
#pragma once
#include "base/ini.h"
#include "experiment/experiment.h"

/* The folder of shipped experiments, NAME.ini, inside each data folder. */
extern const char experiment_folder[];
/* The sections of the file that belong to an experiment: "experiment", "claim",
 * "table:"; ends with NULL. */
extern const char *const experiment_sections[];

/* c must outlive *x.  Checks everything except the answers of arms.  Returns 0,
 * or -1 with *p filled in.  The caller calls experiment_free() in either
 * case. */
int experiment_load(struct experiment *x, const struct ini *c,
		    struct problem *p);
