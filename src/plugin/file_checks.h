/* plugin/file_checks.h -- the promises that can be checked in a plugin's file
 * without loading it: one symbol, no imports that print or change the process,
 * nothing writable. */
#pragma once
#include <stdint.h>
#include "plugin/dso.h"
#include "plugin/verdict.h"

struct file_finding {
	const char *check;
	enum verdict_is is;
	char why[400]; /* NOT_OK: the names; SKIP: the reason; else "" */
};
enum { N_FILE_CHECKS = 5 };

/* capabilities: SC_CAP_*; a plugin that does I/O may import I/O functions. */
void file_checks(const struct dso *d, uint32_t capabilities,
		 struct file_finding found[N_FILE_CHECKS]);
