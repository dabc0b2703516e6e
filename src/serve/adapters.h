/* serve/adapters.h -- adapters that are loaded and unloaded by requests; no
 * file is opened.  [one thread] */
#pragma once
#include "serve/call.h"

void adapters_post_load(struct call *c);
void adapters_post_unload(struct call *c);
