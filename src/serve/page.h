/* serve/page.h -- the live page: one HTML page and its script, which read the
 * state of the server once a second. */
#pragma once
#include "serve/server.h"

extern const char page_html[], page_script[];
/* Writes the clock, and for each arm its replicas, as JSON. */
void page_state(const struct server *s, struct buffer *to);
