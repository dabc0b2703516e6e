/* arena/stored.h -- simulations of measured runs, kept in a CSV file between
 * calls, so that only new ones are made.
 *
 * A row is found by a hash of all that determines it: this program, the
 * configuration as resolved for the arm, its plugin, its tables, the requests
 * (sweep/key.h).  Rows of another build of the program are dropped.  [main] */
#pragma once
#include "sweep/key.h"
#include "validate/validation.h"

enum { STORED_ROW_KEY = STORE_KEY + 24 };
struct stored_row {
	char key[STORED_ROW_KEY];
	char *name, *arm; /* for people */
	char *why;        /* why it is not priced; NULL: it is */
	struct measured_times time[N_RUN_LATENCIES];
};
struct stored {
	char *path;
	char program[STORE_KEY]; /* hash of this program's file */
	struct stored_row *row;  /* [n] the first n_sorted by key */
	size_t n, n_sorted, cap;
	struct key_memory memory;
};

/* Reads the file, which need not exist.  Returns 0, or -1 with *p filled in.
 * The caller calls stored_free() in either case. */
int stored_open(struct stored *s, const char *path, struct problem *p);
/* Returns all that a simulation rests on beside the arm, for the caller to
 * free; NULL: memory is out. */
char *stored_describe(const struct row_replay *t);
/* Computes the key of an arm on a simulation of v.  what: as described.
 * Returns 0, or -1: it has none, since the arm cannot be prepared. */
int stored_key(struct stored *s, const char *what, const struct validation *v,
	       size_t row_replay, size_t arm, char key[STORE_KEY]);
/* Fills in v's predictions of that simulation.  Returns 1 if all are known. */
int stored_take(const struct stored *s, const char *key, struct validation *v,
		size_t row_replay, size_t arm);
/* Adds them.  Returns 0, or -1 if memory is out. */
int stored_add(struct stored *s, const char *key, const struct validation *v,
	       size_t row_replay, size_t arm);
/* Writes the file.  Returns 0, or -1 with *p filled in. */
int stored_save(struct stored *s, struct problem *p);
void stored_free(struct stored *s);
