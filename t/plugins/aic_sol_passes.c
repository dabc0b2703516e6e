/* Passes of AIConfigurator that are no step, by the plugin's own functions: a
 * mixed step of a workload of equal requests.  With an argument it prices lines
 * of standard input (tools/field_golden.py):
 *   SYSTEM TP LAYERS HIDDEN HEADS KV_HEADS HEAD_DIM FFN VOCAB QK_NORM
 *   CT G ISL OSL PREFIX   ->   milliseconds */
#include "aic_sol.h"
#include "tap.h"
#include "aic_pass.h"

int main(void)
{
	struct aic a;
	struct mixed w;
	if (*unit_arguments) {
		while (read_model(&a) && read_mixed(&w)) {
			sol_operators(&a);
			printf("%.17g\n", mixed_ms(&a, &w));
		}
		return 0;
	}
	/* Llama-3.1-70B on two H100, 2,048 tokens of prompts of 7,875. */
	a = (struct aic){.m = {.tp = 2,
			       .layers = 80,
			       .hidden = 8192,
			       .heads = 64,
			       .kv_heads = 8,
			       .head_dim = 128,
			       .dense_ffn = 28672,
			       .vocab = 128256},
			 .sys = aic_systems[0],
			 .heads = 32,
			 .kv_heads = 4};
	sol_operators(&a);
	near(mixed_ms(&a, &(struct mixed){2048, 11, 7875, 128, 0}),
	     180.12492006320892, 1e-12, "a mixed step as the origin has it");
	return done();
}
