/* live.c -- Starts the arms, and talks with them. */
#include <config.h>
#include "live/live.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "arm/run.h"
#include "base/file/tempfile.h"
#include "jobs/failure_line.h"

/* ---- starting ---- */

static int make_slot(struct live_arm *a, size_t step_bytes, struct problem *p)
{
	a->slot_bytes = sizeof *a->slot + step_bytes;
	void *at = mmap(NULL, a->slot_bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return problem_no_memory(p);
	a->slot = at;
	status_begin(&a->slot->status);
	return 0;
}

static void add_sorted(int *list, unsigned *n, int fd)
{
	unsigned at = (*n)++;
	for (; at > 0 && list[at - 1] > fd; at--)
		list[at] = list[at - 1];
	list[at] = fd;
}

static int start(struct live *l, size_t i, const struct config *c,
		 int writes_requests, struct problem *p)
{
	struct live_arm *a = &l->arm[i];
	int fd[2], keep[3];
	size_t bytes = arm_run_step_bytes(c);
	a->name = c->arm[i].name;
	a->fd = -1;
	if (make_slot(a, bytes, p) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return problem_set(p, EXIT_USAGE, "socketpair: %s",
				   strerror(errno));
	a->fd = fd[0];
	fcntl(a->fd, F_SETFL, O_NONBLOCK);
	a->start = (struct live_start){.config = c,
				       .arm = i,
				       .slot = a->slot,
				       .step_bytes = bytes,
				       .fd = fd[1],
				       .tells = i == 0};
	if (writes_requests && !(a->start.requests = tempfile_open()))
		return problem_set(p, EXIT_USAGE, "temporary file: %s",
				   strerror(errno));
	if (!(a->start.said = tempfile_open()))
		return problem_set(p, EXIT_USAGE, "temporary file: %s",
				   strerror(errno));
	unsigned n = 0;
	add_sorted(keep, &n, fd[1]);
	add_sorted(keep, &n, fileno(a->start.said));
	if (a->start.requests)
		add_sorted(keep, &n, fileno(a->start.requests));
	l->child[i] = (struct child){.status = &a->slot->status,
				     .plugin = c->arm[i].plugin,
				     .keep = keep,
				     .n_keep = n,
				     .user = a};
	int rc =
	    child_start(&l->children, &l->child[i], live_child, &a->start, p);
	close(fd[1]);
	return rc;
}

/* The child of an arm is gone. */
static void on_ended(void *user, struct child *k)
{
	struct live_arm *a = k->user;
	struct problem p = a->slot->problem;
	const struct memory_range step = {a->slot->step,
					  a->slot_bytes - sizeof *a->slot};
	(void)user;
	a->is_dead = 1;
	if (k->clean && a->slot->done)
		return;
	if (!k->clean || p.code == EXIT_DONE)
		p = k->end;
	if (p.code == EXIT_DONE)
		problem_set(&p, EXIT_PLUGIN, "its process ended");
	a->code = p.code;
	a->failure = failure_line(a->name, &p, &a->slot->status, &step, 1);
}

int live_open(struct live *l, const struct config *c, int writes_requests,
	      double answer_limit_s, double memory_limit_gib,
	      const struct live_listener *to, struct problem *p)
{
	*l = (struct live){.n = c->n_arms < LIVE_ARMS ? c->n_arms : LIVE_ARMS,
			   .to = *to,
			   .ordered_ns = -1};
	l->children = (struct children){.child = l->child,
					.n = (unsigned)l->n,
					.answer_limit_s = answer_limit_s,
					.memory_limit_gib = memory_limit_gib,
					.ended = on_ended};
	for (size_t i = 0; i < l->n; i++)
		l->arm[i].fd = -1;
	if (children_open(&l->children, p) < 0)
		return -1;
	for (size_t i = 0; i < l->n; i++)
		if (start(l, i, c, writes_requests, p) < 0)
			return -1;
	return 0;
}

/* ---- reading ---- */

/* Takes a message with its n bytes behind.  Returns the bytes of both, or 0 if
 * not all of them are there. */
static size_t whole(const struct live_arm *a, size_t at, struct up *u)
{
	size_t n = sizeof *u;
	if (a->n_in - at < n)
		return 0;
	memcpy(u, a->in + at, n);
	if (u->kind == UP_FACTS)
		n += sizeof(struct live_facts);
	else if (u->kind == UP_ENDED)
		n += sizeof(struct request_event);
	else if (u->kind == UP_REACHED)
		n += u->n * sizeof(struct simulation_load);
	return a->n_in - at < n ? 0 : n;
}

static void take_facts(struct live_arm *a, const unsigned char *from)
{
	memcpy(&a->facts, from, sizeof a->facts);
	a->load = calloc(a->facts.replicas, sizeof *a->load);
	a->has_facts = a->load != NULL;
}

static void take_ended(struct live *l, struct live_arm *a, int tells,
		       const unsigned char *from)
{
	struct request_event e;
	memcpy(&e, from, sizeof e);
	if ((unsigned)e.ending < sizeof a->ended / sizeof *a->ended)
		a->ended[e.ending]++;
	if (tells && l->to.ended)
		l->to.ended(l->to.ctx, &e);
}

/* Tells the listener what the first arm says. */
static void pass_on(const struct live *l, const struct up *u)
{
	const struct live_listener *to = &l->to;
	if (u->kind == UP_ROUTED && to->routed)
		to->routed(to->ctx, u->row, u->n);
	else if (u->kind == UP_LOST && to->lost)
		to->lost(to->ctx, u->row);
	else if (u->kind == UP_TOKENS && to->tokens)
		to->tokens(to->ctx, u->row, u->n, u->ns);
	else if (u->kind == UP_RESET && to->reset)
		to->reset(to->ctx, (int)u->n);
	else if (u->kind == UP_STEP && to->step)
		to->step(to->ctx, (uint32_t)u->row, u->n, u->ns);
}

static void take(struct live *l, struct live_arm *a, const struct up *u,
		 const unsigned char *behind)
{
	int tells = a == l->arm;
	switch (u->kind) {
	case UP_FACTS:
		take_facts(a, behind);
		break;
	case UP_ENDED:
		take_ended(l, a, tells, behind);
		break;
	case UP_REACHED:
		a->reached_ns = u->ns;
		a->next_ns = (int64_t)u->row;
		if (a->load && u->n == a->facts.replicas)
			memcpy(a->load, behind, u->n * sizeof *a->load);
		break;
	case UP_STEP:
		a->steps++; /* fall through */
	default:
		if (tells)
			pass_on(l, u);
	}
}

static int read_arm(struct live *l, struct live_arm *a)
{
	int came = 0;
	while (a->fd >= 0) {
		if (a->cap_in - a->n_in < 65536) {
			size_t cap = 2 * a->cap_in + 131072;
			unsigned char *more = realloc(a->in, cap);
			if (!more)
				return came;
			a->in = more;
			a->cap_in = cap;
		}
		ssize_t got = read(a->fd, a->in + a->n_in, a->cap_in - a->n_in);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got == 0 || errno != EAGAIN) {
				close(a->fd);
				a->fd = -1;
			}
			break;
		}
		a->n_in += (size_t)got;
		came = 1;
		size_t at = 0, n;
		struct up u;
		while ((n = whole(a, at, &u)) > 0) {
			take(l, a, &u, a->in + at + sizeof u);
			at += n;
		}
		memmove(a->in, a->in + at, a->n_in - at);
		a->n_in -= at;
	}
	return came;
}

