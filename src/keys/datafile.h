/* keys/datafile.h -- finds data files by name.  Search order: the folders of
 * $STEPCOST_DATA_PATH (separated by ':'), the user's own folder
 * ($XDG_DATA_HOME/stepcost), the folder where stepcost's data is installed. */
#pragma once
#include "base/csv.h"
#include "base/file/searchpath.h"
#include "base/ini.h"
#include "base/problem.h"

/* Lists the folders FOLDER ("etc/models") that are searched.  Returns 0 or
 * -1. */
int datafile_folders(struct searchpath *s, const char *folder);
/* The same, but adds to *s. */
int datafile_add_folders(struct searchpath *s, const char *folder);

/* Returns the path of FOLDER/NAME+suffix ("etc/models", "llama-3.1-8b",
 * ".ini"), which the caller frees.  If it is not found: NULL with *p filled in
 * (EXIT_USAGE), which lists the known names and the nearest one. */
char *datafile_find(const char *folder, const char *name, const char *suffix,
		    struct problem *p);

/* Reads the table etc/NAME.csv.  Returns 0, or -1 with *p filled in. */
int datafile_csv(const char *name, csv_row_fn on_row, void *user,
		 struct problem *p);

/* Returns the path of the configuration that a command got; the caller frees
 * it. name is a path if it has a '/', ends in .ini or exists; otherwise it is
 * NAME.ini in the current folder, in etc or in etc/operators.  Returns NULL
 * with *p filled in as datafile_find(). */
char *datafile_configuration(const char *name, struct problem *p);

/* Returns the path of the file that a `config` key names; the caller frees it.
 * The value is a path if it has a '/' or ends in .ini or .json, else a name.  A
 * path is relative to the file with the key; a path from an option is relative
 * to the current folder if it exists there.  A folder means config.json in it.
 * Returns NULL with "file:line: …" in *p. */
char *datafile_config(const struct ini *c, const struct ini_item *item,
		      const char *folder, struct problem *p);
/* Returns the path of a file that a command got; the caller frees it.  It is
 * path, unless that does not exist and begins with bench_data/: then it is that
 * file in the data folders, if one has it.  NULL: memory is out. */
char *datafile_shipped(const char *path);
/* Reads the rows of such a file; without it there are none.  Returns 0, or -1
 * with *p filled in. */
int datafile_shipped_csv(const char *path, csv_row_fn on_row, void *user,
			 struct problem *p);

/* Returns the path that a key names; the caller frees it.  It is relative to
 * the file with the key; a path from an option is relative to the current
 * folder if it exists there.  NULL: memory is out. */
char *datafile_path(const struct ini *c, const struct ini_item *item);
/* "a/b/llama-3.1-8b.ini" -> "llama-3.1-8b"; "a/b/config.json" -> "b".  The
 * caller frees it. */
char *datafile_name(const char *path);
