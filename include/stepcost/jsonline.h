/* stepcost/jsonline.h -- header-only helper for plugins: the earlier name of
 * exec/json.h. */
#include "stepcost/exec/json.h"
