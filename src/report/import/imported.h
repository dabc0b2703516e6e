/* report/import/imported.h -- writes what a running server told of itself as a
 * configuration.  Each line says where it comes from.  A setting that was not
 * told is a remark that begins with ";?" and says what to fill in. */
#pragma once
#include <stdio.h>
#include "base/names.h"
#include "metrics/vllm_log.h"
#include "metrics/vllm_page.h"

struct imported {
	const struct vllm_page *page;
	const struct vllm_log *log; /* NULL: none */
	const char *page_path, *log_path;
	const char *model_id, *model; /* what it is called, and our `config` */
	const char *gpu_id, *gpu;     /* NULL: not told, or not known */
	const char *preset;           /* by the version; NULL: not told */
	int is_since; /* 1: the page counts from an earlier page on */
	/* The settings that were not told; the writer adds to them. */
	struct names *missing;
};

/* Returns 0, or -1 if memory is out. */
int imported_write(const struct imported *x, FILE *f);

/* ---- parts ---- */

/* Writes the sections [model] and [hardware]. */
int imported_served(const struct imported *x, FILE *f);
/* The text of two cost models to compare. */
extern const char imported_arms[];
/* Write "key = value ; why", and ";? key = value   why" for a missing setting.
 */
void imported_line(FILE *f, const char *key, const char *value,
		   const char *why);
int imported_missing(const struct imported *x, FILE *f, const char *key,
		     const char *value, const char *why);
void imported_number(FILE *f, const char *key, double value, const char *why);
/* [workload] */
int imported_workload(const struct imported *x, FILE *f);
