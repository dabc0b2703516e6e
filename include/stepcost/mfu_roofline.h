/* stepcost/mfu_roofline.h -- header-only helper for plugins: the former name of
 * mfu/roofline.h. */
#include "stepcost/mfu/roofline.h"
