/* store/store.h -- the results of a study as an SQLite file: opening, checking,
 * closing.
 *
 * Tables: study (the request), point (the axes of each), result (one row per
 * point, arm and seed), log (when, how long, where), identity (the files that
 * the last call read); the view results has axes
 * and figures side by side.  doc/sweep.md describes them.
 *
 * The writer holds FILE.lock.  Everything that store_commit() committed
 * survives the process, however it ends; a file at rest is a single file
 * without journal.  Each row has a digest, and so has the study with the
 * definitions of all tables: damage is never taken for a result. [one thread];
 * no printing. */
#pragma once
#include <stdint.h>
#include "base/names.h"
#include "base/problem.h"
#include "store/columns.h"

enum { STORE_SCHEMA = 1 }; /* version of the tables */

enum store_use {
	STORE_READ,
	/* The same for a damaged store: store_complaint() says what a reader
	 * would be told. */
	STORE_CHECK,
	STORE_WRITE,
	/* On a file system that hosts share: no WAL, because WAL needs memory
	 * that all readers share. */
	STORE_WRITE_ALONE,
};

/* The request: the single row of `study`.  It may differ between calls only
 * where no column changes: in the values of axes, in the configuration. */
struct store_study {
	enum store_mode mode;
	const char *stepcost;       /* version */
	const char *configuration;  /* text of the INI */
	const char *axes, *options; /* JSON */
	const char *arms;           /* "a,b", in order */
	int64_t points;
	int64_t shard, shards; /* shards 0: not a shard */
};

struct store;
/* Opens a store.  Creates a file that does not exist, except to read.
 * Returns NULL with *p filled in: EXIT_USAGE for the file, EXIT_INPUT for its
 * content (no store, another schema, damaged), which is not changed.  The
 * caller calls store_close() if the result is not NULL. */
struct store *store_open(const char *path, enum store_use use,
			 struct problem *p);
/* Commits and closes.  Returns 0, or -1 with *p filled in. */
int store_close(struct store *s, struct problem *p);
const char *store_path(const struct store *s);

/* Returns NULL if only rows may be damaged. */
const struct problem *store_complaint(const struct store *s);
/* Returns 0 for a store from before rows had digests, which can be read, but
 * not checked. */
int store_has_digests(const struct store *s);

/* Creates the tables or, if they exist, checks that this study can continue
 * there.  axis: "section.key" each.  Returns 0, or -1 with *p filled in. */
int store_begin(struct store *s, const struct store_study *study,
		const char *const *axis, size_t n_axes, struct problem *p);
/* Returns 0 if the store was just created. */
int store_has_study(const struct store *s);
/* Returns the study of a store that has one; valid as long as the store. */
const struct store_study *store_study(const struct store *s);
/* Returns the names of the axes, which are columns. */
const struct names *store_axes(const struct store *s);

/* Keeps a text that says what the last call of the sweep read, the one row of
 * the table `identity`.  Returns 0, or -1 with *p filled in. */
int store_set_identity(struct store *s, const char *json, struct problem *p);
/* Makes everything permanent that was added since the last commit.  Returns 0,
 * or -1 with *p filled in. */
int store_commit(struct store *s, struct problem *p);
