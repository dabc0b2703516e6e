/* slot.c -- Maps the slots, hands answers over and checks them. */
#include "jobs/slot.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/file/tempfile.h"

/* The first part of a slot; the live memory follows. */
struct slot {
	struct job_status status;
	_Alignas(64) unsigned char live[];
};

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t bytes)
{
	size_t page = page_bytes();
	return (bytes + page - 1) / page * page;
}

static size_t first_bytes(const struct jobs_options *o)
{
	return whole_pages(sizeof(struct slot) + o->live_bytes);
}

static size_t result_bytes(const struct jobs_options *o)
{
	return sizeof(struct answer) + o->shared_bytes;
}

static struct slot *slot_of(const struct job *j)
{
	return (struct slot *)((char *)j->status -
			       offsetof(struct slot, status));
}

static struct answer *answer_of(const struct job *j,
				const struct jobs_options *o)
{
	return (struct answer *)(void *)((char *)slot_of(j) + first_bytes(o));
}

/* ---- the parent ---- */

int slots_map(struct jobs *all, const struct jobs_options *o, struct problem *p)
{
	all->slot_bytes = first_bytes(o) + whole_pages(result_bytes(o));
	all->region_bytes = all->slot_bytes * all->n;
	all->region = mmap(NULL, all->region_bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all->region != MAP_FAILED)
		return 0;
	all->region = NULL;
	return problem_set(p, EXIT_USAGE, "%zu bytes of shared memory: %s",
			   all->region_bytes, strerror(errno));
}

int slot_equip(struct jobs *all, size_t i, const struct jobs_options *o,
	       struct problem *p)
{
	struct job *j = &all->job[i];
	struct slot *s = (void *)((char *)all->region + i * all->slot_bytes);
	j->status = &s->status;
	j->live = s->live;
	status_begin(j->status);
	struct answer *a = answer_of(j, o);
	j->problem = &a->problem;
	j->shared = a->shared;
	for (unsigned k = 0; k < JOB_STREAMS; k++)
		if ((j->wanted_streams >> k & 1) &&
		    !(j->stream[k] = tempfile_open()))
			return problem_set(p, EXIT_USAGE,
					   "a temporary file: %s",
					   strerror(errno));
	return 0;
}

static uint64_t seal_of(const struct answer *a, const struct jobs_options *o)
{
	struct checksum c = {0};
	checksum_add(&c, &a->done, result_bytes(o) - sizeof a->seal);
	return checksum_value(&c);
}

/* Returns 1 if the file contains exactly what the job's own code wrote. */
static int stream_is(FILE *f, const struct checksum *written)
{
	char block[1 << 13];
	struct checksum is = {0};
	ssize_t n;
	while ((n = pread(fileno(f), block, sizeof block, (off_t)is.n)) > 0 &&
	       is.n <= written->n)
		checksum_add(&is, block, (size_t)n);
	if (n < 0)
		problem_note_machine(errno);
	return n == 0 && is.n == written->n &&
	       checksum_value(&is) == checksum_value(written);
}

static int streams_are_sound(const struct job *j, const struct answer *a)
{
	for (unsigned i = 0; i < JOB_STREAMS; i++)
		if (j->stream[i] && !stream_is(j->stream[i], &a->stream[i]))
			return 0;
	return 1;
}

static void empty_streams(const struct job *j)
{
	for (unsigned i = 0; i < JOB_STREAMS; i++)
		if (j->stream[i] && ftruncate(fileno(j->stream[i]), 0) < 0)
			continue;
}

enum slot_answer slot_take_answer(struct job *j, const struct jobs_options *o)
{
	struct answer *a = answer_of(j, o);
	enum slot_answer is = a->done ? SLOT_SPOILT : SLOT_EMPTY;
	int sealed = a->done == 1 && a->seal == seal_of(a, o);
	if (sealed)
		j->machine_failed = (int)a->machine_failed;
	if (sealed && streams_are_sound(j, a))
		return SLOT_ANSWERED;
	empty_streams(j);
	/* The job itself saw what its plugin did, or that a write failed. */
	if (sealed && a->problem.code != EXIT_DONE)
		return SLOT_ANSWERED;
	/* Clear the answer, so that none of it is read by mistake. */
	size_t bytes = whole_pages(result_bytes(o));
	if (mmap(a, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
		 0) == MAP_FAILED)
		memset(a, 0, bytes);
	return is;
}

/* ---- the job ---- */

void slot_hide_others(const struct jobs *all, const struct job *j)
{
	char *from = all->region, *mine = (char *)slot_of(j);
	char *behind = mine + all->slot_bytes, *end = from + all->region_bytes;
	if (mine > from)
		munmap(from, (size_t)(mine - from));
	if (behind < end)
		munmap(behind, (size_t)(end - behind));
}

/* A stream that its job writes to: it keeps its own offset in the file,
 * whatever others do with the descriptor, and sums up all bytes written. */
struct tally {
	int fd;
	struct checksum *sum;
};

static ssize_t write_tallied(void *cookie, const char *bytes, size_t n)
{
	struct tally *t = cookie;
	size_t done = 0;
	while (done < n) {
		ssize_t w = pwrite(t->fd, bytes + done, n - done,
				   (off_t)(t->sum->n + done));
		if (w < 0 && errno != EINTR)
			return 0;
		done += w > 0 ? (size_t)w : 0;
	}
	checksum_add(t->sum, bytes, n);
	return (ssize_t)n;
}

/* A forked child of a plugin that ends with exit() would write our buffered
 * text a second time, so forks of this process do not inherit the buffers. */
static void keep_from_forks(FILE *f)
{
	enum { BYTES = 1 << 16 };
	char *buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer != MAP_FAILED && madvise(buffer, BYTES, MADV_DONTFORK) == 0)
		setvbuf(f, buffer, _IOFBF, BYTES);
}

static FILE *open_tallied(FILE *f, struct checksum *sum)
{
	struct tally *t = malloc(sizeof *t);
	FILE *own = NULL;
	if (t) {
		*t = (struct tally){fileno(f), sum};
		own = fopencookie(
		    t, "w", (cookie_io_functions_t){.write = write_tallied});
	}
	if (own)
		keep_from_forks(own);
	return own;
}

/* Nothing of a plugin has run, so that the shared memory can be trusted. */
static struct answer *begin_without_memory(const struct job *j,
					   const struct jobs_options *o)
{
	struct answer *a = answer_of(j, o);
	problem_no_memory(&a->problem);
	slot_seal(j, a, o);
	return NULL;
}

struct answer *slot_begin(struct job *j, const struct jobs_options *o)
{
	struct answer *mine =
	    mmap(NULL, result_bytes(o), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mine == MAP_FAILED)
		return begin_without_memory(j, o);
	for (unsigned i = 0; i < JOB_STREAMS; i++)
		if (j->stream[i] && !(j->stream[i] = open_tallied(
					  j->stream[i], &mine->stream[i])))
			return begin_without_memory(j, o);
	j->problem = &mine->problem;
	j->shared = mine->shared;
	return mine;
}

void slot_seal(const struct job *j, struct answer *mine,
	       const struct jobs_options *o)
{
	mine->done = 1;
	mine->machine_failed = problem_machine_failed();
	mine->seal = seal_of(mine, o);
	if (mine != answer_of(j, o))
		memcpy(answer_of(j, o), mine, result_bytes(o));
}
