/* stepcost/log.h -- header-only helper for plugins: writes one line to the
 * host's log, from create() only. */
#ifndef SC_LOG_H
#define SC_LOG_H
#include <stdarg.h>
#include <stdio.h>
#include "stepcost/plugin.h"

#define SC_LOG_INFO 1
#define SC_LOG_WARNING 2

__attribute__((format(printf, 3, 4))) static inline void
sc_log(const sc_setup *setup, int32_t level, const char *fmt, ...)
{
	const sc_host *host = setup->host;
	if (!host || !SC_HAS(host, log) || !host->log)
		return;
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	host->log(host, level, text);
}
#endif
