/* plugin/digest.h -- the SHA-256 of a plugin. */
#pragma once
#include "base/file/digest.h"

/* Returns the SHA-256 of a plugin's file as hex, or NULL if it cannot be read.
 * If the plugin does I/O, as one that runs a program does, the digest covers
 * all files NAME.* beside it, too (digest_names()). */
const char *plugin_digest(const char *file, int does_io, char hex[DIGEST]);
/* Returns the same of the plugin's own folder; NULL: it has none, or it cannot
 * be read. */
const char *plugin_data_digest(const char *file, char hex[DIGEST]);
