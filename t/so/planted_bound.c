/* planted_bound: as planted, but each phase lasts as long as its longer side.
 */
#define PLANTED_NAME "planted_bound"
#define PLANTED_IS_ADDITIVE 0
#include "planted.c"
