/* report/import/imported_launch.h -- writes a server, or one of each pool, or a
 * gateway that a script or a YAML starts as a configuration.  Each line says
 * which flag it comes from; settings without a counterpart are remarks at the
 * end. */
#pragma once
#include "report/import/imported.h"
#include "report/import/launched.h"

/* l, path: [n].  x: model, GPU and `missing`.  Returns 0, or -1 if memory is
 * out. */
int imported_launch_write(const struct launched *l, size_t n,
			  const struct imported *x, const char *const *path,
			  FILE *f);
