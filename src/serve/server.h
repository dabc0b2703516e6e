/* serve/server.h -- the state of a live server: its clock, its arms, the
 * requests in flight, its limits.
 *
 * One thread and one epoll loop: libmicrohttpd parses and writes HTTP and is
 * called by the loop.  A request in flight (struct flight) belongs to its HTTP
 * request and is freed when libmicrohttpd ends that.  Simulated time is
 * speed * (t - t0), in integer ns, t of CLOCK_MONOTONIC. */
#pragma once
#include "api/reply.h"
#include "api/serve_keys.h"
#include "base/names.h"
#include "live/live.h"
#include "live/record.h"
#include "serve/faults.h"
#include "serve/measures.h"
#include "serve/mhd.h"
#include "serve/publisher.h"
#include "workload/distribution.h"

struct flight;
struct link;

/* n tokens of a row that reach the client at due_ns.  The server keeps them in
 * a heap with the earliest on top. */
struct due {
	int64_t due_ns;
	uint64_t order, row;
	uint32_t n, epoch;
};
struct row {
	struct flight *flight; /* NULL: over */
	struct kv_text *text;  /* for the publisher; owned; NULL: none */
	uint32_t choice, epoch;
	int64_t arrival_ns, last_ns; /* last_ns: of its last token */
};
/* A port that answers for all replicas, or for one (serve.ports = each). */
struct port {
	struct server *s;
	uint32_t first, n; /* its replicas */
	int number;        /* of TCP */
	int listen_fd;     /* -1: does not listen */
	struct MHD_Daemon *http;
	uint64_t open_choices;
	int sleep_level; /* 0: awake */
	/* The request that waits until cancels up to sleep_stamp_ns have taken
	 * effect. */
	struct flight *sleeper;
	int64_t sleep_stamp_ns;
};
enum { MOST_ADAPTERS = 1024, MOST_ADAPTER_NAME = 256 };
struct server {
	const struct config *config;
	struct serve_keys keys;
	struct distribution lengths;
	struct names models, adapters;
	uint32_t lora_id[MOST_ADAPTERS], n_lora_ids; /* by adapter; given */
	struct names api_keys;
	char fingerprint[96], digest[20];
	struct live live;
	struct record record;
	const char *record_path;
	struct fault_shares faults;
	struct measures measures;
	struct publisher publisher;
	/* the clock; t0_ns 0: not begun */
	int64_t t0_ns, listen_ns, stop_ns, drain_until_ns;
	double speed;
	uint32_t chars; /* of a token; 0: pieces */
	/* [cap_due] a heap */
	struct due *due;
	size_t n_due, cap_due;
	uint64_t n_orders;
	/* Rows first_row … next_row − 1, in a ring. */
	struct row *row;
	size_t cap_rows;
	uint64_t first_row, next_row;
	uint64_t n_fault_draws;
	uint64_t n_requests; /* of HTTP that reached the engine */
	uint64_t open_choices, open_tokens, body_bytes, connections;
	struct flight *flights; /* all */
	struct flight *resets;  /* that wait for a reset */
	uint64_t n_resets, n_resets_done;
	struct flight *stalled; /* by a fault */
	struct map64 salts;
	struct mhd mhd;
	struct port *port; /* [n_ports] */
	uint32_t n_ports;
	struct link *links; /* connections (http.c) */
	int epoll_fd, timer_fd;
	int is_open_to_others;    /* 1: not this machine alone */
	int is_draining, is_live; /* is_live: the arms were opened */
	int has_resumed;          /* 1: libmicrohttpd has something to send */
	int64_t warned_ns;
};

int64_t server_wall_ns(void);
/* Returns simulated time; -1: the clock has not begun. */
int64_t server_now(const struct server *s);
/* Returns the wall time of a simulated one. */
int64_t server_wall_of(const struct server *s, int64_t ns);
/* 1: it takes requests for its engine. */
int server_is_ready(const struct server *s);
int server_is_dead(const struct server *s);
/* 1: the one replica of the port was taken away. */
int server_port_is_away(const struct port *at);
/* Returns the place of an adapter in s->adapters, from 1; 0: it is none. */
uint32_t server_adapter(const struct server *s, const char *name);
