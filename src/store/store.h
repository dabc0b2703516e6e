/* store/store.h -- a study's results as an SQLite file: opened, checked,
 * closed.
 *
 * Tables: study (what was asked), point (the axes of each), result (one row for
 * each point, arm and seed), log (when, how long, where); the view results has
 * axes and figures side by side.  doc/sweep.md describes them.
 *
 * Whoever writes holds FILE.lock.  What store_commit() has committed survives
 * the process, however that ends; a file at rest is the file alone, without
 * journal.  [one thread]; no printing. */
#ifndef SC_STORE_STORE_H
#define SC_STORE_STORE_H
#include <stdint.h>
#include "base/names.h"
#include "base/problem.h"
#include "store/columns.h"

enum { STORE_SCHEMA = 1 }; /* of the tables                                */

enum store_use {
	STORE_READ,
	STORE_WRITE,
	STORE_WRITE_ALONE, /* on a file system that hosts share: no WAL, which
			      needs memory that all readers share             */
};

/* What was asked: the one row of `study`.  In a store it differs from call to
 * call only where that changes no column: values of axes, configuration. */
struct store_study {
	enum store_mode mode;
	const char *stepcost;       /* version                                */
	const char *configuration;  /* text of the INI                        */
	const char *axes, *options; /* JSON                                  */
	const char *arms;           /* "a,b", in order                        */
	int64_t points;
	int64_t shard, shards; /* shards 0: it is not a shard            */
};

struct store;
/* A file that is not there is made, but for reading.  NULL with *p: EXIT_USAGE
 * for the file, EXIT_INPUT for what it holds (no store, another schema,
 * damaged), which stays as it is.  store_close() where not NULL. */
struct store *store_open(const char *path, enum store_use use,
			 struct problem *p);
/* Commits.  0, or -1 with *p. */
int store_close(struct store *s, struct problem *p);
const char *store_path(const struct store *s);

/* Makes the tables or, where they are, checks that this study goes on there.
 * axis: "section.key" each.  0, or -1 with *p. */
int store_begin(struct store *s, const struct store_study *study,
		const char *const *axis, size_t n_axes, struct problem *p);
/* 0: it was just made. */
int store_has_study(const struct store *s);
/* Of a store that has a study; lives as long as the store. */
const struct store_study *store_study(const struct store *s);
/* The axes, as columns. */
const struct names *store_axes(const struct store *s);

/* What was added since the last commit is there for good.  0, or -1 with *p. */
int store_commit(struct store *s, struct problem *p);
#endif
