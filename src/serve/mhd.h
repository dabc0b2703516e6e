/* serve/mhd.h -- libmicrohttpd, loaded when a server starts, so that other
 * commands start without it. */
#pragma once
#include <microhttpd.h>
#include "base/problem.h"

/* The functions of libmicrohttpd that the server calls. */
#define MHD_FUNCTIONS(X)                                                       \
	X(add_response_header)                                                 \
	X(create_response_from_buffer)                                         \
	X(create_response_from_callback)                                       \
	X(destroy_response)                                                    \
	X(get_connection_info)                                                 \
	X(get_connection_values)                                               \
	X(get_daemon_info)                                                     \
	X(get_timeout)                                                         \
	X(lookup_connection_value)                                             \
	X(queue_response)                                                      \
	X(quiesce_daemon)                                                      \
	X(resume_connection)                                                   \
	X(run)                                                                 \
	X(start_daemon)                                                        \
	X(stop_daemon)                                                         \
	X(suspend_connection)
#define MHD_MEMBER(name) __typeof__(&MHD_##name) name;
struct mhd {
	void *library;
	MHD_FUNCTIONS(MHD_MEMBER)
};
#undef MHD_MEMBER
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int mhd_load(struct mhd *m, struct problem *p);
