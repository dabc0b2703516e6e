/* archive.c -- Writes and reads ustar archives. */
#include "base/file/archive.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "base/file/infile.h"
#include "base/grow.h"

enum { BLOCK = 512, SHORT_NAME = 100, PREFIX = 155 };
static const size_t most_bytes = (size_t)4 << 30;

/* Offsets and sizes of a header's fields. */
enum {
	AT_MODE = 100,
	AT_UID = 108,
	AT_GID = 116,
	AT_SIZE = 124,
	AT_TIME = 136,
	AT_SUM = 148,
	AT_TYPE = 156,
	AT_MAGIC = 257,
	AT_PREFIX = 345
};
static const char magic[8] = "ustar\00000";

/* ---- names ---- */

static int is_dots(const char *part, size_t n)
{
	return n == 0 || (n == 1 && part[0] == '.') ||
	       (n == 2 && part[0] == '.' && part[1] == '.');
}

/* Returns what is wrong with a name; NULL: it stays below its folder. */
static const char *bad_name(const char *name)
{
	for (const char *s = name;;) {
		size_t n = strcspn(s, "/");
		if (is_dots(s, n))
			return *name == '/' ? "is absolute"
					    : "has an empty part, . or ..";
		s += n;
		if (!*s)
			break;
		s++;
	}
	for (const char *s = name; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			return "has a control character";
	return NULL;
}

/* Returns where the name is split into prefix and name; NULL: it does not
 * fit. */
static const char *split(const char *name)
{
	size_t n = strlen(name);
	if (n <= SHORT_NAME)
		return name;
	for (const char *s = name + n - SHORT_NAME - 1; *s; s++)
		if (*s == '/')
			return s - name <= PREFIX ? s + 1 : NULL;
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct archive_member *)a)->name,
		      ((const struct archive_member *)b)->name);
}

const struct archive_member *archive_find(const struct archive *a,
					  const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->item[i].name, name))
			return &a->item[i];
	return NULL;
}

/* ---- writing ---- */

int archive_add(struct archive *a, const char *name, const char *bytes,
		size_t n, struct problem *p)
{
	const struct archive_member *is = archive_find(a, name);
	const char *why = strlen(name) >= ARCHIVE_NAME || !split(name)
			      ? "is too long for an archive"
			      : bad_name(name);
	if (why)
		return problem_set(p, EXIT_USAGE, "%s: the name %s", name, why);
	if (is && is->n == n && !memcmp(is->bytes, bytes, n))
		return 0;
	if (is)
		return problem_set(p, EXIT_USAGE,
				   "%s: two files would have this name", name);
	if (!MAKE_ROOM(a->item, a->n, a->cap))
		return problem_no_memory(p);
	struct archive_member *m = &a->item[a->n++];
	*m = (struct archive_member){.bytes = bytes, .n = n};
	strcpy(m->name, name);
	return 0;
}

static unsigned header_checksum(const unsigned char *h)
{
	unsigned sum = 0;
	for (int i = 0; i < BLOCK; i++)
		sum += i >= AT_SUM && i < AT_SUM + 8 ? ' ' : h[i];
	return sum;
}

static void write_member(const struct archive_member *m, FILE *f)
{
	static const char zeros[BLOCK];
	char h[BLOCK] = "";
	const char *name = split(m->name);
	memcpy(h, name, strlen(name));
	if (name > m->name)
		memcpy(h + AT_PREFIX, m->name, (size_t)(name - m->name - 1));
	memcpy(h + AT_MODE, "0000644", 8);
	memcpy(h + AT_UID, "0000000", 8);
	memcpy(h + AT_GID, "0000000", 8);
	snprintf(h + AT_SIZE, 12, "%011zo", m->n & 077777777777);
	memcpy(h + AT_TIME, "00000000000", 12);
	h[AT_TYPE] = '0';
	memcpy(h + AT_MAGIC, magic, sizeof magic);
	snprintf(h + AT_SUM, 8, "%06o",
		 header_checksum((unsigned char *)h) & 0777777);
	h[AT_SUM + 7] = ' ';
	fwrite(h, 1, BLOCK, f);
	fwrite(m->bytes, 1, m->n, f);
	fwrite(zeros, 1, (BLOCK - m->n % BLOCK) % BLOCK, f);
}

void archive_write(struct archive *a, FILE *f)
{
	static const char end[2 * BLOCK];
	if (a->n)
		qsort(a->item, a->n, sizeof *a->item, by_name);
	for (size_t i = 0; i < a->n; i++)
		write_member(&a->item[i], f);
	fwrite(end, 1, sizeof end, f);
}

/* ---- reading ---- */

/* Reads octal digits.  Returns -1 if the field has others. */
static int octal(const unsigned char *field, size_t n, size_t *out)
{
	*out = 0;
	size_t i = 0;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
		*out = *out * 8 + (size_t)(field[i] - '0');
	return i > 0 && (i == n || field[i] == '\0' || field[i] == ' ') ? 0
									: -1;
}