/* ---- writing ---- */

static void put(struct live_arm *a, const void *from, size_t n)
{
	if (a->fd < 0 || a->is_dead || n == 0)
		return;
	if (a->n_out + n > a->cap_out) {
		size_t cap = 2 * (a->n_out + n) + 4096;
		unsigned char *more = realloc(a->out, cap);
		if (!more)
			return;
		a->out = more;
		a->cap_out = cap;
	}
	memcpy(a->out + a->n_out, from, n);
	a->n_out += n;
}

static void write_arm(struct live_arm *a)
{
	size_t at = 0;
	while (a->fd >= 0 && at < a->n_out) {
		ssize_t got = write(a->fd, a->out + at, a->n_out - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		at += (size_t)got;
	}
	memmove(a->out, a->out + at, a->n_out - at);
	a->n_out -= at;
}

int64_t live_stamp(struct live *l, int64_t now_ns)
{
	int64_t ns = now_ns;
	if (ns <= l->ordered_ns)
		ns = l->ordered_ns + 1;
	if (ns <= l->stamp_ns)
		ns = l->stamp_ns + 1;
	return l->stamp_ns = ns;
}

void live_give(struct live *l, const struct live_request *r)
{
	const struct down d = {
	    .kind = DOWN_REQUEST, .n = (uint32_t)strlen(r->name), .r = *r};
	for (size_t i = 0; i < l->n; i++) {
		put(&l->arm[i], &d, sizeof d);
		put(&l->arm[i], r->block, r->n_blocks * sizeof *r->block);
		put(&l->arm[i], r->name, d.n);
	}
}

static void put_all(struct live *l, const struct down *d)
{
	for (size_t i = 0; i < l->n; i++)
		put(&l->arm[i], d, sizeof *d);
}

void live_cancel(struct live *l, uint64_t row, int64_t ns)
{
	put_all(l, &(struct down){.kind = DOWN_CANCEL, .row = row, .ns = ns});
}

void live_reset(struct live *l, uint32_t replica, int64_t ns)
{
	put_all(l, &(struct down){.kind = DOWN_RESET, .n = replica, .ns = ns});
}

void live_advance(struct live *l, int64_t now_ns)
{
	if (now_ns < l->stamp_ns)
		now_ns = l->stamp_ns;
	if (now_ns <= l->ordered_ns)
		return;
	l->ordered_ns = now_ns;
	put_all(l, &(struct down){.kind = DOWN_ADVANCE, .ns = now_ns});
}

int live_exchange(struct live *l)
{
	int came = 0;
	for (size_t i = 0; i < l->n; i++) {
		write_arm(&l->arm[i]);
		came |= read_arm(l, &l->arm[i]);
	}
	return came;
}

int live_look(struct live *l, struct problem *p)
{
	int rc = children_wait(&l->children, 0, p);
	children_look(&l->children);
	return rc;
}

static void wait_for_sockets(const struct live *l, int ms)
{
	struct pollfd at[LIVE_ARMS];
	nfds_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->arm[i].fd >= 0)
			at[n++] = (struct pollfd){
			    .fd = l->arm[i].fd,
			    .events = (short)(POLLIN |
					      (l->arm[i].n_out ? POLLOUT : 0))};
	poll(at, n, ms);
}

