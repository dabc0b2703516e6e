/* serve/listen.h -- the socket that a server listens on. */
#pragma once
#include "base/problem.h"

/* text: HOST:PORT, [::1]:PORT or unix:PATH (mode 600).  *port: the one that it
 * got, 0 for a path; *local: 1 if only this machine reaches it.  Returns the
 * socket, or -1 with *p filled in (EXIT_USAGE). */
int listen_open(const char *text, int *port, int *local, struct problem *p);
