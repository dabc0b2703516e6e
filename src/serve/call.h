/* serve/call.h -- an HTTP request as an endpoint sees it, and its answer. */
#pragma once
#include "serve/flight.h"

struct call {
	struct server *s;
	struct port *at;
	struct MHD_Connection *connection;
	const char *path, *method;
	enum body_kind kind; /* of a path that reads a body */
	struct buffer body;
	size_t counted; /* bytes of it in s->body_bytes */
	int is_too_large, lacks_room;
	struct flight *flight; /* NULL: none */
	/* The answer, unless a flight writes it: */
	int status;
	const char *type; /* Content-Type; NULL: JSON */
	struct buffer out;
	int closes;
	const char *id;
	const char *allow; /* methods of the path, with 405 */
};
const char *call_header(const struct call *c, const char *name);
/* Sets the answer to an error.  Returns its status. */
int call_fail(struct call *c, int status, const char *type, const char *param,
	      const char *what);
/* Answers, or begins a flight. */
void endpoint_call(struct call *c);
