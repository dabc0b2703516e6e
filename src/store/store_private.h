/* store/store_private.h -- an open store, for the modules of this room: store.c
 * opens it, rows.c writes and finds rows, reader.c reads all of them, merge.c
 * copies them.  No other file includes this. */
#ifndef SC_STORE_STORE_PRIVATE_H
#define SC_STORE_STORE_PRIVATE_H
#include <sqlite3.h>
#include "base/lockfile.h"
#include "store/store.h"

struct store {
	sqlite3 *db;
	char *path;
	enum store_use use;
	struct lockfile lock;
	int has_study, in_transaction;
	struct store_study study;
	struct names axes;
	char *owned[5]; /* texts of study */
	/* Used by rows.c; prepared at first use: */
	sqlite3_stmt *add_point, *add_result, *add_log, *find;
};

/* Reports the database's error during `what`.  Returns -1. */
int store_failed(struct store *s, const char *what, struct problem *p);
/* Runs statements without a result, one after another.  Returns 0, or -1 with
 * *p filled in. */
int store_run(struct store *s, const char *sql, struct problem *p);
sqlite3_stmt *store_prepare(struct store *s, const char *sql,
			    struct problem *p);
/* Reads one number.  Returns 0, or -1 with *p filled in. */
int store_number_of(struct store *s, const char *sql, int64_t *out,
		    struct problem *p);
/* Writes a text in double quotes, as SQL writes a name. */
void store_quote(FILE *f, const char *name);
/* Begins a transaction, unless one is open. */
int store_begin_transaction(struct store *s, struct problem *p);
#endif
