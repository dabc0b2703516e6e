/* set.c -- Finds, lists and loads sets of tables. */
#include "tables/set.h"
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/inputs.h"
#include "base/folder.h"
#include "base/nearest.h"
#include "cost/kernel_op.h"
#include "keys/datafile.h"
#include "stepcost/kernel/operator_rows.h"
#include "tables/infersim.h"

/* Cost models read a list of shapes and cannot complain about it. */
static int is_list_of_shapes(const char *list)
{
	double shape[SC_OP_EXPERT_SIZES];
	while (list && *list)
		list = sc_op_next_shape(list, shape);
	return list != NULL;
}

/* Returns 1 if all characters are printable ASCII.  Lines of bytes that are no
 * text may have a "=", too. */
static int is_plain(const char *key)
{
	while (*key >= ' ' && *key <= '~')
		key++;
	return !*key;
}

static int check_item(const struct ini_item *t, struct problem *p)
{
	if (!is_plain(t->key))
		return problem_set(p, EXIT_INPUT,
				   "%s: the key is no text; is this a "
				   "MANIFEST?",
				   t->at);
	if (t->section[0])
		return problem_set(p, EXIT_INPUT,
				   "%s: a MANIFEST has no sections", t->at);
	if (!strcmp(t->key, "ungated_experts") && !is_list_of_shapes(t->value))
		return problem_set(p, EXIT_INPUT,
				   "%s: ungated_experts = %s: not a list "
				   "HIDDEN-INTER-EXPERTS-TOPK, ...",
				   t->at, t->value);
	return 0;
}

int set_manifest(struct ini *manifest, const char *path, const char *name,
		 struct problem *p)
{
	char *file;
	*manifest = (struct ini){0};
	if (asprintf(&file, "%s/%s/MANIFEST", path, name) < 0)
		return problem_no_memory(p);
	int rc = 0;
	if (access(file, F_OK) == 0 || errno != ENOENT)
		rc = ini_load(manifest, file, p);
	free(file);
	if (rc < 0)
		p->code = EXIT_INPUT;
	for (size_t i = 0; rc == 0 && i < manifest->n; i++)
		rc = check_item(&manifest->item[i], p);
	return rc;
}

static int make_notes(struct table_set *s, struct problem *p)
{
	s->note = calloc(2 * s->manifest.n + 1, sizeof *s->note);
	for (size_t i = 0; s->note && i < s->manifest.n; i++) {
		s->note[2 * i] = s->manifest.item[i].key;
		s->note[2 * i + 1] = s->manifest.item[i].value;
	}
	return s->note ? 0 : problem_no_memory(p);
}

/* ---- sets ---- */

/* Is PATH/FOLDER/SET a folder?  With FOLDER NULL: PATH/SET. */
static int is_folder(const char *path, const char *folder, const char *set)
{
	char *name;
	struct stat st;
	if (asprintf(&name, "%s/%s/%s", path, folder ? folder : ".", set) < 0)
		return 0;
	int yes = stat(name, &st) == 0 && S_ISDIR(st.st_mode);
	free(name);
	return yes;
}

/* Returns 1 if the set has a folder of its own or is in InferSim's layout. */
static int has_set(const char *path, const char *set)
{
	int yes = is_folder(path, NULL, set);
	for (int i = 0; !yes && infersim_folder(i); i++)
		yes = is_folder(path, infersim_folder(i), set);
	return yes;
}

/* Returns the kind of the table in a file "gemm.csv", or NULL. */
static const struct kernel_op *kind_of(const char *file)
{
	for (const struct kernel_op *o = kernel_ops; o->table; o++) {
		size_t n = strlen(o->table);
		if (!strncmp(file, o->table, n) && !strcmp(file + n, ".csv"))
			return o;
	}
	return NULL;
}

/* Returns 1 if a folder has a table with the name of a kind that these layers
 * use; other CSV files make no set.  is_infersim: any CSV file will do. */
static int has_table(const char *folder, int is_infersim, uint32_t layers)
{
	DIR *d = opendir(folder);
	int has = 0;
	problem_note_machine(d ? 0 : errno);
	for (struct dirent *e; d && !has && (e = readdir(d));) {
		const struct kernel_op *kind = kind_of(e->d_name);
		has = is_infersim ? table_set_is_file(e)
				  : kind && kernel_op_serves(kind, layers);
	}
	if (d)
		closedir(d);
	return has;
}

