/* datafile.c -- Finds data files by name in the data folders. */
#include "keys/datafile.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/file/path.h"
#include "base/nearest.h"

int datafile_folders(struct searchpath *s, const char *folder)
{
	return searchpath_make_user(s, getenv("STEPCOST_DATA_PATH"), folder,
				    SC_DATADIR, folder);
}

int datafile_add_folders(struct searchpath *s, const char *folder)
{
	struct searchpath more;
	int rc = datafile_folders(&more, folder);
	for (size_t i = 0; rc == 0 && i < more.folder.n; i++)
		rc = searchpath_add(s, more.folder.item[i]);
	searchpath_free(&more);
	return rc;
}

/* Returns the NAMEs of all files NAME.SUFFIX in the folders. */
static struct names names_in(const struct searchpath *s, const char *suffix)
{
	struct names known = {0};
	for (size_t i = 0; i < s->folder.n; i++)
		names_add_files(&known, s->folder.item[i], suffix);
	return known;
}

/* Returns a folder that may not be read, or NULL. */
static const char *closed_folder(const struct searchpath *s)
{
	for (size_t i = 0; i < s->folder.n; i++)
		if (access(s->folder.item[i], R_OK | X_OK) < 0 &&
		    errno == EACCES)
			return s->folder.item[i];
	return NULL;
}

static int not_found(const struct searchpath *s, const char *where,
		     const char *name, const char *suffix, struct problem *p)
{
	struct names known = names_in(s, suffix);
	const char *closed = closed_folder(s);
	char hint[100], list[800];
	names_join(known.n ? &known : &s->folder, list, sizeof list);
	problem_set(
	    p, EXIT_USAGE, "no '%s%s' in %s%s%s; known: %s%s%s%s", name, suffix,
	    where, ini_comment_hint(name), nearest_of_id(name, &known, hint),
	    known.n ? "" : "none, in the folders ", list,
	    closed ? "; no permission to read " : "", closed ? closed : "");
	names_free(&known);
	return -1;
}

/* Sets *path to the first NAME+suffix in the folders, which the caller frees,
 * or to NULL if none has it.  Returns 0, or -1 if memory is out. */
static int find_first(const struct searchpath *s, const char *name,
		      const char *suffix, char **path)
{
	*path = NULL;
	for (size_t i = 0; i < s->folder.n && !*path; i++) {
		if (asprintf(path, "%s/%s%s", s->folder.item[i], name, suffix) <
		    0) {
			*path = NULL;
			return -1;
		}
		if (access(*path, F_OK)) {
			free(*path);
			*path = NULL;
		}
	}
	return 0;
}

/* The same, with a message if there is none.  where: how messages call the
 * folders. */
static char *find_in(const struct searchpath *s, const char *where,
		     const char *name, const char *suffix, struct problem *p)
{
	char *path;
	if (find_first(s, name, suffix, &path) < 0)
		problem_no_memory(p);
	else if (!path)
		not_found(s, where, name, suffix, p);
	return path;
}

char *datafile_find(const char *folder, const char *name, const char *suffix,
		    struct problem *p)
{
	struct searchpath s;
	if (datafile_folders(&s, folder) < 0) {
		problem_no_memory(p);
		return NULL;
	}
	char *path = find_in(&s, folder, name, suffix, p);
	searchpath_free(&s);
	return path;
}

static int read_csv(const char *path, csv_row_fn on_row, void *user,
		    struct problem *p)
{
	FILE *f = infile_open(path, p);
	int rc = f ? csv_read(f, path, on_row, user, p) : -1;
	if (f)
		fclose(f);
	return rc;
}

int datafile_csv(const char *name, csv_row_fn on_row, void *user,
		 struct problem *p)
{
	char *path = datafile_find("etc", name, ".csv", p);
	int rc = path ? read_csv(path, on_row, user, p) : -1;
	free(path);
	return rc;
}

int datafile_shipped_csv(const char *name, csv_row_fn on_row, void *user,
			 struct problem *p)
{
	char *path = datafile_shipped(name);
	int rc = !path                     ? problem_no_memory(p)
		 : access(path, F_OK) == 0 ? read_csv(path, on_row, user, p)
					   : 0;
	free(path);
	return rc;
}

/* Returns 1 also for a link that leads nowhere, to say so. */
static int is_file(const char *path)
{
	struct stat st;
	return (stat(path, &st) == 0 || lstat(path, &st) == 0) &&
	       !S_ISDIR(st.st_mode);
}

