/* Sentences on the worse end of intervals. */
#include "recommend/pessimistic.h"
#include "recommended.h"
#include "rendered.h"
#include "report/recommend/parts.h"

static const char *said(void)
{
	recommend_pessimistic_ends(&recommended, rendered_begin());
	return rendered_end();
}

int main(void)
{
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	is(said(), "", "without scored runs there is nothing to say");
	struct recommend_arm *a = &recommended.arm[0];
	size_t entry = 0;
	while (a->entry[entry].point != a->winner)
		entry++;
	a->n_pessimistic = 2;
	a->pessimistic[0] = (struct recommend_pessimistic){entry, 1, 1, 2};
	a->pessimistic[1] =
	    (struct recommend_pessimistic){entry ? 0 : 1, 1, 1, 1};
	rendered_has(said(),
		     "slow, at the worse end of its 90 % intervals: the "
		     "winner serves 10 requests/s instead of ");
	rendered_has(said(), ", and no other of the first 2 shapes more.\n");
	a->pessimistic[1].scale = 3;
	rendered_has(said(), ", and tp 1 x ");
	rendered_has(said(),
		     " serves 15: within its error slow cannot rank the "
		     "first two.\n");
	a->pessimistic[0].scale = a->pessimistic[1].scale = 0;
	rendered_has(said(), "the winner meets the bounds at no rate.\n");
	recommend_free(&recommended);
	return done();
}
