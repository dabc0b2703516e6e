/* validate/measured/protocol_name.h -- which protocol (protocol.h) a row was
 * measured with. */
#pragma once
#include "base/ini.h"
#include "validate/measured/measured.h"

/* The name of the protocol that a row was measured with: its own; that of its
 * origin ([origin] of the alias file), of its class ([class]), of how requests
 * came ([arrival]); or "benchmark".  NULL: none is known. */
const char *protocol_name(const struct measured_row *r,
			  const struct ini *aliases);
