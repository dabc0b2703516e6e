/* kept_set.c -- Writes and maps parsed copies of sets of tables.
 *
 * A copy is: the head; for each table a record, and for each of its columns;
 * the texts; the columns; a sum of all that.  A column of words has addresses,
 * as a plugin sees them, for a copy that is mapped where its head says; mapped
 * elsewhere they are moved. */
#include <config.h>
#include "tables/kept_set.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "tables/cachefolder.h"
#include "base/hash.h"
#include "base/outfile.h"

/* Another layout, or another meaning of a CSV file, is another version. */
enum { KEPT_VERSION = 1 };
#define KEPT_MAGIC "stepcost tables " VERSION

/* A set of fewer bytes is read as fast as a copy is found. */
enum { LEAST_BYTES = 1 << 16 };
/* Of the room in the file system. */
enum { MOST_SHARE = 10 };

struct kept_head {
	char magic[40];
	uint32_t version, n_tables;
	double one;             /* 1.0, as this machine has it */
	uint64_t sum, bytes;    /* of the files */
	uint64_t address, size; /* size: of the copy, its sum included */
};
/* Places are offsets in the copy. */
struct kept_table {
	uint64_t file, sha256, op, n_rows, line;
	uint64_t columns; /* [n_cols] */
	uint32_t n_cols, headless;
};
struct kept_column {
	uint64_t name, data, is_words;
};

/* ---- sums ---- */

/* A sum that detects damage.  Four lanes, because one would wait for each
 * multiplication: a copy is added up at each start. */
enum { LANES = 4 };
struct kept_sum {
	uint64_t lane[LANES], n; /* n: bytes so far */
	unsigned char rest[8 * LANES];
};

static void add_block(struct kept_sum *s, const unsigned char *at)
{
	uint64_t word[LANES];
	memcpy(word, at, sizeof word);
	for (int i = 0; i < LANES; i++) {
		uint64_t x =
		    (s->lane[i] ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
		s->lane[i] = x ^ (x >> 32);
	}
}

static void add(struct kept_sum *s, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	size_t have = s->n % sizeof s->rest, room = sizeof s->rest - have;
	s->n += n;
	if (have) {
		size_t take = room < n ? room : n;
		memcpy(s->rest + have, at, take);
		at += take;
		n -= take;
		if (take < room)
			return;
		add_block(s, s->rest);
	}
	for (; n >= sizeof s->rest; n -= sizeof s->rest, at += sizeof s->rest)
		add_block(s, at);
	memcpy(s->rest, at, n);
}

static uint64_t sum_of(const struct kept_sum *s)
{
	struct kept_sum last = *s;
	size_t have = s->n % sizeof last.rest;
	memset(last.rest + have, 0, sizeof last.rest - have);
	add_block(&last, last.rest);
	uint64_t sum = s->n;
	for (int i = 0; i < LANES; i++)
		sum = hash_mix(sum ^ last.lane[i]) + (uint64_t)i + 1;
	return sum;
}

/* ---- the place ---- */

static int add_file(struct kept_sum *sum, const char *path, const char *set,
		    const char *file)
{
	char *name, buf[1 << 16];
	if (asprintf(&name, "%s/%s/%s", path, set, file) < 0)
		return -1;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	free(name);
	ssize_t n = -1;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		while ((n = read(fd, buf, sizeof buf)) > 0)
			add(sum, buf, (size_t)n);
	if (fd >= 0)
		close(fd);
	add(sum, file, strlen(file) + 1);
	return n < 0 ? -1 : 0;
}

int kept_place_find(struct kept_place *k, const char *path, const char *set,
		    const struct names *file, uint32_t part)
{
	struct kept_sum sum = {0};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < file->n; i++)
		rc = add_file(&sum, path, set, file->item[i]);
	if (rc < 0 || sum.n < LEAST_BYTES)
		return -1;
	*k = (struct kept_place){.sum = sum_of(&sum), .bytes = sum.n};
	char *real = realpath(path, NULL), *folder = cachefolder_open("tables");
	uint64_t of = real ? hash_on(HASH_BEGIN, real, strlen(real)) : 0;
	if (part)
		of = hash_mix(of ^ part);
	if (!real || !folder ||
	    asprintf(&k->path, "%s/%s.%016llx", folder, set,
		     (unsigned long long)of) < 0)
		k->path = NULL;
	free(real), free(folder);
	return k->path ? 0 : -1;
}

