/* parallelism.c -- Reads the splits of a measured row. */
#include "validate/measured/parallelism.h"
#include <math.h>
#include <string.h>

static double at_least_1(double stated)
{
	return stated >= 1 ? stated : 1;
}

/* Racks with one NVLink domain hold more than eight. */
static int is_machine_of_eight(const struct measured_row *r)
{
	return r->gpu && strncmp(r->gpu, "GB", 2) != 0;
}

/* g GPUs, and sizes that multiply to their square. */
static int is_product(const struct measured_row *r,
		      const struct parallelism *is, double g)
{
	return g == 4 || g == 8 ||
	       (r->ranks == RANKS_SQUARE && g > 1 && is->ep == g);
}

struct parallelism parallelism_of(const struct measured_row *r)
{
	double g = sqrt(r->gpu_count);
	struct parallelism is = {
	    .tp = r->tensor_parallel_size >= 1 ? r->tensor_parallel_size : 0,
	    .pp = at_least_1(r->pipeline_parallel_size),
	    .dp = at_least_1(r->data_parallel_size),
	    .ep = at_least_1(r->expert_parallel_size)};
	if (r->ranks == RANKS_EP_IS_TP)
		is.ep = is.tp;
	if (r->ranks == RANKS_TP_IS_GPUS && r->gpu_count >= 1)
		is.tp = fmax(1, floor(r->gpu_count / (is.dp * is.pp)));
	if (is.tp * is.dp != r->gpu_count || !is_machine_of_eight(r) ||
	    !is_product(r, &is, g))
		return is;
	is.repaired = 1;
	is.ep = g;
	is.dp = is.tp == 1 ? g : 1;
	is.tp = is.tp == 1 ? 1 : g;
	return is;
}
