/* opening.c -- Opens the SQLite file of a store, and finishes the journal of a
 * process that was killed. */
#include "store/store_private.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/text.h"

enum { BUSY_MS = 10000 };

/* ---- the files beside it ---- */

/* Returns 1 with the status of FILE + suffix, or 0 if there is none. */
static int look_beside(const char *file, const char *suffix, struct stat *is,
		       char **path)
{
	if (asprintf(path, "%s%s", file, suffix) < 0)
		*path = NULL;
	return *path && stat(*path, is) == 0;
}

/* Returns 1 if FILE + suffix exists and is not empty. */
static int has_content(const char *file, const char *suffix)
{
	struct stat is;
	char *path;
	int there = look_beside(file, suffix, &is, &path) && is.st_size > 0;
	free(path);
	return there;
}

/* SQLite opens files of these names, and would wait for ever for a pipe.
 * Returns 0, or -1 with *p filled in. */
static int check_beside(const char *file, struct problem *p)
{
	static const char *const suffix[] = {"-journal", "-wal", "-shm",
					     ".lock"};
	int rc = 0;
	for (int i = 0; rc == 0 && i < 4; i++) {
		struct stat is;
		char *path;
		if (look_beside(file, suffix[i], &is, &path) &&
		    !S_ISREG(is.st_mode))
			rc = problem_set(
			    p, EXIT_USAGE,
			    "%s: is not a regular file, but has the name of "
			    "one of the store's: remove it",
			    path);
		free(path);
	}
	return rc;
}

/* A journal that ends with the format's first bytes names a file, and SQLite
 * deletes that file when it has finished the journal.  No journal of ours names
 * one.  Source: SQLite, readSuperJournal() and pager_delsuper(). */
static int check_journal(const char *file, struct problem *p)
{
	static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9,
					      0x20, 0xa1, 0x63, 0xd7};
	unsigned char last[sizeof magic] = {0};
	struct stat is;
	char *path;
	int rc = 0, there = look_beside(file, "-journal", &is, &path);
	FILE *f = there ? fopen(path, "rbe") : NULL;
	if (there && !f)
		rc = problem_of_file(p, path, errno);
	else if (f && fseek(f, -(long)sizeof last, SEEK_END) == 0 &&
		 fread(last, sizeof last, 1, f) == 1 &&
		 memcmp(last, magic, sizeof magic) == 0)
		rc = problem_set(p, EXIT_INPUT,
				 "%s: names another file, which SQLite would "
				 "delete, so that stepcost did not write it: "
				 "remove it",
				 path);
	if (f && ferror(f))
		rc = problem_of_file(p, path, EIO);
	if (f)
		fclose(f);
	free(path);
	return rc;
}

static int has_journal(const struct store *s)
{
	return has_content(s->path, "-wal") || has_content(s->path, "-journal");
}

/* ---- SQLite ---- */

/* A store may come from a stranger: nothing that its schema names is run. */
static void distrust(sqlite3 *db)
{
	enum { LONGEST_TEXT_MIB = 64 };
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_TEXT_MIB << 20);
}

/* Returns a URI that SQLite takes for this file and for nothing else, with
 * `query` behind it: by itself it takes ":memory:", "" and "file:..." for
 * something that it need not keep.  NULL without memory. */
static char *uri_of(const char *path, const char *query)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fputs(*path == '/' ? "file://" : "file:./", f);
	for (const char *c = path; *c; c++)
		fprintf(f,
			isalnum((unsigned char)*c) || strchr("/._-", *c)
			    ? "%c"
			    : "%%%02x",
			(unsigned char)*c);
	fputs(query, f);
	return text_end(&t);
}

static int connect_as(struct store *s, const char *query, int flags,
		      struct problem *p)
{
	sqlite3_close(s->db);
	s->db = NULL;
	char *uri = uri_of(s->path, query);
	if (!uri)
		return problem_no_memory(p);
	int rc = sqlite3_open_v2(uri, &s->db, flags | SQLITE_OPEN_URI, NULL);
	free(uri);
	if (rc != SQLITE_OK)
		return store_failed(s, "opening", p);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	distrust(s->db);
	return 0;
}

static int connect(struct store *s, int flags, struct problem *p)
{
	return connect_as(s, "", flags, p);
}

/* ---- reading ---- */

/* Begins to read: from here on all statements see the same rows. */
static int begin_to_read(struct store *s, struct problem *p)
{
	return store_run(s,
			 "PRAGMA query_only = 1; BEGIN;"
			 "SELECT count(*) FROM sqlite_master",
			 p);
}

