/* recommend/work.h -- the work on one configuration under one arm, which is the
 * worker's group: whether it can be, a question of the race, or a full search.
 * The work() of a pool (jobs/pool.h). */
#pragma once
#include "jobs/pool_task.h"
#include "recommend/question.h"

/* user: a struct work_task; question and answer: of question.h.
 * prepared_arm_leave() frees what it keeps. */
int work_do(struct pool_worker *w, void *user, const void *question,
	    void *answer, struct problem *p);
