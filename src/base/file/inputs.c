/* inputs.c -- Keeps the list of inputs in memory that children share. */
#include "base/file/inputs.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/hash.h"

enum {
	ROOM =
	    64 << 20, /* bytes of address space; unused pages take no memory */
	SLOTS = 1 << 18,
	IN_GROUP = 64, /* slots; few groups have an entry */
};

/* An entry: its kind, its number of bytes, its texts with their NULs.  A slot
 * has the place of an entry, or 0; the slot is taken when the entry is
 * whole. */
struct entry {
	uint32_t kind, bytes;
	char text[];
};
struct list {
	uint64_t used, lost;
	uint8_t is_used[SLOTS / IN_GROUP]; /* 1: some may be taken */
	uint32_t slot[SLOTS];
	_Alignas(8) char entry[];
};
enum { ENTRIES = ROOM - (int)sizeof(struct list) };

/* The list of this process; see the header for why it is not handed down. */
static struct list *list;

int inputs_begin(void)
{
	void *at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	list = at;
	list->used = 8; /* a place is never 0 */
	return 0;
}

static int group_is_used(size_t slot)
{
	return __atomic_load_n(&list->is_used[slot / IN_GROUP],
			       __ATOMIC_RELAXED);
}

/* Returns the place of the slot's entry; 0: it has none. */
static uint32_t place_in(size_t slot)
{
	return __atomic_load_n(&list->slot[slot], __ATOMIC_ACQUIRE);
}

/* ---- adding ---- */

/* Returns the entry at a place with its number of bytes, or NULL: a child that
 * went astray may have written over the slot or the entry, at any time. */
static const struct entry *entry_at(uint32_t place, uint32_t *bytes)
{
	if (place > ENTRIES - sizeof(struct entry) || place % 8)
		return NULL;
	const struct entry *e = (const void *)(list->entry + place);
	*bytes = __atomic_load_n(&e->bytes, __ATOMIC_RELAXED);
	return *bytes && *bytes <= ENTRIES - sizeof(struct entry) - place
		   ? e
		   : NULL;
}

/* Returns the place of a new entry; 0: there is no room. */
static uint32_t put(enum input_kind kind, const char *bytes, size_t n)
{
	size_t size = (sizeof(struct entry) + n + 7) / 8 * 8;
	uint64_t at = __atomic_fetch_add(&list->used, size, __ATOMIC_RELAXED);
	if (size > ENTRIES || at > ENTRIES - size || at % 8 || !at)
		return 0;
	struct entry *e = (struct entry *)(void *)(list->entry + at);
	e->kind = kind;
	e->bytes = (uint32_t)n;
	memcpy(e->text, bytes, n);
	return (uint32_t)at;
}

static int is_same(uint32_t place, enum input_kind kind, const char *bytes,
		   size_t n)
{
	uint32_t has = 0;
	const struct entry *e = entry_at(place, &has);
	return e && e->kind == kind && has == n && !memcmp(e->text, bytes, n);
}

/* Adds a name to the set, if it is not there.  Several processes share the set
 * without a lock: a slot is taken by compare and exchange.  If nothing is free,
 * counts the name as lost. */
static void add(enum input_kind kind, const char *bytes, size_t n)
{
	uint64_t hash = hash_mix(hash_on(HASH_BEGIN + kind, bytes, n));
	uint32_t place = 0;
	for (size_t i = 0; i < SLOTS; i++) {
		size_t k = (hash + i) % SLOTS;
		uint32_t there = place_in(k);
		if (!there && !place && !(place = put(kind, bytes, n)))
			break;
		__atomic_store_n(&list->is_used[k / IN_GROUP], 1,
				 __ATOMIC_RELAXED);
		if (!there && __atomic_compare_exchange_n(
				  &list->slot[k], &there, place, 0,
				  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return;
		if (is_same(there, kind, bytes, n))
			return;
	}
	__atomic_fetch_add(&list->lost, 1, __ATOMIC_RELAXED);
}

void inputs_note(enum input_kind kind, const char *const *text, size_t n)
{
	size_t size = 0;
	if (!list || n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		size += strlen(text[i] ? text[i] : "") + 1;
	char *bytes = malloc(size), *to = bytes;
	for (size_t i = 0; bytes && i < n; i++)
		to = stpcpy(to, text[i] ? text[i] : "") + 1;
	if (bytes)
		add(kind, bytes, size);
	else
		__atomic_fetch_add(&list->lost, 1, __ATOMIC_RELAXED);
	free(bytes);
}

void inputs_note_file(const char *path)
{
	inputs_note(INPUT_FILE, &path, 1);
}

/* ---- reading ---- */

/* Fills in an entry.  Returns 0 if it is not whole. */
static int read_entry(struct input *to, uint32_t place)
{
	uint32_t bytes = 0;
	const struct entry *e = entry_at(place, &bytes);
	if (!e || e->kind >= N_INPUT_KINDS || e->text[bytes - 1])
		return 0;
	const char *at = e->text, *end = e->text + bytes;
	to->kind = e->kind;
	for (size_t i = 0; i < INPUT_TEXTS; i++) {
		to->text[i] = at < end ? at : end - 1;
		at += at < end ? strlen(at) + 1 : 0;
	}
	return 1;
}

static int by_texts(const void *a, const void *b)
{
	const struct input *x = a, *y = b;
	int order = 0;
	for (size_t i = 0; !order && i < INPUT_TEXTS; i++)
		order = strcmp(x->text[i], y->text[i]);
	return order;
}

/* Returns the first slot from i on that is taken; SLOTS: there is none. */
static size_t next_taken(size_t i)
{
	while (i < SLOTS && (!group_is_used(i) || !place_in(i)))
		i += group_is_used(i) ? 1 : IN_GROUP - i % IN_GROUP;
	return i;
}

struct input *inputs_list(enum input_kind kind, size_t *n)
{
	struct input *all = NULL, one;
	size_t found = 0, cap = 0;
	*n = 0;
	if (!list)
		return NULL;
	for (size_t i = next_taken(0); i < SLOTS; i = next_taken(i + 1)) {
		if (!read_entry(&one, place_in(i)) || one.kind != kind)
			continue;
		if (found == cap) {
			cap = cap ? 2 * cap : 64;
			struct input *more = realloc(all, cap * sizeof *all);
			if (!more) {
				free(all);
				return NULL;
			}
			all = more;
		}
		all[found++] = one;
	}
	if (found)
		qsort(all, found, sizeof *all, by_texts);
	*n = found;
	return all;
}

size_t inputs_lost(void)
{
	return list ? (size_t)list->lost : 0;
}
