/* The tasks of a group: kept ones first, then the caller's. */
#include "jobs/pool_tasks.h"
#include "tap.h"

struct caller {
	int next, last, is_later;
};

static int next(void *user, unsigned group, void *task, struct problem *p)
{
	struct caller *c = user;
	if (c->is_later)
		return POOL_LATER;
	if (c->next < 0)
		return problem_set(p, EXIT_INPUT, "no more of group %u", group);
	if (c->next > c->last)
		return 0;
	*(int *)task = c->next++;
	return 1;
}

static struct caller caller;
static const struct pool_options options = {
    .task_bytes = sizeof(int), .next_task = next, .user = &caller};
static struct pool_group g;
static struct problem p;
static int task, fresh;

static int take(void)
{
	task = -1;
	fresh = -1;
	return pool_next_task(&g, &options, 3, &task, &fresh, &p);
}

static void waits(void)
{
	g.is_later = 1;
	ok(!pool_has_more(&g) && take() == 0 && !g.is_over,
	   "a group that waits for a result is not asked");
	g.is_later = 0;
	caller.is_later = 1;
	ok(take() == 0 && g.is_later && !g.is_over && g.n_given == 0,
	   "the caller may have the next task later");
	g.is_later = caller.is_later = 0;
}

int main(void)
{
	caller = (struct caller){1, 2, 0};
	ok(pool_has_more(&g), "a group may have tasks");
	ok(take() == 1 && task == 1 && fresh == 0 && g.n_given == 1,
	   "the caller's first");
	pool_repeat_task(&g, &(int){7}, sizeof(int), 1);
	pool_repeat_task(&g, &(int){8}, sizeof(int), 0);
	ok(take() == 1 && task == 8 && fresh == 0,
	   "kept tasks come before the caller's");
	ok(take() == 1 && task == 7 && fresh == 1 && g.n_given == 1,
	   "with what they need; they were given before");
	ok(take() == 1 && task == 2 && g.n_given == 2, "then the next");
	ok(pool_has_more(&g) && take() == 0 && !pool_has_more(&g),
	   "after the last one the group knows that it was");
	caller = (struct caller){5, 9, 0};
	ok(take() == 0, "and does not ask again");
	pool_repeat_task(&g, &(int){2}, sizeof(int), 0);
	ok(pool_has_more(&g) && take() == 1 && task == 2,
	   "unless a task returns");
	for (int i = 0; i < 1000; i++)
		pool_repeat_task(&g, &i, sizeof i, i % 2);
	int good = 1;
	for (int i = 1000; i-- > 0;)
		good &= take() == 1 && task == i && fresh == i % 2;
	ok(good, "a thousand of them");
	pool_repeat_task(&g, &(int){2}, sizeof(int), 0);
	pool_group_free(&g);
	g = (struct pool_group){0};
	waits();
	caller.next = -1;
	ok(take() < 0 && p.code == EXIT_INPUT && !g.is_over && g.n_given == 0,
	   "the caller's failure is passed on");
	return done();
}
