/* serve/listen.h -- the socket that a server listens on. */
#pragma once
#include "base/problem.h"

/* text: HOST:PORT, [::1]:PORT or unix:PATH (mode 600).  *port: the one that it
 * got, 0 for a path; *local: 1 if only this machine reaches it.  Returns the
 * socket, or -1 with *p filled in (EXIT_USAGE). */
int listen_open(const char *text, int *port, int *local, struct problem *p);
/* Removes a socket that a server left at the path.  Returns 0, or -1 with *p
 * filled in (EXIT_USAGE): another file is there, or a server that listens. */
int listen_clear_path(const char *path, struct problem *p);
