/* digest.c -- Hashes files and folders. */
#include "base/file/digest.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/problem.h"

const char *digest_file(const char *path, char hex[DIGEST])
{
	_Static_assert((int)DIGEST == (int)SHA256_DIGEST_STRING_LENGTH,
		       "hex of libmd");
	const char *digest = SHA256File(path, hex);
	if (!digest)
		problem_note_machine(errno);
	return digest;
}

void digest_bytes(const void *bytes, size_t n, char hex[DIGEST])
{
	SHA256Data(bytes, n, hex);
}

/* A folder that is being listed, and those above it. */
struct listed {
	const struct listed *above;
	struct stat is;
};

/* Returns 1 if it is one of them, to which a link leads back. */
static int leads_back(const struct listed *l, const struct stat *is)
{
	for (; l; l = l->above)
		if (l->is.st_dev == is->st_dev && l->is.st_ino == is->st_ino)
			return 1;
	return 0;
}

static int list_below(struct names *files, const char *folder,
		      const char *below, const struct listed *above);

/* Adds an entry of a folder; the target of a link counts. */
static int list_entry(struct names *files, const char *folder,
		      const char *below, const char *entry,
		      const struct stat *is, const struct listed *above)
{
	char *name;
	int is_folder = S_ISDIR(is->st_mode);
	if (!(is_folder ? !leads_back(above, is) : S_ISREG(is->st_mode)))
		return 0;
	if (asprintf(&name, "%s%s%s", below, entry, is_folder ? "/" : "") < 0)
		return -1;
	int rc = is_folder ? list_below(files, folder, name, above)
			   : names_add(files, name);
	free(name);
	return rc;
}

/* below: "" or "A/B/", in the folder. */
static int list_below(struct names *files, const char *folder,
		      const char *below, const struct listed *above)
{
	struct listed own = {.above = above};
	char *path;
	if (asprintf(&path, "%s/%s", folder, below) < 0)
		return -1;
	DIR *d = opendir(path);
	problem_note_machine(d ? 0 : errno);
	free(path);
	int rc = d ? fstat(dirfd(d), &own.is) : -1;
	for (struct dirent *e; rc == 0 && (e = readdir(d));) {
		struct stat is;
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
		    fstatat(dirfd(d), e->d_name, &is, 0) == 0)
			rc = list_entry(files, folder, below, e->d_name, &is,
					&own);
	}
	if (d)
		closedir(d);
	return rc;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int digest_list(struct names *files, const char *folder)
{
	int rc = list_below(files, folder, "", NULL);
	if (files->n)
		qsort(files->item, files->n, sizeof *files->item, by_bytes);
	return rc;
}

const char *digest_names(const char *folder, const struct names *files,
			 char hex[DIGEST])
{
	SHA2_CTX c;
	int ok = 1;
	SHA256Init(&c);
	for (size_t i = 0; ok && i < files->n; i++) {
		const char *name = files->item[i];
		char *path, of_file[DIGEST];
		if (asprintf(&path, "%s/%s", folder, name) < 0)
			return NULL;
		ok = digest_file(path, of_file) != NULL;
		free(path);
		SHA256Update(&c, (const uint8_t *)of_file, strlen(of_file));
		SHA256Update(&c, (const uint8_t *)"  ", 2);
		SHA256Update(&c, (const uint8_t *)name, strlen(name));
		SHA256Update(&c, (const uint8_t *)"\n", 1);
	}
	SHA256End(&c, hex);
	return ok ? hex : NULL;
}

const char *digest_folder(const char *folder, char hex[DIGEST])
{
	struct names files = {0};
	const char *is = NULL;
	if (digest_list(&files, folder) == 0)
		is = digest_names(folder, &files, hex);
	names_free(&files);
	return is;
}
