/* experiment/load.h -- reads an experiment from the INI that holds it. */
#ifndef SC_EXPERIMENT_LOAD_H
#define SC_EXPERIMENT_LOAD_H
#include "base/ini.h"
#include "experiment/experiment.h"

/* Within each data folder: shipped experiments, NAME.ini. */
extern const char experiment_folder[];
/* Sections of the file that are an experiment's, to NULL: "experiment",
 * "table:" */
extern const char *const experiment_sections[];

/* c must outlive *x.  Everything is checked but what arms can answer.  0, or
 * -1 with *p; experiment_free() in either case. */
int experiment_load(struct experiment *x, const struct ini *c,
		    struct problem *p);
#endif