void kept_place_free(struct kept_place *k)
{
	free(k->path);
	*k = (struct kept_place){0};
}

static struct kept_head head_for(const struct kept_place *k)
{
	/* 2^18 places of 64 MiB from 2^45 on, where programs on 64-bit machines
	 * have nothing. */
	uint64_t at = hash_on(HASH_BEGIN, k->path, strlen(k->path));
	return (struct kept_head){.magic = KEPT_MAGIC,
				  .version = KEPT_VERSION,
				  .one = 1,
				  .sum = k->sum,
				  .bytes = k->bytes,
				  .address = (UINT64_C(1) << 45) +
					     ((hash_mix(at) >> 46) << 26)};
}

/* ---- reading ---- */

/* Returns 1 if all bytes are as they were written. */
static int is_whole(int fd, uint64_t size)
{
	char buf[1 << 16];
	struct kept_sum sum = {0};
	uint64_t at = 0, want = 0, left = size - sizeof want;
	for (ssize_t n; at < left; at += (uint64_t)n) {
		size_t most =
		    left - at < sizeof buf ? (size_t)(left - at) : sizeof buf;
		n = pread(fd, buf, most, (off_t)at);
		if (n <= 0)
			return 0;
		add(&sum, buf, (size_t)n);
	}
	return pread(fd, &want, sizeof want, (off_t)left) == sizeof want &&
	       want == sum_of(&sum);
}

/* Returns 1 if the file is the copy that the place is for. */
static int is_copy(int fd, const struct kept_place *k, struct kept_head *head)
{
	struct stat st;
	struct kept_head want = head_for(k);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() ||
	    pread(fd, head, sizeof *head, 0) != sizeof *head)
		return 0;
	want.n_tables = head->n_tables;
	want.size = (uint64_t)st.st_size;
	return !memcmp(head, &want, sizeof want) && is_whole(fd, want.size);
}

/* Moves addresses of words to where the copy is. */
static void move_words(char *map, const struct kept_head *head)
{
	const struct kept_table *t = (const void *)(map + sizeof *head);
	uint64_t by = (uint64_t)(uintptr_t)map - head->address;
	for (uint32_t i = 0; i < head->n_tables; i++) {
		const struct kept_column *c =
		    (const void *)(map + t[i].columns);
		for (uint32_t k = 0; k < t[i].n_cols; k++) {
			uint64_t *word = (void *)(map + c[k].data);
			for (uint64_t r = 0; c[k].is_words && r < t[i].n_rows;
			     r++)
				word[r] += by;
		}
	}
}

