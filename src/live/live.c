/* live.c -- Starts the arms, and talks with them. */
#include "live/live.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file/tempfile.h"

/* ---- starting ---- */

static int open_temporary(FILE **f, struct problem *p)
{
	*f = tempfile_open();
	return *f ? 0
		  : problem_set(p, EXIT_USAGE, "temporary file: %s",
				strerror(errno));
}

static int start(struct live *l, size_t i, const struct config *c,
		 const struct live_options *o, struct problem *p)
{
	struct live_arm *a = &l->arm[i];
	a->start =
	    (struct live_start){.step_bytes = arm_run_step_bytes(c),
				.longest_item = o->longest_item,
				.tells_blocks = i == 0 && l->to.blocks != NULL};
	if ((o->writes_requests && open_temporary(&a->start.requests, p) < 0) ||
	    (o->writes_steps && open_temporary(&a->start.steps, p) < 0))
		return -1;
	a->is.config = c;
	a->is.arm = i;
	a->is.slot_bytes = sizeof(struct live_slot) + a->start.step_bytes;
	a->is.shown_at = sizeof(struct live_slot);
	a->is.keep[0] = a->start.requests ? fileno(a->start.requests) : 0;
	a->is.keep[1] = a->start.steps ? fileno(a->start.steps) : 0;
	a->is.work = live_child;
	a->is.user = &a->start;
	if (arm_process_start(&a->is, &l->children, &l->child[i], p) < 0)
		return -1;
	fcntl(a->is.fd, F_SETFL, O_NONBLOCK);
	return 0;
}

int live_open(struct live *l, const struct config *c,
	      const struct live_options *o, const struct live_listener *to,
	      struct problem *p)
{
	*l = (struct live){.n = c->n_arms < LIVE_ARMS ? c->n_arms : LIVE_ARMS,
			   .to = *to,
			   .ordered_ns = -1};
	l->children = (struct children){.child = l->child,
					.n = (unsigned)l->n,
					.answer_limit_s = o->answer_limit_s,
					.memory_limit_gib = o->memory_limit_gib,
					.ended = arm_process_ended};
	for (size_t i = 0; i < l->n; i++)
		l->arm[i].is.fd = -1;
	if (children_open(&l->children, p) < 0)
		return -1;
	for (size_t i = 0; i < l->n; i++)
		if (start(l, i, c, o, p) < 0)
			return -1;
	return 0;
}

/* ---- counting ---- */

/* Returns the counts of the present 10 s. */
static struct live_counts *slot_of(struct live_arm *a)
{
	int64_t now = a->reached_ns / (LIVE_SLOT_S * INT64_C(1000000000));
	while (a->slot_at < now) {
		int64_t skip = now - a->slot_at - LIVE_SLOTS;
		a->slot_at += skip > 0 ? skip : 1;
		a->slot[a->slot_at % LIVE_SLOTS] = (struct live_counts){0};
	}
	return &a->slot[now % LIVE_SLOTS];
}

static void count_time(struct live_arm *a, int which, int64_t ns)
{
	int i = 0;
	if (ns < 0)
		return;
	while (i + 1 < LIVE_BUCKETS && ns > INT64_C(1000000) << i)
		i++;
	a->all.time[which][i]++;
	slot_of(a)->time[which][i]++;
	a->sum_s[which] += 1e-9 * (double)ns;
}

struct live_counts live_recent(const struct live_arm *a)
{
	struct live_counts sum = {0};
	for (int i = 0; i < LIVE_SLOTS; i++) {
		sum.tokens += a->slot[i].tokens;
		for (int k = 0; k < LIVE_BUCKETS; k++) {
			sum.time[0][k] += a->slot[i].time[0][k];
			sum.time[1][k] += a->slot[i].time[1][k];
		}
	}
	return sum;
}

/* ---- reading ---- */

/* Takes a message with its n bytes behind.  Returns the bytes of both, or 0 if
 * not all of them are there. */
static size_t whole(const struct live_arm *a, size_t at, struct up *u)
{
	size_t n = sizeof *u;
	if (a->in.n - at < n)
		return 0;
	memcpy(u, a->in.s + at, n);
	if (u->kind == UP_FACTS)
		n += sizeof(struct live_facts);
	else if (u->kind == UP_ENDED)
		n += sizeof(struct request_event);
	else if (u->kind == UP_REACHED)
		n += u->n * sizeof(struct simulation_load);
	else if (u->kind == UP_STEP)
		n += sizeof(struct live_step);
	else if (u->kind == UP_BLOCKS)
		n += sizeof(struct block_change) +
		     (u->n + u->n % 2) * sizeof(uint32_t);
	return a->in.n - at < n ? 0 : n;
}

static void take_facts(struct live_arm *a, const char *from)
{
	memcpy(&a->facts, from, sizeof a->facts);
	a->load = calloc(a->facts.replicas, sizeof *a->load);
	a->last = calloc(a->facts.replicas, sizeof *a->last);
	a->has_facts = a->load != NULL && a->last != NULL;
}

