/* The questions of a group: kept ones first, then the caller's. */
#include "jobs/pool_questions.h"
#include "tap.h"

struct caller {
	int next, last, is_later;
};

static int next(void *user, unsigned group, void *question, struct problem *p)
{
	struct caller *c = user;
	if (c->is_later)
		return POOL_LATER;
	if (c->next < 0)
		return problem_set(p, EXIT_INPUT, "no more of group %u", group);
	if (c->next > c->last)
		return 0;
	*(int *)question = c->next++;
	return 1;
}

static struct caller caller;
static const struct pool_options options = {
    .question_bytes = sizeof(int), .next = next, .user = &caller};
static struct pool_group g;
static struct problem p;
static int question, fresh;

static int take(void)
{
	question = -1;
	fresh = -1;
	return pool_next_question(&g, &options, 3, &question, &fresh, &p);
}

static void waits(void)
{
	g.is_later = 1;
	ok(!pool_has_more(&g) && take() == 0 && !g.is_over,
	   "a group that waits for an answer is not asked");
	g.is_later = 0;
	caller.is_later = 1;
	ok(take() == 0 && g.is_later && !g.is_over && g.n_given == 0,
	   "the caller may have the next question later");
	g.is_later = caller.is_later = 0;
}

int main(void)
{
	caller = (struct caller){1, 2, 0};
	ok(pool_has_more(&g), "a group may have questions");
	ok(take() == 1 && question == 1 && fresh == 0 && g.n_given == 1,
	   "the caller's first");
	pool_keep_question(&g, &(int){7}, sizeof(int), 1);
	pool_keep_question(&g, &(int){8}, sizeof(int), 0);
	ok(take() == 1 && question == 8 && fresh == 0,
	   "kept questions come before the caller's");
	ok(take() == 1 && question == 7 && fresh == 1 && g.n_given == 1,
	   "with what they need; they were given before");
	ok(take() == 1 && question == 2 && g.n_given == 2, "then the next");
	ok(pool_has_more(&g) && take() == 0 && !pool_has_more(&g),
	   "after the last one the group knows that it was");
	caller = (struct caller){5, 9, 0};
	ok(take() == 0, "and does not ask again");
	pool_keep_question(&g, &(int){2}, sizeof(int), 0);
	ok(pool_has_more(&g) && take() == 1 && question == 2,
	   "unless a question returns");
	for (int i = 0; i < 1000; i++)
		pool_keep_question(&g, &i, sizeof i, i % 2);
	int good = 1;
	for (int i = 1000; i-- > 0;)
		good &= take() == 1 && question == i && fresh == i % 2;
	ok(good, "a thousand of them");
	pool_keep_question(&g, &(int){2}, sizeof(int), 0);
	pool_group_free(&g);
	g = (struct pool_group){0};
	waits();
	caller.next = -1;
	ok(take() < 0 && p.code == EXIT_INPUT && !g.is_over && g.n_given == 0,
	   "the caller's failure is passed on");
	return done();
}
