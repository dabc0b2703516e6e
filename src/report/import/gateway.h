/* report/import/gateway.h -- an EndpointPickerConfig as [engine] routing and
 * [router].
 *
 * kind: EndpointPickerConfig, of the gateway API's inference extension and of
 * llm-d (llm-d/llm-d-inference-scheduler @ 520af478 deploy/config).  A scorer
 * counts with its weight in a profile, 1 without one.  Profiles `prefill` and
 * `decode` are [router:prefill] and [router:decode]. */
#pragma once
#include <jansson.h>
#include "base/ini.h"
#include "base/names.h"

/* Returns 1 if the document is one. */
int gateway_is(const json_t *document);
/* Puts the keys into c, and settings without a counterpart into `other`.  path:
 * for messages.  Returns 0, or -1 with *p filled in. */
int gateway_take(struct ini *c, struct names *other, const json_t *document,
		 const char *path, struct problem *p);
