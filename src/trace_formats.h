/* trace_formats.h -- the readers, one file each. */
#ifndef SC_SRC_TRACE_FORMATS_H
#define SC_SRC_TRACE_FORMATS_H
#include "trace.h"

extern const struct trace_format trace_azure;
extern const struct trace_format trace_mooncake;
extern const struct trace_format trace_stepcost;
#endif
