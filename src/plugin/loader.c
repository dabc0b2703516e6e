/* loader.c -- Finds a plugin's file, loads it and checks its descriptor. */
#include "plugin/loader.h"
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/inputs.h"
#include "base/file/path.h"
#include "base/file/place.h"
#include "base/folder.h"
#include "base/nearest.h"
#include "keys/datafile.h"
#include "plugin/schema.h"

int plugin_check(const sc_plugin *declared, const char *name, sc_plugin *out,
		 struct problem *p)
{
	if (declared->abi_major != SC_ABI_MAJOR)
		return problem_set(
		    p, EXIT_PLUGIN,
		    "built for ABI %u, this host has %u: rebuild it",
		    declared->abi_major, SC_ABI_MAJOR);
	if (!SC_HAS(declared, eval))
		return problem_set(p, EXIT_PLUGIN, "descriptor too short (%u)",
				   declared->size);
	memset(out, 0, sizeof *out);
	memcpy(out, declared,
	       declared->size < sizeof *out ? declared->size : sizeof *out);
	if (!out->name || strcmp(out->name, name))
		return problem_set(p, EXIT_PLUGIN,
				   "calls itself '%s': rename the file to "
				   "%s.so, or let .name be \"%s\"",
				   out->name ? out->name : "(null)",
				   out->name ? out->name : "NAME", name);
	if (!schema_is_name(out->name))
		return problem_set(p, EXIT_PLUGIN,
				   "calls itself '%s': a name is letters a-z, "
				   "digits and _",
				   out->name);
	if (!out->version || !out->summary)
		return problem_set(p, EXIT_PLUGIN,
				   "version and summary are required");
	if (!out->create || !out->destroy || !out->eval)
		return problem_set(p, EXIT_PLUGIN,
				   "create, destroy and eval are required");
	return knobs_check(out, p);
}

/* A library linked with -ffast-math has a constructor that makes the loading
 * process flush subnormals to zero, which changes all results.  Only the modes
 * are compared, because a static initialiser may raise exception flags. */
static void *load(const char *path, int *changed_fp)
{
	femode_t before, after;
	memset(&before, 0, sizeof before);
	memset(&after, 0, sizeof after);
	feclearexcept(FE_ALL_EXCEPT);
	fegetmode(&before);
	/* RTLD_NOW: a missing symbol fails here, not in the middle of a run. */
	void *dso = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	feclearexcept(FE_ALL_EXCEPT);
	fegetmode(&after);
	fesetmode(&before);
	*changed_fp = memcmp(&before, &after, sizeof before) != 0;
	return dso;
}

/* Returns how many bytes were printed.  In a job standard output is memory
 * (capture_output()); elsewhere this cannot be known. */
