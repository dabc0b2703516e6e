/* Columns of all replicas in one memory, without overlap. */
#include "sim/step_memory.h"
#include "tap.h"

int main(void)
{
	const struct engine e = {
	    .max_num_seqs = 100, .max_num_batched_tokens = 64, .replicas = 3};
	struct step_columns c[3];
	size_t size = step_memory_lay_out(&e, NULL, NULL);
	char *memory = malloc(size);
	ok(step_memory_max_seqs(&e) == 100, "the most requests");
	ok(memory && step_memory_lay_out(&e, memory, c) == size,
	   "the same size with memory");
	ok((char *)c[0].prefill_new >= memory + sizeof(sc_step),
	   "behind the step");
	ok(c[0].prefill_ctx >= c[0].prefill_new + 64, "a prompt takes a token");
	ok(c[0].decode_ctx == c[2].decode_ctx, "replicas share a step");
	ok(c[1].ctx >= c[0].ctx + 100 && c[2].ctx >= c[1].ctx + 100,
	   "and not what is their own");
	ok((char *)(c[2].id + 100) <= memory + size, "all is inside");
	free(memory);
	return done();
}
