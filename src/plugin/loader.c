/* loader.c -- Finds a plugin's file, loads it and checks its descriptor. */
#include <config.h>
#include "plugin/loader.h"
#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/nearest.h"
#include "plugin/schema.h"

int plugin_check(const sc_plugin *declared, const char *name, sc_plugin *out,
		 struct problem *p)
{
	if (declared->abi_major != SC_ABI_MAJOR)
		return problem_set(p, EXIT_PLUGIN,
				   "built for ABI %u, this host has %u",
				   declared->abi_major, SC_ABI_MAJOR);
	if (!SC_HAS(declared, eval))
		return problem_set(p, EXIT_PLUGIN, "descriptor too short (%u)",
				   declared->size);
	memset(out, 0, sizeof *out);
	memcpy(out, declared,
	       declared->size < sizeof *out ? declared->size : sizeof *out);
	if (!out->name || strcmp(out->name, name))
		return problem_set(p, EXIT_PLUGIN, "calls itself '%s'",
				   out->name ? out->name : "(null)");
	if (!out->version || !out->summary)
		return problem_set(p, EXIT_PLUGIN,
				   "version and summary are required");
	if (!out->create || !out->destroy || !out->eval)
		return problem_set(p, EXIT_PLUGIN,
				   "create, destroy and eval are required");
	return knobs_check(out, p);
}

/* A -ffast-math link has a constructor that flushes subnormals to zero for
 * whoever loads it, and so changes everybody's results.  Only the modes are
 * compared: exception flags, a static initialiser may raise. */
static void *load(const char *path, int *changed_fp)
{
	femode_t before, after;
	memset(&before, 0, sizeof before);
	memset(&after, 0, sizeof after);
	feclearexcept(FE_ALL_EXCEPT);
	fegetmode(&before);
	/* NOW: a missing symbol fails here, not in the middle of a run. */
	void *dso = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	feclearexcept(FE_ALL_EXCEPT);
	fegetmode(&after);
	fesetmode(&before);
	*changed_fp = memcmp(&before, &after, sizeof before) != 0;
	return dso;
}

static int open_file(struct plugin *m, const char *name, struct problem *p)
{
	int changed_fp;
	m->dso = load(m->path, &changed_fp);
	if (!m->dso)
		return problem_set(p, EXIT_PLUGIN, "%s", dlerror());
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
	if (!declared)
		return problem_set(p, EXIT_PLUGIN, "refuses host ABI %u.%u",
				   SC_ABI_MAJOR, SC_ABI_MINOR);
	return plugin_check(declared, name, &m->p, p);
}

const char *plugin_path(void)
{
	return getenv("STEPCOST_PLUGIN_PATH");
}

int plugin_folders(struct searchpath *s, const char *path)
{
	return searchpath_make(s, path, SC_PLUGINDIR, "");
}

static int not_found(const struct searchpath *s, const char *name,
		     struct problem *p)
{
	struct names known = {0};
	char hint[100], where[500];
	for (size_t i = 0; i < s->folder.n; i++)
		names_add_files(&known, s->folder.item[i], ".so");
	problem_set(p, EXIT_USAGE, "no %s.so in %s%s", name,
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

static int find_in(const struct searchpath *s, const char *name, char **path,
		   char **shadowed, struct problem *p)
{
	for (size_t i = 0; i < s->folder.n; i++) {
		char *file;
		if (asprintf(&file, "%s/%s.so", s->folder.item[i], name) < 0)
			return problem_set(p, EXIT_USAGE, "out of memory");
		if (access(file, R_OK) != 0 ||
		    (*path && (*shadowed || is_same_file(*path, file))))
			free(file);
		else if (*path)
			*shadowed = file;
		else
			*path = file;
	}
	return *path ? 0 : not_found(s, name, p);
}

int plugin_find(const char *path, const char *name, char **file,
		char **shadowed, struct problem *p)
{
	struct searchpath s;
	*file = *shadowed = NULL;
	if (name[0] == '\0' ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return problem_set(p, EXIT_USAGE,
				   "bad plugin name '%s': letters a-z, digits "
				   "and _",
				   name);
	if (plugin_folders(&s, path) < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	int rc = find_in(&s, name, file, shadowed, p);
	searchpath_free(&s);
	return rc;
}

int plugin_open(struct plugin *m, const char *path, const char *name,
		struct problem *p)
{
	*m = (struct plugin){0};
	if (plugin_find(path, name, &m->path, &m->shadowed, p) < 0)
		return -1;
	struct problem why;
	int rc = open_file(m, name, &why);
	if (rc < 0) {
		problem_set(p, why.code, "%s: %s", m->path, why.text);
		plugin_close(m);
	}
	return rc;
}

void plugin_close(struct plugin *m)
{
	/* Under a leak checker the DSO must stay: its symbols name the leak. */
	if (m->dso && !getenv("STEPCOST_NO_DLCLOSE"))
		dlclose(m->dso);
	free(m->path), free(m->shadowed);
	*m = (struct plugin){0};
}
