/* Differences by the shape of steps. */
#include "record/shapes.h"
#include "tap.h"

int main(void)
{
	const uint32_t kv[] = {5, 900}, ctx[] = {10}, fresh[] = {1014};
	const sc_step s = {.size = sizeof s,
			   .n_decode = 2,
			   .decode_ctx = kv,
			   .n_prefill = 1,
			   .prefill_ctx = ctx,
			   .prefill_new = fresh};
	const sc_step empty = {.size = sizeof empty};
	struct step_shape x = step_shape_of(&s), y = step_shape_of(&empty);
	ok(x.n_decode == 2 && x.n_prefill == 1 && x.prefill_tokens == 1024 &&
	       x.longest_kv == 1024,
	   "numbers up to a power of two");
	ok(y.n_decode == 0 && y.longest_kv == 0, "and nothing as nothing");

	struct step_shapes all = {0};
	struct shape_difference largest[3];
	const double weight[N_ATTRIBUTED] = {0.5, 0.25, 0.75, 1};
	int rc = 0;
	ok(shapes_largest(&all, largest, 3) == 0, "no steps, no shapes");
	for (uint32_t i = 0; i < 3000; i++) {
		struct step_shape of = {.n_decode = i % 1000};
		rc |= shapes_add(&all, &of, i, i % 1000 == 7 ? -(double)i : 1,
				 weight);
	}
	ok(rc == 0 && all.n == 1000, "steps of one shape are added");
	ok(shapes_largest(&all, largest, 3) == 3 &&
	       largest[0].shape.n_decode == 7 && largest[0].steps == 3,
	   "the largest first");
	ok(largest[0].ns[ATTRIBUTION_STEPS] == -3021 &&
	       largest[0].ns[ATTRIBUTION_TTFT] == -1510.5,
	   "weighed by metric");
	ok(largest[0].example == 2007 && largest[0].example_ns == -2007,
	   "with the step that differs most");
	ok(largest[1].shape.n_decode == 0, "equals in an order of their own");
	shapes_free(&all);
	return done();
}
