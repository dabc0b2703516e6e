/* How far the searches of a capacity are. */
#include "report/capacity_progress.h"
#include "capacity/search.h"
#include "rendered.h"

static struct capacity_search search[3];
static struct job job[3];

static const char *line(void)
{
	const struct progress_state s = capacity_progress_of(job, 3);
	progress_write(rendered_begin(), &s, 20);
	return rendered_end();
}

int main(void)
{
	for (size_t i = 0; i < 3; i++)
		job[i].live = &search[i];
	is(line(), "0 of 3 searches, 0 simulations, 20 s", "at the beginning");
	search[0].is_over = 1;
	search[0].answer.verdict = CAPACITY_FOUND;
	search[0].answer.request_rate = 12.5;
	search[0].answer.simulations = 30;
	search[1].answer.simulations = 7;
	search[1].answer.verdict = CAPACITY_NONE;
	search[1].answer.request_rate = 90;
	is(line(),
	   "1 of 3 searches, 37 simulations, 20 s, 40 s left, best 12.5 "
	   "requests/s",
	   "the time left, and the best that was found");
	return done();
}
