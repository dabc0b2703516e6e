/* results_read.h -- for the tests of validate/result: a text as a file of
 * results. */
#ifndef RESULTS_READ_H
#define RESULTS_READ_H
#include <math.h>
#include "tap.h"
#include "validate/measured/measured_json.h"
#include "validate/result/yaml.h"

static struct measured m;
static struct problem p;

/* As the file r.json, by its first character JSON or another text.  Single
 * quotes stand for double ones. */
static int read_text(const char *text)
{
	static char copy[20000];
	snprintf(copy, sizeof copy, "%s", *text ? text : "\n");
	for (char *s = copy; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	measured_free(&m);
	p = (struct problem){0};
	FILE *f = fmemopen(copy, strlen(copy), "r");
	if (!f || measured_add_file(&m, "r.json", &p) < 0)
		bail_out("fmemopen");
	int is_json = strchr("{[ \n", *copy) != NULL;
	int rc = is_json ? measured_read_json(&m, f, &p)
			 : measured_read_text(&m, copy, strlen(copy), &p);
	fclose(f);
	return rc;
}

__attribute__((unused)) static void refused(const char *text, const char *want)
{
	if (!ok(read_text(text) < 0 && p.code == EXIT_INPUT &&
		    !strncmp(p.text, want, strlen(want)),
		"%s", want))
		printf("# got %s\n", p.text);
}

__attribute__((unused)) static double time_of(enum run_latency k,
					      enum statistic i)
{
	return m.row[0].time[k].of[i];
}
#endif
