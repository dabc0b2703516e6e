/* serve/flight.h -- an HTTP request with its answer under way.
 *
 *   FLIGHT_WAITS    its connection is suspended until the engine has taken it
 *   FLIGHT_STREAMS  the events leave as they come; suspended while there are
 *                   none
 *   FLIGHT_DONE     the whole answer, or the error, is in `out`
 * It is withdrawn from the engine when its client has gone.  [one thread] */
#pragma once
#include "serve/server.h"

enum flight_state { FLIGHT_WAITS, FLIGHT_STREAMS, FLIGHT_DONE };
struct flight {
	struct server *s;
	struct port *at;
	struct MHD_Connection *connection;
	int fd;
	enum flight_state state;
	struct body body;
	struct reply reply;
	char *id;    /* that the client sees */
	char **name; /* [reply.n_choices] of the record */
	uint64_t first_row;
	uint32_t n_open; /* choices that are not over */
	uint64_t tokens; /* of prompts and answers, of all open choices */
	struct buffer out;
	size_t sent;
	size_t n_events; /* of a stream, until its fault begins */
	int is_suspended, is_gone, is_complete, is_watched, ends_with_error;
	struct api_error error; /* status 0: none */
	uint32_t replica;       /* UINT32_MAX: not routed */
	struct fault fault;
	int64_t stalled_until_ns; /* wall; 0: not */
	size_t leaves;            /* bytes that leave in spite of a stall */
	struct flight *next_open, *previous; /* of all */
	struct flight *next; /* of those that wait for a reset */
	uint64_t reset_number;
	struct flight *next_stalled;
	int is_silent; /* 1: a reset is answered without a body */
};
/* Adds it to those of its server. */
void flight_open(struct flight *f);
/* Gives all choices of the flight's body to the engine.  Returns 0, or -1 with
 * f->error. */
int flight_begin(struct flight *f, uint32_t pinned, const char *session);
/* The client is gone: its open choices are cancelled. */
void flight_cancel(struct flight *f);
/* The connection may go on. */
void flight_resume(struct flight *f);
void flight_free(struct flight *f);
/* The prefix caches are emptied, and then the flight is answered. */
void flight_reset(struct flight *f);
/* The same for the one that sleeps, when no request is in the engine. */
void flights_fall_asleep(struct server *s);

/* What the first arm tells. */
struct live_listener flight_listener(struct server *s);
/* Hands out tokens that clients have by now.  Returns when the next ones are
 * due, simulated; INT64_MAX: none. */
int64_t flights_hand_out(struct server *s);
/* Fails all flights, because the arm is dead. */
void flights_fail(struct server *s, const char *why);
/* The server gives up the requests of a port; at NULL: all that is open, also
 * what waits for a reset or a stall. */
void flights_abort(struct server *s, const struct port *at);
/* Names the adapters of requests that have a token, or of those that wait for
 * their first one: "a,b"; as many as fit. */
void flights_name_adapters(struct server *s, int has_tokens, char *to,
			   size_t n);
/* Frees what the publisher knew of requests. */
void flights_drop_texts(struct server *s);
/* Takes up answers that were stalled.  Returns the wall time of the next one,
 * or INT64_MAX. */
int64_t flights_unstall(struct server *s);
