/* report/validation/validation_parts.h -- shared by the forms of a validation:
 * the titles of metrics and their order. */
#pragma once
#include "validate/score/errors.h"

static const char *const validation_title[N_RUN_LATENCIES] = {"TTFT", "TPOT",
							      "E2EL"};
/* In the order that readers ask for them. */
static const enum run_latency validation_shown[N_RUN_LATENCIES] = {
    RUN_E2EL, RUN_TTFT, RUN_TPOT};
