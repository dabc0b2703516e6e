/* metrics/url.h -- reads what an http or https address has.  The only module
 * that opens connections, by libcurl; a build without libcurl says so.  [main];
 * no printing. */
#ifndef SC_METRICS_URL_H
#define SC_METRICS_URL_H
#include <stddef.h>
#include "base/problem.h"

enum { URL_LIMIT_S = 20 }; /* for a whole answer */

/* Returns 1 if this build can read addresses. */
int url_is_supported(void);
/* Returns 1 if the text begins with http:// or https://. */
int url_is(const char *s);
/* Puts the answer into *text, which ends with a 0 and is freed by the caller.
 * An address without a path means /metrics.  Follows three redirections, gives
 * up after URL_LIMIT_S and beyond at_most bytes.  Returns 0, or -1 with *p
 * filled in (EXIT_USAGE). */
int url_read(const char *url, size_t at_most, char **text, size_t *n,
	     struct problem *p);
#endif
