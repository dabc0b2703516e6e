/* parallelism.c -- Reads the splits of a measured row. */
#include <config.h>
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

struct parallelism parallelism_of(const struct measured_row *r)
{
	double g = sqrt(r->gpu_count);
	struct parallelism is = {
	    .tp = r->tensor_parallel_size >= 1 ? r->tensor_parallel_size : 0,
	    .pp = at_least_1(r->pipeline_parallel_size),
	    .dp = at_least_1(r->data_parallel_size),
	    .ep = at_least_1(r->expert_parallel_size)};
	if ((g != 4 && g != 8) || is.tp * is.dp != r->gpu_count ||
	    !is_machine_of_eight(r))
		return is;
	is.repaired = 1;
	is.ep = g;
	is.dp = is.tp == 1 ? g : 1;
	is.tp = is.tp == 1 ? 1 : g;
	return is;
}
