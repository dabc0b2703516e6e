/* Memory for the members of a batch. */
#include "sim/batch.h"
#include "tap.h"

int main(void)
{
	struct batch b;
	ok(batch_make(&b, 3) == 0 && b.member && b.first && b.last &&
	       b.late_gap_ns,
	   "room for three");
	b.member[2].sequence = b.first[2] = b.last[2] = 7;
	b.late_gap_ns[2] = 7;
	batch_free(&b);
	ok(!b.member && !b.first, "and none");
	return done();
}
