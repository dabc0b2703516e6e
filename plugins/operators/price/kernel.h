/* kernel.h -- The plugin's kernel(). */
#ifndef OPERATORS_KERNEL_H
#define OPERATORS_KERNEL_H
#include "stepcost/plugin.h"

int32_t kernel_price(void *inst, const sc_kernel *k, sc_kernel_result *out,
		     sc_error *err);
#endif