static char *map_copy(int fd, const struct kept_head *head)
{
	char *map = mmap((void *)(uintptr_t)head->address, head->size,
			 PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	if ((uintptr_t)map != head->address)
		move_words(map, head);
	mprotect(map, head->size, PROT_READ);
	return map;
}

static int take_columns(struct table *t, char *map, const struct kept_table *k)
{
	const struct kept_column *c = (const void *)(map + k->columns);
	t->head = calloc(k->n_cols, sizeof *t->head);
	t->col = calloc(k->n_cols, sizeof *t->col);
	t->text = calloc(k->n_cols, sizeof *t->text);
	if (!t->head || !t->col || !t->text)
		return -1;
	t->view.n_cols = k->n_cols;
	t->view.n_rows = k->n_rows;
	t->line = (void *)(map + k->line);
	for (uint32_t i = 0; i < k->n_cols; i++) {
		t->head[i] = map + c[i].name;
		if (c[i].is_words)
			t->text[i] = (void *)(map + c[i].data);
		else
			t->col[i] = (void *)(map + c[i].data);
	}
	return 0;
}

static int take_table(struct table_set *s, const char *path, char *map,
		      const struct kept_table *k)
{
	struct problem p;
	struct table t = {.is_mapped = 1, .headless = (int)k->headless};
	struct table_file file = {.name = map + k->file};
	memcpy(file.sha256, map + k->sha256, sizeof file.sha256);
	t.op = strdup(map + k->op);
	if (asprintf(&t.origin, "%s/%s", path, file.name) < 0)
		t.origin = NULL;
	if (!t.op || !t.origin || take_columns(&t, map, k) < 0 ||
	    table_set_add_file(s, &file, &p) < 0) {
		table_free(&t);
		return -1;
	}
	table_show(&t);
	return table_set_take(s, &t, &p);
}

/* Takes the mapped copy over, or none of it. */
static int take_tables(struct table_set *s, const char *path, char *map,
		       const struct kept_head *head)
{
	const struct kept_table *k = (const void *)(map + sizeof *head);
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < head->n_tables; i++)
		rc = take_table(s, path, map, &k[i]);
	s->map = map;
	s->map_size = head->size;
	if (rc < 0)
		table_set_clear(s);
	return rc;
}

int kept_set_read(struct table_set *s, const struct kept_place *k,
		  const char *path)
{
	struct kept_head head;
	int fd = open(k->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	char *map = is_copy(fd, k, &head) ? map_copy(fd, &head) : NULL;
	close(fd);
	return map ? take_tables(s, path, map, &head) : -1;
}

/* ---- writing ---- */

struct writing {
	const struct table_set *set;
	char *copy;
	uint64_t at, size; /* at: the first free byte */
};

static uint64_t texts_of(const struct table *t)
{
	uint64_t n = strlen(t->op) + 1;
	for (uint32_t i = 0; i < t->view.n_cols; i++)
		n += strlen(t->head[i]) + 1;
	for (size_t i = 0; i < t->n_words; i++)
		n += strlen(t->word[i]) + 1;
	return n;
}

/* Returns the bytes of the copy, up to 7 more than it needs. */
static uint64_t size_of(const struct table_set *s)
{
	uint64_t n = sizeof(struct kept_head) + 2 * sizeof n;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct table *t = s->table[i];
		n += sizeof(struct kept_table) + texts_of(t) +
		     t->view.n_cols * sizeof(struct kept_column) +
		     (t->view.n_cols + 1) * t->view.n_rows * sizeof n +
		     strlen(s->file[i].name) + 1 + sizeof s->file[i].sha256;
	}
	return n & ~(uint64_t)7;
}

/* Returns the place of n bytes that are put into the copy. */
static uint64_t put(struct writing *w, const void *bytes, size_t n)
{
	uint64_t at = w->at;
	memcpy(w->copy + at, bytes, n);
	w->at += n;
	return at;
}

static uint64_t put_text(struct writing *w, const char *text)
{
	return put(w, text, strlen(text) + 1);
}

/* Words of neighbouring rows are the same text in memory. */
static void put_words(struct writing *w, const struct table *t,
		      const uint64_t *place, uint64_t address, char **text)
{
	uint64_t at = 0;
	for (uint64_t r = 0; r < t->view.n_rows; r++) {
		size_t i = 0;
		if (!r || text[r] != text[r - 1]) {
			while (t->word[i] != text[r])
				i++;
			at = address + place[i];
		}
		put(w, &at, sizeof at);
	}
}

/* Puts the texts of a table.  Returns the places of its words, which the caller
 * frees; NULL: memory is out. */
