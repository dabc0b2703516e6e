/* cmd/validate_page.h -- validate CONFIG against the page of metrics of a
 * running server. */
#pragma once
#include <stdint.h>
#include "base/cmdline.h"
#include "base/names.h"

struct page_options {
	const char *page, *since; /* since: NULL, or an earlier page */
	const char *html, *plot;  /* files to write; NULL: none */
	const struct names *fail_above;
	int64_t jobs;
	int in_process;
};

/* Returns 1 if it is an address, or a file that begins as a page does. */
int is_page(const char *path);
/* Simulates the workload of CONFIG under every arm, and compares the latencies
 * with those of the page.  Returns the exit code. */
int validate_page(const struct cmdline *c, const struct page_options *o);
