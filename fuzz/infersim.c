/* infersim.c -- Any bytes as each file of a set in InferSim's layout; may be
 * refused, must not crash. */
#include "fuzz.h"
#include "cost/kernel_op.h"
#include "tables/set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table_set s;
	struct problem p;
	fuzz_put("gemm/x/data.csv", data, size);
	fuzz_put("mha/prefill/x/32-8-128.csv", data, size);
	fuzz_put("mha/decode/x/32-8-128-tp1.csv", data, size);
	if (set_load(&s, fuzz_folder(), "x", KERNEL_OF_ANY, &p) == 0)
		set_free(&s);
	return 0;
}