static int failed(const struct live *l, struct problem *p)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->arm[i].failure)
			return problem_set(p, l->arm[i].code, "%s",
					   l->arm[i].failure);
	return 0;
}

int live_await_facts(struct live *l, struct problem *p)
{
	for (;;) {
		int all = 1;
		for (size_t i = 0; i < l->n; i++)
			all &= l->arm[i].has_facts;
		if (all)
			return 0;
		wait_for_sockets(l, 20);
		live_exchange(l);
		if (live_look(l, p) < 0 || failed(l, p) < 0)
			return -1;
	}
}

int live_end(struct live *l, struct problem *p)
{
	put_all(l, &(struct down){.kind = DOWN_END});
	while (children_busy(&l->children)) {
		wait_for_sockets(l, 20);
		live_exchange(l);
		if (live_look(l, p) < 0)
			return -1;
	}
	live_exchange(l);
	return failed(l, p);
}

int live_write_requests(const struct live *l, FILE *to)
{
	char block[8192];
	size_t n;
	for (size_t i = 0; i < l->n; i++) {
		FILE *f = l->arm[i].start.requests;
		if (!f)
			continue;
		rewind(f);
		while ((n = fread(block, 1, sizeof block, f)) > 0)
			if (fwrite(block, 1, n, to) != n)
				return -1;
	}
	return 0;
}

void live_close(struct live *l)
{
	struct problem p;
	children_close(&l->children, -1, &p);
	for (size_t i = 0; i < l->n; i++) {
		struct live_arm *a = &l->arm[i];
		if (a->fd >= 0)
			close(a->fd);
		if (a->slot)
			munmap(a->slot, a->slot_bytes);
		if (a->start.requests)
			fclose(a->start.requests);
		if (a->start.said)
			fclose(a->start.said);
		free(a->in), free(a->out), free(a->load), free(a->failure);
		free(l->child[i].said.text);
	}
}