static void take_ended(struct live *l, struct live_arm *a, int tells,
		       const char *from)
{
	struct request_event e;
	memcpy(&e, from, sizeof e);
	if ((unsigned)e.ending < sizeof a->ended / sizeof *a->ended)
		a->ended[e.ending]++;
	count_time(a, 0, e.ending == REQUEST_ENDED ? e.ttft_ns : -1);
	count_time(a, 1, e.ending == REQUEST_ENDED ? e.tpot_ns : -1);
	if (tells && l->to.ended)
		l->to.ended(l->to.ctx, &e);
}

/* Tells the listener what the first arm says. */
static void pass_on(const struct live *l, const struct up *u,
		    const char *behind)
{
	const struct live_listener *to = &l->to;
	struct block_change change;
	struct live_step step;
	if (u->kind == UP_ROUTED && to->routed)
		to->routed(to->ctx, u->row, u->n);
	else if (u->kind == UP_LOST && to->lost)
		to->lost(to->ctx, u->row);
	else if (u->kind == UP_TOKENS && to->tokens)
		to->tokens(to->ctx, u->row, u->n, u->ns);
	else if (u->kind == UP_RESET && to->reset)
		to->reset(to->ctx, (int)u->n);
	else if (u->kind == UP_STEP && to->step) {
		memcpy(&step, behind, sizeof step);
		to->step(to->ctx, (uint32_t)u->row, &step);
	} else if (u->kind == UP_BLOCKS && to->blocks) {
		memcpy(&change, behind, sizeof change);
		change.block = (const void *)(behind + sizeof change);
		to->blocks(to->ctx, (uint32_t)u->row, &change);
	}
}

/* Takes a message of an arm's child.  Only the first arm's events reach the
 * clients. */
static void take(struct live *l, struct live_arm *a, const struct up *u,
		 const char *behind)
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
		a->steps++;
		if (u->row < a->facts.replicas)
			memcpy(&a->last[u->row], behind, sizeof *a->last);
		if (tells)
			pass_on(l, u, behind);
		break;
	case UP_TOKENS:
		a->all.tokens += u->n;
		slot_of(a)->tokens += u->n; /* fall through */
	default:
		if (tells)
			pass_on(l, u, behind);
	}
}

/* Reads a piece.  Returns 1 if there may be more. */
static int read_piece(struct live_arm *a)
{
	enum { PIECE = 65536 };
	if (buffer_room(&a->in, PIECE) < 0)
		return 0;
	ssize_t got = read(a->is.fd, a->in.s + a->in.n, PIECE);
	if (got > 0)
		a->in.n += (size_t)got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(a->is.fd);
		a->is.fd = -1;
	}
	return got > 0 || (got < 0 && errno == EINTR);
}

static int read_arm(struct live *l, struct live_arm *a)
{
	int came = 0;
	while (a->is.fd >= 0 && read_piece(a)) {
		size_t at = 0, n;
		struct up u;
		came = 1;
		while ((n = whole(a, at, &u)) > 0) {
			take(l, a, &u, a->in.s + at + sizeof u);
			at += n;
		}
		buffer_drop(&a->in, at);
	}
	return came;
}

/* ---- writing ---- */

static void put(struct live_arm *a, const void *from, size_t n)
{
	if (a->is.fd >= 0 && !a->is.is_dead && n)
		buffer_add(&a->out, from, n);
}

static void write_arm(struct live_arm *a)
{
	size_t at = 0;
	while (a->is.fd >= 0 && at < a->out.n) {
		ssize_t got = write(a->is.fd, a->out.s + at, a->out.n - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		at += (size_t)got;
	}
	buffer_drop(&a->out, at);
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
		put(&l->arm[i], r->item, r->n_items * sizeof *r->item);
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
		if (l->arm[i].is.fd >= 0)
			at[n++] = (struct pollfd){
			    .fd = l->arm[i].is.fd,
			    .events = (short)(POLLIN |
					      (l->arm[i].out.n ? POLLOUT : 0))};
	poll(at, n, ms);
}

static int failed(const struct live *l, struct problem *p)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->arm[i].is.failure)
			return problem_set(p, l->arm[i].is.code, "%s",
					   l->arm[i].is.failure);
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

int live_write(const struct live *l, int steps, FILE *to)
{
	char block[8192];
	size_t n;
	for (size_t i = 0; i < l->n; i++) {
		const struct live_start *s = &l->arm[i].start;
		FILE *f = steps ? s->steps : s->requests;
		rewind(f);
		while ((n = fread(block, 1, sizeof block, f)) > 0)
			if (fwrite(block, 1, n, to) != n)
				return -1;
	}
	return 0;
}

static void close_file(FILE *f)
{
	if (f)
		fclose(f);
}

void live_close(struct live *l)
{
	struct problem p;
	children_close(&l->children, -1, &p);
	for (size_t i = 0; i < l->n; i++) {
		struct live_arm *a = &l->arm[i];
		arm_process_close(&a->is, &l->child[i]);
		close_file(a->start.requests);
		close_file(a->start.steps);
		buffer_free(&a->in), buffer_free(&a->out);
		free(a->load), free(a->last);
	}
}
