/* metrics/prometheus.h -- reads a page of metrics in the text format of
 * Prometheus: a line is a remark, or NAME{LABEL="VALUE",...} NUMBER.  Knows no
 * metric by name.  [any thread]; no printing. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

enum { PROMETHEUS_LABELS = 64 };

struct prometheus_label {
	const char *name, *value;
};
struct prometheus_sample {
	const char *name;
	double value; /* may be NaN or infinite */
	struct prometheus_label label[PROMETHEUS_LABELS];
	uint32_t n_labels;
};
/* Receives a sample; its texts are valid while the page's text is.  Returns
 * NULL, or what is wrong, which ends the reading. */
typedef const char *(*prometheus_fn)(void *user,
				     const struct prometheus_sample *s);

/* Returns 1 if the text begins as such a page does, and not as JSON or CSV. */
int prometheus_likely(const char *text, size_t n);
/* Reads text[0 … n-1], writes into it, and calls on_sample for each sample.
 * text[n] must be 0.  Returns 0, or -1 with "origin:line: what" in *p
 * (EXIT_INPUT). */
int prometheus_read(char *text, size_t n, const char *origin,
		    prometheus_fn on_sample, void *user, struct problem *p);
/* Returns the value of a label, or NULL. */
const char *prometheus_get(const struct prometheus_sample *s, const char *name);
