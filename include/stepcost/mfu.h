/* stepcost/mfu.h -- header-only helper for plugins: Model FLOPs Utilization
 * (MFU) looked up in measured tables.  Its parts, lowest first: mfu/rules.h,
 * mfu/table.h (reading), mfu/lookup.h (answers), mfu/kernel.h (one kernel). */
#ifndef SC_MFU_H
#define SC_MFU_H
#include "stepcost/mfu/kernel.h"
#endif
