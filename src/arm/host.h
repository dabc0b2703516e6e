/* arm/host.h -- this program as a cost model sees it: it accepts log messages
 * from create(), and has no extensions yet. */
#pragma once
#include <stdio.h>
#include "stepcost/plugin.h"

/* Drops log messages. */
extern const sc_host host_silent;
/* Writes information and warnings to f as lines "warning: text".  f is the
 * host's ctx; with NULL the caller fills it in later. */
sc_host host_writing(FILE *f);
/* The same as messages of this program, "stepcost: warning: text". */
sc_host host_saying(FILE *f);

/* A host that passes on a limited number of messages, so that a cost model
 * cannot fill a disk.  It must not be moved while a cost model knows it. */
enum { HOST_MESSAGES = 100, HOST_MESSAGE_BYTES = 1000 };
struct limited_host {
	sc_host is;
	const sc_host *to;
	uint32_t n_passed, n_dropped;
};
/* Passes on the first HOST_MESSAGES messages to *to, each up to
 * HOST_MESSAGE_BYTES, and counts the others. */
void host_limit(struct limited_host *h, const sc_host *to);
/* Writes how many messages of that plugin were dropped since the last call, if
 * any were. */
void host_tell_dropped(struct limited_host *h, const char *plugin);