/* Returns 1 if name is a path and not the name of a shipped file.  No shipped
 * file begins with a dot. */
static int is_path(const char *name)
{
	return name[0] == '.' || strchr(name, '/') ||
	       path_ends_in(name, ".ini") || is_file(name);
}

char *datafile_configuration(const char *name, struct problem *p)
{
	struct searchpath s = {0};
	char *path = NULL;
	if (is_path(name)) {
		if (!(path = strdup(name)))
			problem_no_memory(p);
	} else if (searchpath_add(&s, ".") < 0 ||
		   datafile_add_folders(&s, "etc") < 0 ||
		   datafile_add_folders(&s, "etc/operators") < 0) {
		problem_no_memory(p);
	} else {
		path = find_in(&s, "this folder, etc or etc/operators", name,
			       ".ini", p);
	}
	searchpath_free(&s);
	return path;
}

char *datafile_shipped(const char *path)
{
	static const char folder[] = "bench_data/";
	const size_t n = sizeof folder - 1;
	struct searchpath s = {0};
	char *found = NULL;
	if (!strncmp(path, folder, n) && access(path, F_OK) &&
	    datafile_folders(&s, "bench_data") == 0)
		find_first(&s, path + n, "", &found);
	searchpath_free(&s);
	return found ? found : strdup(path);
}

/* Suggests a known name for a path that does not exist, because other programs
 * spell names like paths.  Returns buf. */
static const char *hint_at(const char *folder, const char *value, char buf[100])
{
	struct searchpath s;
	buf[0] = '\0';
	if (datafile_folders(&s, folder) < 0)
		return buf;
	struct names known = names_in(&s, ".ini");
	nearest_of_id(value, &known, buf);
	names_free(&known);
	searchpath_free(&s);
	return buf;
}

/* A path from an option may repeat a key of the file; then it is relative to
 * the file, if that is there. */
char *datafile_path(const struct ini *c, const struct ini_item *item)
{
	char *beside = ini_resolve_path(c, item->value);
	if (!ini_by_option(item) || !beside ||
	    (access(item->value, R_OK) < 0 && access(beside, R_OK) == 0))
		return beside;
	free(beside);
	return strdup(item->value);
}

static char *by_path(const struct ini *c, const struct ini_item *item,
		     const char *folder, struct problem *p)
{
	char hint[100];
	struct stat st;
	char *path = datafile_path(c, item), *inside;
	if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (asprintf(&inside, "%s/config.json", path) < 0)
			inside = NULL;
		free(path);
		path = inside;
	}
	if (path && access(path, R_OK) == 0)
		return path;
	int code = errno;
	problem_set(p, EXIT_USAGE, "%s: %s = %s: %s%s", item->at, item->key,
		    path ? path : item->value, strerror(code),
		    code == ENOENT ? hint_at(folder, item->value, hint) : "");
	free(path);
	return NULL;
}

/* Returns what the value is if taken as a path: "file", "folder"; NULL: it is
 * not there. */
static const char *kind_of_path(const struct ini *c,
				const struct ini_item *item)
{
	struct stat st;
	char *path = datafile_path(c, item);
	int is = path && *item->value && stat(path, &st) == 0;
	free(path);
	return !is ? NULL : S_ISDIR(st.st_mode) ? "folder" : "file";
}

char *datafile_config(const struct ini *c, const struct ini_item *item,
		      const char *folder, struct problem *p)
{
	struct problem why;
	const char *name = item->value;
	if (strchr(name, '/') || path_ends_in(name, ".ini") ||
	    path_ends_in(name, ".json"))
		return by_path(c, item, folder, p);
	char *path = datafile_find(folder, name, ".ini", &why);
	const char *kind = path ? NULL : kind_of_path(c, item);
	if (kind)
		problem_set(p, EXIT_USAGE,
			    "%s: %s = %s: no file of stepcost has this name; "
			    "for the %s write ./%s",
			    item->at, item->key, name, kind, name);
	else if (!path)
		problem_set(p, why.code, "%s: %s = %s: %s", item->at, item->key,
			    name, why.text);
	return path;
}

char *datafile_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	if (slash && !strcmp(name, "config.json")) {
		for (name = slash; name > path && name[-1] != '/';)
			name--;
		return strndup(name, (size_t)(slash - name));
	}
	const char *dot = strrchr(name, '.');
	return dot && dot > name ? strndup(name, (size_t)(dot - name))
				 : strdup(name);
}
