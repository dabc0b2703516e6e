/* cmd/former_options.h -- options of earlier versions, and what does their work
 * now. */
#pragma once
#include <stddef.h>

/* Returns what takes the place of an option that a command had once; its name
 * has n characters.  NULL: the command never had it. */
const char *former_option(const char *command, const char *name, size_t n);
/* The same for a command. */
const char *former_command(const char *name);