static off_t printed_bytes(void)
{
	return lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

/* dlopen() would wait for the writer of a pipe. */
static int is_other_than_file(const char *path)
{
	struct stat is;
	return stat(path, &is) == 0 && !S_ISREG(is.st_mode);
}

static int open_file(struct plugin *m, const char *name, struct problem *p)
{
	int changed_fp;
	if (is_other_than_file(m->path))
		return problem_set(p, EXIT_PLUGIN, "is no regular file");
	off_t printed = printed_bytes();
	inputs_note_file(m->path);
	errno = 0;
	m->dso = load(m->path, &changed_fp);
	if (!m->dso) {
		/* Without memory dlopen() may fail without saying so. */
		problem_note_machine(errno);
		const char *why = dlerror();
		problem_note_machine_text(why);
		if (problem_if_machine_failed(p) < 0)
			return -1;
		size_t n = strlen(m->path);
		/* Most messages begin with the file, as ours do. */
		if (!strncmp(why, m->path, n) && !strncmp(why + n, ": ", 2))
			why += n + 2;
		int is_other = strstr(why, "ELF") || strstr(why, "too short");
		return problem_set(p, EXIT_PLUGIN, "%s%s", why,
				   is_other ? ": not a shared object; make in "
					      "the plugin's folder builds one"
					    : "");
	}
	if (changed_fp)
		return problem_set(
		    p, EXIT_PLUGIN,
		    "changes the floating-point environment when "
		    "loaded (linked with -ffast-math?)");
	sc_entry_fn entry;
	*(void **)&entry = dlsym(m->dso, SC_ENTRY);
	if (!entry)
		return problem_set(p, EXIT_PLUGIN, "no symbol %s", SC_ENTRY);
	const sc_plugin *declared = entry(SC_ABI_MAJOR, SC_ABI_MINOR);
	if (printed_bytes() != printed)
		return problem_set(p, EXIT_PLUGIN,
				   "printed to standard output while loading");
	if (!declared)
		return problem_set(p, EXIT_PLUGIN,
				   "refuses this host's ABI %u.%u",
				   SC_ABI_MAJOR, SC_ABI_MINOR);
	return plugin_check(declared, name, &m->p, p);
}

const char *plugin_path(void)
{
	return getenv("STEPCOST_PLUGIN_PATH");
}

int plugin_folders(struct searchpath *s, const char *path)
{
	return searchpath_make_user(s, path, "plugins", SC_PLUGINDIR, "");
}

int plugin_may_be(const char *file)
{
	struct searchpath s;
	if (plugin_folders(&s, plugin_path()) < 0)
		return 0;
	int may_be = !s.is_whole;
	char *place = may_be ? NULL : realpath(file, NULL);
	for (size_t i = 0; place && i < s.folder.n && !may_be; i++) {
		char *folder = realpath(s.folder.item[i], NULL);
		may_be = folder && place_below(folder, place);
		free(folder);
	}
	searchpath_free(&s);
	free(place);
	return may_be;
}

static int not_found(const struct searchpath *s, const char *name,
		     struct problem *p)
{
	struct names known = {0};
	char hint[100], where[500];
	for (size_t i = 0; i < s->folder.n; i++)
		names_add_files(&known, s->folder.item[i], ".so");
	problem_set(p, EXIT_USAGE,
		    "no %s.so in %s%s; stepcost plugins list has all", name,
		    names_join(&s->folder, where, sizeof where),
		    nearest_of(name, &known, hint));
	names_free(&known);
	return -1;
}

static int is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Takes the file if nothing has it yet; else as the next of that name. */
static void take(char *file, char **path, char **shadowed)
{
	if (access(file, R_OK) != 0 ||
	    (*path && (*shadowed || is_same_file(*path, file))))
		free(file);
	else if (*path)
		*shadowed = file;
	else
		*path = file;
}

static int find_in(const struct searchpath *s, const char *name, char **path,
		   char **shadowed, struct problem *p)
{
	for (size_t i = 0; i < s->folder.n; i++) {
		const char *folder = s->folder.item[i];
		char *own, *plain;
		if (asprintf(&own, "%s/%s/%s.so", folder, name, name) < 0)
			return problem_no_memory(p);
		take(own, path, shadowed);
		if (asprintf(&plain, "%s/%s.so", folder, name) < 0)
			return problem_no_memory(p);
		take(plain, path, shadowed);
	}
	return *path ? 0 : not_found(s, name, p);
}

/* Returns plugins/field/NAME of the data folders, where the figures of shipped
 * models are; NULL: there is none. */
static char *shipped_folder(const char *file)
{
	struct problem none;
	char *name = plugin_name(file, &none), *folder = NULL;
	char *path =
	    name ? datafile_find("plugins/field", name, "", &none) : NULL;
	if (path)
		folder = realpath(path, NULL);
	free(path);
	free(name);
	return folder;
}

char *plugin_folder(const char *file)
{
	char *path = realpath(file, NULL);
	char *slash = path ? strrchr(path, '/') : NULL;
	if (slash) {
		*slash = '\0';
		const char *above = strrchr(path, '/');
		size_t n = strlen(slash + 1);
		if (above && n > 3 && strlen(above + 1) == n - 3 &&
		    !strncmp(above + 1, slash + 1, n - 3))
			return path;
	}
	free(path);
	return shipped_folder(file);
}

/* libtool's notes beside a plugin that is not installed yet. */
static int is_of_libtool(const char *name)
{
	return path_ends_in(name, ".la") || path_ends_in(name, ".lai");
}

int plugin_files(struct names *files, const char *file)
{
	const char *name = path_name(file);
	size_t n = strlen(name) - strlen("so"); /* "NAME." */
	char *folder =
	    name > file ? strndup(file, (size_t)(name - file)) : strdup("./");
	struct dirent **found = NULL;
	int k = folder ? folder_list(folder, NULL, &found) : -1;
	int rc = k < 0 ? -1 : 0;
	for (int i = 0; i < k; i++) {
		char *path;
		if (rc == 0 && !strncmp(found[i]->d_name, name, n) &&
		    asprintf(&path, "%s%s", folder, found[i]->d_name) >= 0) {
			if (!is_other_than_file(path) && !is_of_libtool(path))
				rc = names_add(files, found[i]->d_name);
			free(path);
		}
		free(found[i]);
	}
	free(found);
	free(folder);
	return rc;
}

static int check_name(const char *name, struct problem *p)
{
	if (*name &&
	    !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "bad plugin name '%s': letters a-z, digits and _",
			   name);
}

int plugin_find(const char *path, const char *name, char **file,
		char **shadowed, struct problem *p)
{
	struct searchpath s;
	*file = *shadowed = NULL;
	if (check_name(name, p) < 0)
		return -1;
	if (plugin_folders(&s, path) < 0)
		return problem_no_memory(p);
	int rc = find_in(&s, name, file, shadowed, p);
	searchpath_free(&s);
	return rc;
}

char *plugin_name(const char *file, struct problem *p)
{
	const char *name = path_name(file);
	size_t n = strlen(name);
	if (n < 4 || strcmp(name + n - 3, ".so")) {
		problem_set(p, EXIT_USAGE, "%s: a plugin's file is NAME.so",
			    file);
		return NULL;
	}
	char *copy = strndup(name, n - 3);
	if (!copy)
		problem_no_memory(p);
	if (copy && check_name(copy, p) < 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

int plugin_open(struct plugin *m, const char *file, struct problem *p)
{
	struct problem why;
	*m = (struct plugin){0};
	char *name = plugin_name(file, p);
	if (!name)
		return -1;
	/* Without a folder, dlopen() would search the system's libraries. */
	if (asprintf(&m->path, "%s%s", strchr(file, '/') ? "" : "./", file) < 0)
		m->path = NULL;
	int rc = m->path ? open_file(m, name, &why) : problem_no_memory(&why);
	if (rc < 0) {
		problem_set(p, why.code, "%s: %s", file, why.text);
		plugin_close(m);
	}
	free(name);
	return rc;
}

void plugin_close(struct plugin *m)
{
	/* Under a leak checker the library must stay loaded: its symbols name
	 * the leak. */
	if (m->dso && !getenv("STEPCOST_NO_DLCLOSE"))
		dlclose(m->dso);
	free(m->path);
	*m = (struct plugin){0};
}
