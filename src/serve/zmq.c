/* zmq.c -- Loads libzmq. */
#include "serve/zmq.h"
#include "serve/library.h"

int zmq_load(struct zmq *z, struct problem *p)
{
	int rc = 0;
	z->library = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
	if (!z->library)
		return problem_set(p, EXIT_USAGE,
				   "serve.kv_events needs libzmq: %s",
				   dlerror());
	rc |= library_find(z->library, "zmq_ctx_new", &z->ctx_new);
	rc |= library_find(z->library, "zmq_ctx_term", &z->ctx_term);
	rc |= library_find(z->library, "zmq_socket", &z->make);
	rc |= library_find(z->library, "zmq_close", &z->close);
	rc |= library_find(z->library, "zmq_setsockopt", &z->setsockopt);
	rc |= library_find(z->library, "zmq_getsockopt", &z->getsockopt);
	rc |= library_find(z->library, "zmq_bind", &z->bind);
	rc |= library_find(z->library, "zmq_connect", &z->connect);
	rc |= library_find(z->library, "zmq_send", &z->send);
	rc |= library_find(z->library, "zmq_recv", &z->recv);
	rc |= library_find(z->library, "zmq_errno", &z->last_error);
	rc |= library_find(z->library, "zmq_strerror", &z->strerror);
	return rc ? problem_set(p, EXIT_USAGE,
				"serve.kv_events: this libzmq lacks a function")
		  : 0;
}
