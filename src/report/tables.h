/* report/tables.h -- writes sets of tables, findings about them, and laws
 * fitted to them, one row at a time and in each format. */
#pragma once
#include <stdio.h>
#include "base/cmdline.h"
#include "base/json/json_writer.h"
#include "tables/check.h"
#include "tables/fit.h"
#include "tables/mixer_fit.h"
#include "tables/operator_fit.h"
#include "tables/set.h"
#include "tables/downsample.h"

struct tables_report {
	FILE *f;
	int format; /* enum output_format */
	struct jw j;
};

/* The kind of rows: the tables of sets, or findings. */
enum tables_rows { TABLES_SETS, TABLES_FINDINGS };
void tables_report_begin(struct tables_report *r, FILE *f, int format,
			 enum tables_rows rows);
void tables_report_end(struct tables_report *r);
/* Writes the tables of a set in the folder `path`. */
void tables_report_set(struct tables_report *r, const char *path,
		       const struct table_set *s);
/* Writes what a check found.  set: NULL if the file belongs to no set. */
void tables_report_finding(struct tables_report *r, const char *set,
			   const struct finding *f);
/* Writes what it costs to leave points out of a table. */
void tables_report_thinned(FILE *f, const char *file,
			   const struct downsampled *is);
/* Write the constants of a law as lines of a MANIFEST. */
void tables_report_law(FILE *f, const struct kernel_fit *fit);
void tables_report_operator(FILE *f, const struct operator_fit *fit);
void tables_report_mixer(FILE *f, const struct mixer_fit *fit);
