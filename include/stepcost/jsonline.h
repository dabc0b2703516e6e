/* stepcost/jsonline.h -- header-only helper for plugins: the former name of
 * exec/json.h. */
#include "stepcost/exec/json.h"