static uint64_t *put_texts(struct writing *w, uint32_t i, struct kept_table *k,
			   struct kept_column *c)
{
	const struct table *t = w->set->table[i];
	const struct table_file *file = &w->set->file[i];
	uint64_t *place = calloc(t->n_words + 1, sizeof *place);
	k->file = put_text(w, file->name);
	k->sha256 = put(w, file->sha256, sizeof file->sha256);
	k->op = put_text(w, t->op);
	for (uint32_t n = 0; n < t->view.n_cols; n++)
		c[n].name = put_text(w, t->head[n]);
	for (size_t n = 0; place && n < t->n_words; n++)
		place[n] = put_text(w, t->word[n]);
	return place;
}

/* Texts of all tables come first, so that columns lie at multiples of 8. */
static int put_tables(struct writing *w, const struct kept_head *head)
{
	const struct table_set *s = w->set;
	struct kept_table *k = (void *)(w->copy + sizeof *head);
	uint64_t **place = calloc(s->n, sizeof *place);
	int rc = place ? 0 : -1;
	w->at = sizeof *head + s->n * sizeof *k;
	for (uint32_t i = 0; i < s->n; i++) {
		k[i] = (struct kept_table){.n_rows = s->table[i]->view.n_rows,
					   .n_cols = s->table[i]->view.n_cols,
					   .headless =
					       (uint32_t)s->table[i]->headless,
					   .columns = w->at};
		w->at += k[i].n_cols * sizeof(struct kept_column);
	}
	for (uint32_t i = 0; rc == 0 && i < s->n; i++) {
		place[i] =
		    put_texts(w, i, &k[i], (void *)(w->copy + k[i].columns));
		rc = place[i] ? 0 : -1;
	}
	w->at = (w->at + 7) & ~(uint64_t)7;
	for (uint32_t i = 0; rc == 0 && i < s->n; i++) {
		const struct table *t = s->table[i];
		struct kept_column *c = (void *)(w->copy + k[i].columns);
		k[i].line = put(w, t->line, k[i].n_rows * sizeof *t->line);
		for (uint32_t n = 0; n < k[i].n_cols; n++) {
			c[n].data = w->at;
			c[n].is_words = t->text[n] != NULL;
			if (t->text[n])
				put_words(w, t, place[i], head->address,
					  t->text[n]);
			else
				put(w, t->col[n],
				    k[i].n_rows * sizeof *t->col[n]);
		}
	}
	for (uint32_t i = 0; place && i < s->n; i++)
		free(place[i]);
	free(place);
	return rc;
}

/* Returns 1 if the file system has plenty of room for it, and a limit on the
 * size of files does not end the process. */
static int has_room(const char *path, uint64_t size)
{
	char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : 0;
	struct statvfs room;
	struct rlimit limit;
	if (slash)
		*slash = '\0';
	int yes =
	    slash && statvfs(folder, &room) == 0 &&
	    (uint64_t)room.f_bavail * room.f_frsize / MOST_SHARE >= size &&
	    getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size);
	free(folder);
	return yes;
}

static void write_copy(const struct writing *w, const char *path)
{
	struct outfile o;
	struct problem unused;
	if (outfile_open(&o, path, &unused) < 0)
		return;
	fwrite(w->copy, 1, w->at, o.f);
	outfile_commit(&o, &unused);
}

void kept_set_write(const struct table_set *s, const struct kept_place *k)
{
	struct writing w = {.set = s, .size = size_of(s)};
	struct kept_head head = head_for(k);
	struct kept_sum sum = {0};
	if (s->n != s->n_files || s->left_out.n || !has_room(k->path, w.size))
		return;
	w.copy = calloc(1, w.size);
	if (w.copy && put_tables(&w, &head) == 0) {
		head.n_tables = s->n;
		head.size = w.at + sizeof sum.n;
		memcpy(w.copy, &head, sizeof head);
		add(&sum, w.copy, w.at);
		uint64_t value = sum_of(&sum);
		put(&w, &value, sizeof value);
		write_copy(&w, k->path);
	}
	free(w.copy);
}