static void take_name(char name[ARCHIVE_NAME], const unsigned char *h)
{
	const char *own = (const char *)h, *prefix = own + AT_PREFIX;
	int n = (int)strnlen(own, SHORT_NAME), k = (int)strnlen(prefix, PREFIX);
	snprintf(name, ARCHIVE_NAME, "%.*s%s%.*s", k, prefix, k ? "/" : "", n,
		 own);
}

static const char no_bundle[] =
    "is no bundle (a ustar archive), as stepcost bundle "
    "OUT.stepcost -- COMMAND writes it";

/* Reads the header at `at`.  Returns what is wrong, or NULL. */
static const char *read_header(struct archive_member *m, const char *bytes,
			       size_t n, size_t at)
{
	const unsigned char *h = (const unsigned char *)bytes + at;
	size_t sum;
	if (memcmp(h + AT_MAGIC, magic, sizeof magic) != 0)
		return no_bundle;
	if (octal(h + AT_SUM, 8, &sum) < 0 || sum != header_checksum(h))
		return "has a header with a wrong checksum";
	take_name(m->name, h);
	if (h[AT_TYPE] != '0')
		return "has a member that is no regular file";
	if (bad_name(m->name))
		return "has a member outside of it";
	if (octal(h + AT_SIZE, 12, &m->n) < 0 || m->n > n - at - BLOCK)
		return "is cut off";
	m->bytes = bytes + at + BLOCK;
	return NULL;
}

static int is_end(const char *bytes)
{
	for (int i = 0; i < BLOCK; i++)
		if (bytes[i])
			return 0;
	return 1;
}

static const char *read_all(struct archive *a, const char *bytes, size_t n)
{
	size_t at = 0;
	const char *why = NULL;
	if (n > most_bytes)
		return "has more than 4 GiB";
	if (n > 0 && n < BLOCK)
		return no_bundle;
	while (n - at >= BLOCK && !is_end(bytes + at)) {
		if (a->n == ARCHIVE_MEMBERS)
			return "has more than 10000 members";
		if (!MAKE_ROOM(a->item, a->n, a->cap))
			return out_of_memory;
		struct archive_member *m = &a->item[a->n];
		if ((why = read_header(m, bytes, n, at)))
			return why;
		if (a->n && strcmp(m[-1].name, m->name) >= 0)
			return "has members that are not in ascending order";
		a->n++;
		at += BLOCK + (m->n + BLOCK - 1) / BLOCK * BLOCK;
		if (at > n)
			return "is cut off";
	}
	return n - at < 2 * (size_t)BLOCK || !a->n ? "is cut off" : NULL;
}

int archive_read(struct archive *a, const char *bytes, size_t n,
		 const char *origin, struct problem *p)
{
	*a = (struct archive){0};
	const char *why = read_all(a, bytes, n);
	if (why == out_of_memory)
		return problem_no_memory(p);
	return why ? problem_set(p, EXIT_INPUT, "%s: %s", origin, why) : 0;
}

int archive_open(struct archive *a, const char *path, struct problem *p)
{
	struct stat is;
	*a = (struct archive){0};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = fstat(fileno(f), &is);
	size_t n = rc == 0 ? (size_t)is.st_size : 0;
	void *map =
	    n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fileno(f), 0) : NULL;
	if (rc < 0 || map == MAP_FAILED)
		rc =
		    problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(errno));
	else
		rc = archive_read(a, map ? map : "", n, path, p);
	if (map && map != MAP_FAILED) {
		a->map = map;
		a->map_bytes = n;
	}
	fclose(f);
	return rc;
}

/* ---- extracting ---- */

static int make_folders(char *path, size_t from)
{
	for (char *s = path + from; (s = strchr(s, '/')); s++) {
		*s = '\0';
		int rc = mkdir(path, 0700);
		*s = '/';
		if (rc < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int extract(const struct archive_member *m, const char *folder)
{
	char *path;
	if (asprintf(&path, "%s/%s", folder, m->name) < 0)
		return -1;
	int rc = make_folders(path, strlen(folder) + 1);
	FILE *f = rc == 0 ? fopen(path, "wxe") : NULL;
	rc = f && fwrite(m->bytes, 1, m->n, f) == m->n ? 0 : -1;
	if (f && fclose(f) != 0)
		rc = -1;
	free(path);
	return rc;
}

int archive_extract(const struct archive *a, const char *folder,
		    struct problem *p)
{
	for (size_t i = 0; i < a->n; i++)
		if (extract(&a->item[i], folder) < 0)
			return problem_set(p, EXIT_USAGE, "%s/%s: %s", folder,
					   a->item[i].name, strerror(errno));
	return 0;
}

void archive_free(struct archive *a)
{
	if (a->map)
		munmap(a->map, a->map_bytes);
	free(a->item);
	*a = (struct archive){0};
}
