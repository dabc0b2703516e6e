/* experiment_file.c -- Finds, opens and judges an experiment. */
#include "cmd/experiment/experiment_file.h"
#include <stdlib.h>
#include <string.h>
#include "experiment/compute.h"
#include "experiment/load.h"
#include "experiment/run.h"
#include "keys/datafile.h"

/* Returns the path; the caller frees it.  NULL with *p filled in on an
 * error. */
static char *experiment_path(const char *name, struct problem *p)
{
	const char *dot = strrchr(name, '.');
	char *path;
	if (!strchr(name, '/') && !(dot && !strcmp(dot, ".ini")))
		return datafile_find(experiment_folder, name, ".ini", p);
	if (!(path = strdup(name)))
		problem_no_memory(p);
	return path;
}

int experiment_open(struct experiment_at_work *w, const char *name,
		    const struct names *set, struct problem *p)
{
	*w = (struct experiment_at_work){0};
	char *path = experiment_path(name, p);
	int rc = path ? config_load_priced(&w->config, path, set->item, set->n,
					   NULL, experiment_sections, p)
		      : -1;
	if (rc == 0)
		rc = experiment_load(&w->x, &w->config.cfg, p);
	free(path);
	return rc;
}

int experiment_judge(struct experiment_at_work *w, const sc_host *host,
		     struct problem *p)
{
	return experiment_price(&w->x, &w->config, host, p) < 0
		   ? -1
		   : experiment_compute(&w->x, p);
}

void experiment_close(struct experiment_at_work *w)
{
	experiment_free(&w->x);
	config_free(&w->config);
}
