/* measured_runs.h -- runs of single requests, measured, and their validation:
 * requests come one at a time, so that arms of const_step have TTFT and TPOT
 * that a test can compute.  The test calls scratch_open() first. */
#ifndef T_MEASURED_RUNS_H
#define T_MEASURED_RUNS_H
#include "config_of.h"
#include "validate/measured/measured_read.h"
#include "validate/validation.h"

static struct measured runs;
static struct ini run_aliases;
static struct validation v;

/* The client and the server take no time of their own. */
static const char single_protocol[] =
    "[class]\nS = single\n"
    "[protocol:single]\nkind = single\nrequests = 3\n"
    "api_overhead_us = -1\nresponse_overhead_us = -1\nschedule_us = -1\n";

#define RUNS_HEAD                                                              \
	"id,model,gpu,input_tokens,output_tokens,mean_ttft_ms,mean_tpot_ms,"   \
	"mean_e2el_ms,flags\n"

static void runs_close(void)
{
	validation_free(&v);
	measured_free(&runs);
	ini_free(&run_aliases);
}

/* Opens these rows under the arms of that INI.  0, or -1 with `why`. */
static int runs_open(const char *arms, const char *rows,
		     const struct validate_options *o)
{
	char text[4000], path[400];
	runs_close();
	why = (struct problem){0};
	snprintf(text, sizeof text, RUNS_HEAD "%s", rows);
	if (ini_read(&run_aliases, single_protocol, strlen(single_protocol),
		     &why) < 0 ||
	    measured_read(&runs, scratch_file("runs.csv", text), &run_aliases,
			  &why) < 0)
		bail_out(why.text);
	snprintf(text, sizeof text, CONFIG_SETUP "%s", arms);
	snprintf(path, sizeof path, "%s", scratch_file("arms.ini", text));
	return validation_open(&v, path, &runs, &run_aliases, o, &why);
}
#endif
