/* validate/measured/parallelism.h -- how the ranks of a measured row are split.
 */
#pragma once
#include "validate/measured/measured.h"

struct parallelism {
	/* At least 1; tp: 0 where the row does not say. */
	double tp, pp, dp, ep;
	int repaired; /* the row held products of ranks                      */
};
/* As the row says.  Some rows have 16 or 64 GPUs on machines of eight, and
 * tp x dp is all of them.  They were published as products of equal factors:
 * each is the square root g of the GPUs.  With tp 1 the ranks are data
 * parallel, else tensor parallel, and the experts are split over g.  The row's
 * launch may say that the same holds for two GPUs that were published as four
 * (RANKS_SQUARE), or that experts were always split by expert, over the tensor
 * parallel ranks (RANKS_EP_IS_TP).  Or the row says tp 1 where experts are
 * split over ranks that are tensor parallel in attention (RANKS_TP_IS_GPUS): tp
 * is the GPUs of a data-parallel rank. */
struct parallelism parallelism_of(const struct measured_row *r);
