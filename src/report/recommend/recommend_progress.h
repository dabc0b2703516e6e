/* report/recommend/recommend_progress.h -- how far a recommendation is: a line
 * on a terminal. */
#pragma once
#include "recommend/state.h"
#include "report/progress.h"

/* Returns the configurations of all races that were tried, and the best rate
 * of them; before the races how many are prepared. */
struct progress_state recommend_progress_of(const struct recommend *r);
/* For recommend_request.progress; user is a struct progress_meter. */
void recommend_progress_show(void *user, const struct recommend *r);