/* Adds the folders that contain a table.  within: NULL, or a folder of
 * InferSim's. */
static int add_sets(struct names *names, const char *path, const char *within,
		    uint32_t layers)
{
	struct dirent **entry;
	char *folder;
	int rc = 0;
	if (asprintf(&folder, "%s/%s", path, within ? within : "") < 0)
		return -1;
	int n = folder_list(folder, NULL, &entry);
	for (int i = 0; i < n; i++) {
		char *inside;
		if (rc == 0 && entry[i]->d_name[0] != '.' &&
		    asprintf(&inside, "%s/%s", folder, entry[i]->d_name) >= 0) {
			if (has_table(inside, within != NULL, layers))
				rc = names_add_new(names, entry[i]->d_name);
			free(inside);
		}
		free(entry[i]);
	}
	free(entry);
	free(folder);
	return rc;
}

int set_names(struct names *names, const char *path, uint32_t layers)
{
	int rc = add_sets(names, path, NULL, layers);
	for (int i = 0; rc == 0 && infersim_folder(i); i++)
		rc = add_sets(names, path, infersim_folder(i), layers);
	return rc;
}

static void no_set(const struct searchpath *s, const char *set,
		   struct problem *p)
{
	char hint[100], list[500], where[300];
	struct names known = {0};
	struct stat is;
	const char *path = s->folder.n ? s->folder.item[0] : "";
	if (stat(path, &is) == 0 && !S_ISDIR(is.st_mode)) {
		problem_set(p, EXIT_USAGE,
			    "[tables] path: %s is no folder; path is the "
			    "folder that has the sets",
			    path);
		return;
	}
	for (size_t i = 0; i < s->folder.n; i++)
		set_names(&known, s->folder.item[i], KERNEL_OF_ANY);
	problem_set(p, EXIT_USAGE,
		    "no set of tables '%s' in %s%s; there are: %s", set,
		    names_join(&s->folder, where, sizeof where),
		    nearest_of(set, &known, hint),
		    known.n ? names_join(&known, list, sizeof list) : "none");
	names_free(&known);
}

int set_folders(struct searchpath *s, const char *path, const char *written)
{
	int elsewhere =
	    written ? written[0] == '/' || written[0] == '.' : path != NULL;
	if (searchpath_make(s, path, NULL, "") < 0)
		return -1;
	if (!elsewhere &&
	    datafile_add_folders(s, written && written[0] ? written
							  : "bench_data") < 0) {
		searchpath_free(s);
		return -1;
	}
	return 0;
}

/* A set in InferSim's layout has no folder of its own. */
static void note_set(enum input_kind kind, const char *path, const char *name)
{
	char *folder;
	if (asprintf(&folder, "%s%s%s", path, *name ? "/" : "", name) < 0)
		return;
	const char *const text[] = {name, folder};
	inputs_note(kind, text, 2);
	free(folder);
}

char *set_find(const char *path, const char *written, const char *set,
	       struct problem *p)
{
	struct searchpath s;
	char *found = NULL;
	if (set[0] == '.' || strstr(set, "/.")) {
		problem_set(p, EXIT_USAGE,
			    "set = %s: the name of a folder in [tables] path, "
			    "not a path: set path to the folder around it",
			    set);
		return NULL;
	}
	if (set_folders(&s, path, written) < 0) {
		problem_no_memory(p);
		return NULL;
	}
	for (size_t i = 0; i < s.folder.n && !found; i++)
		if (set[0] && has_set(s.folder.item[i], set) &&
		    !(found = strdup(s.folder.item[i])))
			problem_no_memory(p);
	if (!found)
		no_set(&s, set, p);
	else
		note_set(INPUT_FOUND, found, set);
	searchpath_free(&s);
	return found;
}

/* ---- loading ---- */

/* Loads one CSV file of a set with a folder of its own. */
static int load_file(struct table_set *s, const char *path, const char *file,
		     struct problem *p)
{
	char *name;
	struct table t;
	if (asprintf(&name, "%s/%s", s->name, file) < 0)
		return problem_no_memory(p);
	const struct table_file of = {.name = name};
	int rc = table_set_read(s, &t, path, &of, p);
	if (rc == 0)
		rc = table_set_take(s, &t, p);
	free(name);
	return rc;
}

/* Returns 1 for "moe_suspect.csv" if `not_priced = moe_suspect,
 * all_reduce_eager`. */
