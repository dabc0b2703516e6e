/* stepcost/mfu_roofline.h -- header-only helper for plugins: the earlier name
 * of mfu/roofline.h. */
#include "stepcost/mfu/roofline.h"
