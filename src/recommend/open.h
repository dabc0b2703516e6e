/* recommend/open.h -- resolves the request of a recommendation.  [main] */
#pragma once
#include "recommend/recommend.h"

/* Reads "8" or "8,16" into out[64].  Returns how many, or 0 with *p. */
size_t gpus_parse(const char *text, uint32_t out[64], struct problem *p);
