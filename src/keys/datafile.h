/* keys/datafile.h -- finds data files by name: in the folders of
 * $STEPCOST_DATA_PATH (separated by ':'), then the user's own
 * ($XDG_DATA_HOME/stepcost), then where stepcost's data is installed. */
#ifndef SC_KEYS_DATAFILE_H
#define SC_KEYS_DATAFILE_H
#include "base/ini.h"
#include "base/problem.h"
#include "base/searchpath.h"

/* The folders FOLDER ("etc/models") that are searched.  0, or -1. */
int datafile_folders(struct searchpath *s, const char *folder);
/* The same, added to those of *s. */
int datafile_add_folders(struct searchpath *s, const char *folder);

/* The path of FOLDER/NAME+suffix ("etc/models", "llama-3.1-8b", ".ini"), to be
 * freed; or NULL with *p (EXIT_USAGE): not found, which are known, and the
 * nearest of them. */
char *datafile_find(const char *folder, const char *name, const char *suffix,
		    struct problem *p);

/* The configuration that a command is given, to be freed: a path as it is
 * written, if it has a '/', ends in .ini or is there; else NAME.ini of the
 * current folder, of etc or of etc/operators.  NULL with *p (EXIT_USAGE), as
 * datafile_find(). */
char *datafile_configuration(const char *name, struct problem *p);

/* The file that a `config` key means, to be freed: a path, relative to the file
 * that says so (of an option: to the current folder, if it is there), if it has
 * a '/' or ends in .ini or .json (a folder: config.json in it); a name
 * otherwise.  NULL with "file:line: …" in *p. */
char *datafile_config(const struct ini *c, const struct ini_item *item,
		      const char *folder, struct problem *p);
/* "a/b/llama-3.1-8b.ini" -> "llama-3.1-8b"; "a/b/config.json" -> "b"; free
 * it. */
char *datafile_name(const char *path);
#endif
