/* live/record.h -- the record of a live server: a trace that every command
 * replays.  A line is written when something happens, by one write(); a file
 * that ends within a line is read up to the line before.  Names of requests are
 * unique: one that was there before gets "~2", "~3", …  [main] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "api/items.h"
#include "base/map64.h"
#include "base/problem.h"
#include "live/message.h"

struct record {
	int fd; /* -1: there is none */
	const char *path;
	int error; /* errno of the first write that failed; then it has ended */
	struct map64 names; /* of all requests -> how often they came */
};
/* path NULL: no record, and names stay as they are.  Returns 0, or -1 with *p
 * filled in. */
int record_open(struct record *r, const char *path, const char *digest,
		struct problem *p);
/* Makes the name unique; to: [n].  The record keeps 16 to 64 bytes a name. */
void record_name(struct record *r, const char *name, char *to, size_t n);
/* Texts of a request, as they are in the record; NULL: none. */
struct record_texts {
	const char *session, *adapter;
	uint64_t cache_salt; /* its number in order of appearance; 0: none */
	const struct prompt_items *items;
};
void record_request(struct record *r, const struct live_request *x,
		    const struct record_texts *t);
void record_cancel(struct record *r, const char *name, int64_t ns);
void record_reset(struct record *r, uint32_t replica, int64_t ns);
void record_close(struct record *r);
