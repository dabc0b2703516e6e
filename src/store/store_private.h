/* store/store_private.h -- an open store, for the modules of this room:
 * opening.c opens its file, store.c checks it, rows.c writes and finds rows,
 * scan.c reads all of them, merge.c copies them.  No other file includes
 * this. */
#pragma once
#include <sqlite3.h>
#include "base/file/lockfile.h"
#include "store/cell_digest.h"
#include "store/store.h"

struct store {
	sqlite3 *db;
	char *path;
	enum store_use use;
	struct lockfile lock;
	int has_study, in_transaction;
	int has_digests;          /* 0: written before rows had digests */
	struct problem complaint; /* for STORE_CHECK; code 0: none */
	struct store_study study;
	struct names axes;
	char *owned[5]; /* texts of study */
	/* Used by rows.c; prepared at first use: */
	sqlite3_stmt *add_point, *point_cells, *add_result, *add_log, *find;
	struct cell_digest row_names; /* of the columns of a row */
};

/* Returns 1 if a store is open for reading. */
static inline int store_is_read(const struct store *s)
{
	return s->use == STORE_READ || s->use == STORE_CHECK;
}
/* Reports the database's error during `what`.  Returns -1. */
int store_failed(struct store *s, const char *what, struct problem *p);
/* Runs statements without a result, one after another.  Returns 0, or -1 with
 * *p filled in. */
int store_run(struct store *s, const char *sql, struct problem *p);
sqlite3_stmt *store_prepare(struct store *s, const char *sql,
			    struct problem *p);
/* Runs a PRAGMA that checks the pages of the file; a file that is cut off fails
 * it.  Returns 0, or -1 with *p filled in. */
int store_verify(struct store *s, const char *pragma, struct problem *p);
/* Reads one number.  Returns 0, or -1 with *p filled in. */
int store_number_of(struct store *s, const char *sql, int64_t *out,
		    struct problem *p);
/* Adds the names of the columns of a table, in order.  Returns 0, or -1 with *p
 * filled in. */
int store_columns(struct store *s, const char *table, struct names *out,
		  struct problem *p);
/* Begins a transaction, unless one is open. */
int store_begin_transaction(struct store *s, struct problem *p);
/* Forgets all writes since the last commit. */
void store_roll_back(struct store *s);
/* Opens s->path for s->use, and takes the lock of a writer.  A reader changes
 * nothing, unless a process that was killed left a journal and no process
 * writes: then it finishes that journal, which takes permission to write.  It
 * sees the rows of one moment.  Returns 0, or -1 with *p filled in.  The caller
 * calls opening_close() in either case. */
int opening_open(struct store *s, struct problem *p);
/* For a writer, after its file was found to be a store. */
int opening_set_journal(struct store *s, struct problem *p);
/* Returns 0, or -1 with *p filled in: its journal is still there. */
int opening_close(struct store *s, struct problem *p);
/* Prepares "INTO VALUES (?, ?, ...)" with n values.  Returns NULL with *p
 * filled in if that fails. */
sqlite3_stmt *rows_prepare_values(struct store *s, const char *into, size_t n,
				  struct problem *p);
/* Prepares the statements that add a row.  Returns 0, or -1 with *p filled in:
 * the store has other columns. */
int rows_prepare(struct store *s, struct problem *p);
