/* choice.c -- Chooses the sets of tables for an arm. */
#include "tables/choice.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tables/set.h"

/* Takes ownership of path. */
static int add(struct set_choice *c, char *path, const char *name)
{
	struct set_place *item = realloc(c->item, (c->n + 1) * sizeof *item);
	char *own = strdup(name);
	if (item)
		c->item = item;
	if (!item || !own) {
		free(path), free(own);
		return -1;
	}
	c->item[c->n++] = (struct set_place){path, own};
	return 0;
}

static int has(const struct set_choice *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->item[i].name, name))
			return 1;
	return 0;
}

void set_choice_free(struct set_choice *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->item[i].path), free(c->item[i].name);
	free(c->item);
	*c = (struct set_choice){0};
}

/* ---- by name ---- */

/* name: "PLUGIN/SET". */
static char *find_of_plugin(const struct set_choice *c, const char *name,
			    struct problem *p)
{
	const char *set = strchr(name, '/') + 1;
	char *plugin = strndup(name, (size_t)(set - 1 - name));
	char *folder = plugin ? c->sets_of(plugin, p) : NULL;
	char *found = folder ? set_find(folder, folder, set, p) : NULL;
	if (!plugin)
		problem_no_memory(p);
	free(plugin);
	free(folder);
	return found;
}

static int add_named(struct set_choice *c, const char *path,
		     const char *written, const char *name, struct problem *p)
{
	int is_path = name[0] == '.' || strstr(name, "/.");
	const char *slash = c->sets_of && !is_path ? strchr(name, '/') : NULL;
	const char *set = slash ? slash + 1 : name;
	if (has(c, set))
		return problem_set(p, EXIT_USAGE, "set '%s' given twice", set);
	char *found = slash ? find_of_plugin(c, name, p)
			    : set_find(path, written, name, p);
	if (!found)
		return -1;
	return add(c, found, set) < 0 ? problem_no_memory(p) : 0;
}

int set_choice_named(struct set_choice *c, const char *path,
		     const char *written, const char *names, struct problem *p)
{
	char *list = strdup(names), *rest = list, *item;
	int rc = list ? 0 : problem_no_memory(p);
	while (rc == 0 && (item = strsep(&rest, ","))) {
		item += strspn(item, " \t");
		size_t n = strlen(item);
		while (n && (item[n - 1] == ' ' || item[n - 1] == '\t'))
			item[--n] = '\0';
		rc = add_named(c, path, written, item, p);
	}
	free(list);
	return rc;
}

/* ---- by GPU ---- */

/* Returns the next word at *s, moves *s behind it, and sets *n to its length:
 * "H100-SXM 80GB" has h100, sxm and 80.  Returns NULL at the end. */
static const char *next_word(const char **s, size_t *n)
{
	while (**s && !isalnum((unsigned char)**s))
		(*s)++;
	const char *word = *s;
	while (isalnum((unsigned char)**s))
		(*s)++;
	*n = (size_t)(*s - word);
	if (*n > 2 && isdigit((unsigned char)*word) &&
	    !strncasecmp(*s - 2, "gb", 2))
		*n -= 2;
	return *n ? word : NULL;
}

static int has_word(const char *s, const char *word, size_t length)
{
	size_t n;
	for (const char *w; (w = next_word(&s, &n));)
		if (n == length && !strncasecmp(w, word, n))
			return 1;
	return 0;
}

int set_is_of_gpu(const char *named, const char *gpu)
{
	size_t n, words = 0;
	for (const char *w; (w = next_word(&gpu, &n)); words++)
		if (!has_word(named, w, n))
			return 0;
	return words > 0;
}

static int choose_in(struct set_choice *c, const struct library_folder *f,
		     const char *gpu)
{
	for (size_t i = 0; i < f->set.n; i++) {
		if (has(c, f->set.item[i]) ||
		    !set_is_of_gpu(f->gpu.item[i], gpu))
			continue;
		char *path = strdup(f->path);
		if (!path || add(c, path, f->set.item[i]) < 0)
			return -1;
	}
	return 0;
}