static int is_not_priced(const struct table_set *s, const char *file)
{
	const char *list = ini_get(&s->manifest, "", "not_priced");
	size_t n = strcspn(file, ".");
	while (list && *list) {
		list += strspn(list, ", ");
		size_t length = strcspn(list, ", ");
		if (length == n && !strncmp(list, file, n))
			return 1;
		list += length;
	}
	return 0;
}

/* The tables that a caller wants. */
struct wanted {
	uint32_t layers;             /* KERNEL_OF_* */
	const struct table_bad *bad; /* NULL: what may be priced, and whole */
};

static int is_wanted(const struct table_set *s, const char *file,
		     const struct wanted *w)
{
	return kernel_op_serves(kind_of(file), w->layers) &&
	       (w->bad || !is_not_priced(s, file));
}

/* Lists the CSV files that will be loaded, in ascending order. */
static int list_files(const struct table_set *s, const char *path,
		      const struct wanted *w, struct names *list,
		      struct problem *p)
{
	struct dirent **file;
	char *folder;
	if (asprintf(&folder, "%s/%s", path, s->name) < 0)
		return problem_no_memory(p);
	int rc = 0, n = folder_list(folder, table_set_is_file, &file);
	if (n <= 0)
		rc = problem_set(p, EXIT_USAGE, "%s: %s", folder,
				 n ? strerror(errno) : "no .csv file");
	for (int i = 0; i < n; i++) {
		if (rc == 0 && is_wanted(s, file[i]->d_name, w) &&
		    names_add(list, file[i]->d_name) < 0)
			rc = problem_no_memory(p);
		free(file[i]);
	}
	free(file);
	free(folder);
	return rc;
}

static int load_files(struct table_set *s, const char *path,
		      const struct names *list, const struct table_bad *bad,
		      struct problem *p)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < list->n; i++)
		rc = table_set_tell(s, bad,
				    load_file(s, path, list->item[i], p), p);
	return rc;
}

/* Loads the CSV files and the MANIFEST of a set with a folder of its own. */
static int load_folder(struct table_set *s, const char *path,
		       const struct wanted *w, struct problem *p)
{
	struct names list = {0};
	struct problem why;
	int rc = set_manifest(&s->manifest, path, s->name, &why);
	if (list_files(s, path, w, &list, p) < 0)
		rc = -1;
	else if (rc < 0)
		*p = why;
	else
		rc = load_files(s, path, &list, w->bad, p);
	names_free(&list);
	return rc;
}

static int make_view(struct table_set *s, struct problem *p)
{
	s->view = calloc(s->n + 1, sizeof *s->view);
	if (!s->view)
		return problem_no_memory(p);
	for (uint32_t i = 0; i < s->n; i++) {
		s->table[i]->view.set = s->name;
		s->table[i]->view.n_notes = (uint32_t)s->manifest.n;
		s->table[i]->view.note = s->note;
		s->view[i] = &s->table[i]->view;
	}
	return 0;
}

static int load(struct table_set *s, const char *path, const char *name,
		const struct wanted *w, struct problem *p)
{
	*s = (struct table_set){.name = strdup(name)};
	int rc;
	if (!s->name)
		rc = problem_no_memory(p);
	else if (!name[0] || is_folder(path, NULL, name) ||
		 !has_set(path, name))
		rc = load_folder(s, path, w, p);
	else
		rc = infersim_load(s, path, w->bad, p);
	if (rc == 0)
		rc = make_notes(s, p);
	if (rc == 0)
		rc = make_view(s, p);
	if (rc < 0)
		set_free(s);
	else
		note_set(INPUT_TABLES, path, name);
	return rc;
}

int set_load_some(struct table_set *s, const char *path, const char *name,
		  const struct table_bad *bad, struct problem *p)
{
	const struct wanted w = {KERNEL_OF_ANY, bad};
	return load(s, path, name, &w, p);
}

int set_load(struct table_set *s, const char *path, const char *name,
	     uint32_t layers, struct problem *p)
{
	const struct wanted w = {layers, NULL};
	return load(s, path, name, &w, p);
}

void set_free(struct table_set *s)
{
	table_set_clear(s);
	free(s->view), free(s->note), free(s->name);
	names_free(&s->left_out);
	ini_free(&s->manifest);
	*s = (struct table_set){0};
}
