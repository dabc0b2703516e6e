/* library.c -- Keeps the sets of tables that were read. */
#include "tables/library.h"
#include <stdlib.h>
#include <string.h>

struct library_set {
	char *path, *name;
	uint32_t layers;
	struct table_set set;
	struct problem why; /* if code is not 0: why it could not be read */
};

static void free_set(struct library_set *s)
{
	if (s)
		set_free(&s->set), free(s->path), free(s->name);
	free(s);
}

static struct library_set *find(const struct library *l, const char *path,
				const char *name, uint32_t layers)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i]->layers == layers &&
		    !strcmp(l->item[i]->name, name) &&
		    !strcmp(l->item[i]->path, path))
			return l->item[i];
	return NULL;
}

/* Adds a place at the end.  Returns NULL if memory is out. */
static struct library_set *add(struct library *l, const char *path,
			       const char *name, uint32_t layers)
{
	struct library_set **item = realloc(l->item, (l->n + 1) * sizeof *item);
	if (item)
		l->item = item;
	struct library_set *s = item ? calloc(1, sizeof *s) : NULL;
	if (s) {
		s->path = strdup(path);
		s->name = strdup(name);
		s->layers = layers;
	}
	if (!s || !s->path || !s->name) {
		free_set(s);
		return NULL;
	}
	l->item[l->n++] = s;
	return s;
}

const struct table_set *library_set(struct library *l, const char *path,
				    const char *name, uint32_t layers,
				    struct problem *p)
{
	struct library_set *s = find(l, path, name, layers);
	if (!s) {
		s = add(l, path, name, layers);
		if (!s) {
			problem_no_memory(p);
			return NULL;
		}
		s->why.code = 0;
		set_load(&s->set, path, name, layers, &s->why);
	}
	if (s->why.code == 0)
		return &s->set;
	*p = s->why;
	return NULL;
}

/* ---- folders ---- */

static void free_folder(struct library_folder *f)
{
	if (f)
		free(f->path), names_free(&f->set), names_free(&f->gpu);
	free(f);
}

/* A MANIFEST that cannot be read is reported when its set is read. */
static int list_folder(struct library_folder *f, const char *path)
{
	int rc = set_names(&f->set, path, f->layers);
	for (size_t i = 0; rc == 0 && i < f->set.n; i++) {
		struct ini manifest;
		struct problem why;
		set_manifest(&manifest, path, f->set.item[i], &why);
		const char *gpu = ini_get(&manifest, "", "gpu");
		const char *is_auto = ini_get(&manifest, "", "auto");
		if (is_auto && !strcmp(is_auto, "no"))
			gpu = "";
		rc = names_add(&f->gpu, gpu ? gpu : f->set.item[i]);
		ini_free(&manifest);
	}
	return rc;
}

const struct library_folder *library_folder(struct library *l, const char *path,
					    uint32_t layers)
{
	for (size_t i = 0; i < l->n_folders; i++)
		if (l->folder[i]->layers == layers &&
		    !strcmp(l->folder[i]->path, path))
			return l->folder[i];
	struct library_folder **folder =
	    realloc(l->folder, (l->n_folders + 1) * sizeof *folder);
	if (folder)
		l->folder = folder;
	struct library_folder *f = folder ? calloc(1, sizeof *f) : NULL;
	if (f)
		f->layers = layers;
	if (!f || !(f->path = strdup(path)) || list_folder(f, path) < 0) {
		free_folder(f);
		return NULL;
	}
	return l->folder[l->n_folders++] = f;
}

void library_free(struct library *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_set(l->item[i]);
	for (size_t i = 0; i < l->n_folders; i++)
		free_folder(l->folder[i]);
	free(l->item), free(l->folder);
	*l = (struct library){0};
}