static int descending(const void *a, const void *b)
{
	const struct set_place *x = a, *y = b;
	return strverscmp(y->name, x->name);
}

static int choose(struct set_choice *c, struct library *l,
		  const struct searchpath *folders, const char *gpu)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < folders->folder.n; i++) {
		const struct library_folder *f =
		    library_folder(l, folders->folder.item[i], c->layers);
		rc = f ? choose_in(c, f, gpu) : -1;
	}
	if (c->n)
		qsort(c->item, c->n, sizeof *c->item, descending);
	return rc;
}

/* Returns the distance between the rates of two GPUs; infinite if they are not
 * related. */
static double distance(const struct hardware *h, const struct hardware *other)
{
	const char *a = h->keys.architecture, *b = other->keys.architecture;
	const sc_hardware *v = &h->view, *w = &other->view;
	if (!*a || strcasecmp(a, b) || !strcmp(h->name, other->name))
		return (double)INFINITY;
	double d = fabs(log(w->mem_bandwidth / v->mem_bandwidth));
	if (v->peak_flops[SC_BF16] > 0)
		d += fabs(log(w->peak_flops[SC_BF16] / v->peak_flops[SC_BF16]));
	return d;
}

/* A GPU in etc/hardware, and its distance. */
struct relative {
	char *gpu;
	double distance;
};

static int nearer(const void *a, const void *b)
{
	const struct relative *x = a, *y = b;
	return (x->distance > y->distance) - (x->distance < y->distance);
}

/* Returns *n related GPUs by distance; the caller frees them.  NULL: memory is
 * out. */
static struct relative *find_relatives(const struct hardware *h, size_t *n)
{
	struct names known = {0};
	*n = 0;
	struct relative *r = NULL;
	if (hardware_names(&known) == 0)
		r = calloc(known.n + 1, sizeof *r);
	for (size_t i = 0; r && i < known.n; i++) {
		struct hardware other;
		struct problem why;
		if (hardware_read(&other, known.item[i], &why) == 0)
			r[*n] = (struct relative){strdup(other.gpu),
						  distance(h, &other)};
		hardware_free(&other);
		if (r[*n].gpu && isfinite(r[*n].distance))
			(*n)++;
		else
			free(r[*n].gpu), r[*n].gpu = NULL;
	}
	names_free(&known);
	if (r)
		qsort(r, *n, sizeof *r, nearer);
	return r;
}

static int choose_of_relative(struct set_choice *c, struct library *l,
			      const struct searchpath *folders,
			      const struct hardware *h)
{
	size_t n;
	struct relative *r = find_relatives(h, &n);
	int rc = r ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < n && c->n == 0; i++)
		rc = choose(c, l, folders, r[i].gpu);
	for (size_t i = 0; r && i < n; i++)
		free(r[i].gpu);
	free(r);
	return rc;
}

int set_choice_of_gpu(struct set_choice *c, struct library *l, const char *path,
		      const char *written, const struct hardware *h,
		      uint32_t layers, struct problem *p)
{
	struct searchpath folders;
	*c = (struct set_choice){.layers = layers};
	if (set_folders(&folders, path, written) < 0)
		return problem_no_memory(p);
	int rc = choose(c, l, &folders, h->gpu);
	if (rc == 0 && c->n == 0)
		rc = choose_of_relative(c, l, &folders, h);
	searchpath_free(&folders);
	return rc < 0 ? problem_no_memory(p) : 0;
}

const char *set_names_behind_auto(const char *list)
{
	static const char word[] = "auto";
	if (strncmp(list, word, strlen(word)))
		return NULL;
	list += strlen(word);
	list += strspn(list, " \t");
	return *list == ',' ? list + 1 : *list ? NULL : list;
}
