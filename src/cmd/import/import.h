/* cmd/import/import.h -- shared by `import vllm` and `import launch`. */
#pragma once
#include "base/ini.h"

/* Returns our name of a server's model, or the path of its config.json; path:
 * the file that names it.  The caller frees it; NULL: it is not known. */
char *import_model(const struct ini *aliases, const char *path, const char *id);
