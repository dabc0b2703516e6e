/* plugin/digest.h -- the SHA-256 of a plugin. */
#pragma once
#include "base/file/digest.h"

/* Of its file; if it does I/O, as a plugin that runs a program does, of its
 * file and all files NAME.* beside it (digest_names()).  Returns hex, or NULL
 * if one cannot be read. */
const char *plugin_digest(const char *file, int does_io, char hex[DIGEST]);
/* Of the folder of its own; NULL: it has none, or it cannot be read. */
const char *plugin_data_digest(const char *file, char hex[DIGEST]);