/* Finishes the journal of a process that was killed, and makes the store a
 * single file again.  Errors are met by the next reading. */
static void finish_journal(struct store *s)
{
	struct problem ignored;
	if (connect(s, SQLITE_OPEN_READWRITE, &ignored) < 0)
		return;
	sqlite3_busy_timeout(s->db, 0);
	sqlite3_exec(s->db,
		     "SELECT count(*) FROM sqlite_master;"
		     "PRAGMA journal_mode = DELETE",
		     NULL, NULL, NULL);
}

/* Opens a store without a journal in a folder where SQLite may not make the
 * files that readers share with a writer: `immutable` needs none. */
static int read_as_it_is(struct store *s, struct problem *p)
{
	return connect_as(s, "?immutable=1", SQLITE_OPEN_READONLY, p) < 0
		   ? -1
		   : begin_to_read(s, p);
}

static int try_to_read(struct store *s, struct problem *p)
{
	return connect(s, SQLITE_OPEN_READONLY, p) < 0 ? -1
						       : begin_to_read(s, p);
}

/* Returns 1 if SQLite failed because it may not write the file or its folder.
 */
static int needed_to_write(const struct store *s)
{
	int code = sqlite3_errcode(s->db) & 0xff;
	return code == SQLITE_READONLY || code == SQLITE_CANTOPEN;
}

static int say_resume(const struct store *s, struct problem *p)
{
	return problem_set(
	    p, EXIT_USAGE,
	    "%s: the process that wrote it was killed, and its journal cannot "
	    "be finished without permission to write the file and its folder: "
	    "`stepcost sweep check %s` finishes it with that permission, or "
	    "resume the sweep",
	    s->path, s->path);
}

/* Opens the store to read it.  SQLite cannot read a store with the journal of a
 * killed writer without writing, so this finishes the journal first.  A writer
 * may be killed between the look at its lock and the reading; the next attempt
 * finds its journal. */
static int open_to_read(struct store *s, struct problem *p)
{
	enum { ATTEMPTS = 3 };
	int rc = -1, is_over = 0;
	for (int i = 0; i < ATTEMPTS && rc < 0 && !is_over; i++) {
		if (has_journal(s) && !lockfile_is_held(s->path))
			finish_journal(s);
		rc = try_to_read(s, p);
		is_over = rc < 0 && !needed_to_write(s);
	}
	if (rc == 0 || is_over)
		return rc;
	return has_journal(s) ? say_resume(s, p) : read_as_it_is(s, p);
}

/* ---- opening and closing ---- */

int opening_open(struct store *s, struct problem *p)
{
	if (!*s->path)
		return problem_set(p, EXIT_USAGE,
				   "the name of a store is empty (a variable "
				   "that is not set?): give a file, as in "
				   "--store results.db");
	if (check_beside(s->path, p) < 0 || check_journal(s->path, p) < 0)
		return -1;
	if (store_is_read(s))
		return infile_check(s->path, p) < 0 ? -1 : open_to_read(s, p);
	if (access(s->path, F_OK) == 0 && infile_check(s->path, p) < 0)
		return -1;
	return lockfile_take(&s->lock, s->path, p) < 0
		   ? -1
		   : connect(s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, p);
}

/* With WAL other processes can read at the same time.  A commit then survives
 * the end of this process, but not a crash of the machine. */
int opening_set_journal(struct store *s, struct problem *p)
{
	return store_is_read(s) ? 0
	       : s->use == STORE_WRITE
		   ? store_run(s,
			       "PRAGMA journal_mode = WAL;"
			       "PRAGMA synchronous = NORMAL",
			       p)
		   : store_run(s, "PRAGMA journal_mode = DELETE", p);
}

int opening_close(struct store *s, struct problem *p)
{
	int rc = 0;
	/* At rest it is a single file, which can be copied, and read by users
	 * without write permission.  While others read, it stays as it is. */
	if (s->db && s->use == STORE_WRITE && s->has_study &&
	    sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL,
			 NULL) != SQLITE_OK &&
	    (sqlite3_errcode(s->db) & 0xff) != SQLITE_BUSY &&
	    (sqlite3_errcode(s->db) & 0xff) != SQLITE_LOCKED)
		rc = store_failed(s, "writing", p);
	sqlite3_close(s->db);
	s->db = NULL;
	lockfile_release(&s->lock);
	return rc;
}
