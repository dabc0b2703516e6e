/* Children have only the files that are theirs.  All processes that they
 * started end with them, and one line says how each ended. */
#include "jobs/child.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include "base/clock.h"
#include "jobs/queued.h"
#include "busy.h"
#include "sanitized.h"

/* Both see it. */
struct board {
	struct job_status status[2];
	_Atomic pid_t left;
	_Atomic int n, group_is_own, input_is_empty, kept, closed;
};
static struct board *board;
static struct child child[2];
static struct children all;
static unsigned n_ended;
static struct problem p;

static void ended(void *user, struct child *k)
{
	(void)user, (void)k;
	n_ended++;
}

static void open_all(double answer_limit_s)
{
	memset(child, 0, sizeof child);
	memset(board, 0, sizeof *board);
	p = (struct problem){0};
	n_ended = 0;
	for (int i = 0; i < 2; i++) {
		status_begin(&board->status[i]);
		child[i].status = &board->status[i];
		child[i].plugin = "model";
	}
	all = (struct children){.child = child,
				.n = 2,
				.answer_limit_s = answer_limit_s,
				.memory_limit_gib = 0.125,
				.ended = ended};
	if (children_open(&all, &p) < 0)
		bail_out(p.text);
}

/* Until all have ended, for ten seconds at most. */
static int wait_all(void)
{
	int64_t end = clock_now_ns() + INT64_C(10000000000);
	int rc = 0;
	while (rc == 0 && children_busy(&all) && clock_now_ns() < end) {
		rc = children_wait(&all, 10000000, &p);
		children_look(&all);
	}
	return rc;
}

static void close_all(void)
{
	children_close(&all, 0, &p);
	for (int i = 0; i < 2; i++) {
		free(child[i].said.text);
		child[i].said.text = NULL;
	}
}

/* How a child that does that ends. */
static const char *end_of(child_fn run, double answer_limit_s)
{
	static char text[1100];
	open_all(answer_limit_s);
	if (child_start(&all, &child[0], run, NULL, &p) < 0)
		bail_out(p.text);
	int rc = wait_all();
	if (rc < 0 || child[0].pid || child[0].clean)
		snprintf(text, sizeof text, "%s",
			 rc < 0         ? p.text
			 : child[0].pid ? "it did not end"
					: "clean");
	else
		snprintf(text, sizeof text, "%d %s", child[0].end.code,
			 child[0].end.text);
	close_all();
	return text;
}

/* ---- what children do ---- */

static void enter_eval(void)
{
	status_move(&board->status[0], 0, JOB_IN_EVAL);
	snprintf(board->status[0].plugin, sizeof board->status[0].plugin,
		 "noted");
}
static void nothing(void *user)
{
	(void)user;
}
static void crash(void *user)
{
	(void)user;
	enter_eval();
	raise(SIGSEGV);
}
static void leave(void *user)
{
	(void)user;
	_exit(3);
}
static void hang(void *user)
{
	(void)user;
	enter_eval();
	for (;;)
		pause();
}
static void think(void *user)
{
	static const struct timespec moment = {.tv_nsec = 150000000};
	(void)user;
	nanosleep(&moment, NULL);
}
/* Each call is short; together they are longer than one may be. */
static void work(void *user)
{
	static const struct timespec moment = {.tv_nsec = 5000000};
	uint64_t at = 0;
	(void)user;
	for (int i = 0; i < 60; i++) {
		at = status_move(&board->status[0], at, JOB_IN_EVAL);
		nanosleep(&moment, NULL);
		at = status_move(&board->status[0], at, JOB_IN_HOST);
	}
}
/* A call of 0.1 s, on a processor that computes for eight others as well. */
static void share(void *user)
{
	pid_t other[8];
	(void)user;
	on_one_processor();
	for (int i = 0; i < 8; i++)
		other[i] = busy_process();
	uint64_t at = status_move(&board->status[0], 0, JOB_IN_EVAL);
	compute_for_ns(100000000);
	status_move(&board->status[0], at, JOB_IN_HOST);
	for (int i = 0; i < 8; i++) {
		kill(other[i], SIGKILL);
		in_child_code(other[i]);
	}
}
static void stop(void *user)
{
	(void)user;
	raise(SIGSTOP);
}
static void scribble(void *user)
{
	(void)user;
	memset((void *)&board->status[0], 0x41, sizeof board->status[0]);
	raise(SIGABRT);
}
static void grow(void *user)
{
	(void)user;
	enter_eval();
	for (char *at; (at = malloc(1 << 20)) != NULL;)
		memset(at, 1, 1 << 20);
	raise(SIGSEGV);
}
static void send(void *user)
{
	(void)user;
	enter_eval();
	kill(getppid(), SIGTERM);
	for (;;)
		pause();
}

static void ends(void)
{
	is(end_of(nothing, 0), "clean", "one that does what it should");
	is(end_of(crash, 0),
	   "4 noted: killed by SIGSEGV (bad memory access, or the stack "
	   "overflowed) in eval()",
	   "a crash");
	is(end_of(leave, 0), "2 stepcost: ended the process with exit(3)",
	   "one that leaves before a plugin is loaded");
	is(end_of(hang, 0.1), "4 noted: no answer within 0.1 s in eval()",
	   "one call for too long");
	is(end_of(think, 0.05), "clean", "the host may take its time");
	is(end_of(work, 0.2), "clean", "and so may many calls");
	if (queued_ns(0) > 0)
		is(end_of(share, 0.4), "clean",
		   "waiting for a processor takes no time of a call");
	is(end_of(stop, 0), "2 stepcost: stopped the process by SIGSTOP",
	   "one that stops");
	is(end_of(scribble, 0),
	   "4 model: killed by SIGABRT (abort), after it wrote over memory of "
	   "the host",
	   "one that wrote over its status");
	is(end_of(send, 0), "4 noted: sent SIGTERM to the host in eval()",
	   "a signal of a child's ends that child");
	if (LIMITED)
		is(end_of(grow, 0),
		   "4 noted: memory limit of 0.125 GiB reached in eval()",
		   "one that grows");
}

/* ---- what they are given ---- */

static void look_around(void *user)
{
	const int *fd = user;
	char c;
	board->group_is_own = getpgrp() == getpid();
	board->input_is_empty = read(STDIN_FILENO, &c, 1) == 0;
	board->kept = fcntl(fd[0], F_GETFD) >= 0;
	board->closed = fcntl(fd[1], F_GETFD) < 0;
	fputs("warning\n", stderr);
	fflush(stderr);
}

/* A pipe with something to read takes the place of standard input, which is
 * returned. */
static int full_input(void)
{
	int fd[2], before = dup(STDIN_FILENO);
	if (pipe(fd) < 0 || write(fd[1], "x", 1) != 1 ||
	    dup2(fd[0], STDIN_FILENO) < 0)
		bail_out("pipe");
	close(fd[0]), close(fd[1]);
	return before;
}

static void equipment(void)
{
	int fd[2], input = full_input();
	if (pipe(fd) < 0)
		bail_out("pipe");
	open_all(0);
	child[0].keep = &fd[0], child[0].n_keep = 1;
	ok(children_free_one(&all) == &child[0] && !children_busy(&all),
	   "none runs");
	ok(child_start(&all, &child[0], look_around, fd, &p) == 0, "one does");
	ok(children_busy(&all) && child[0].pid > 0 &&
	       children_free_one(&all) == &child[1],
	   "the other is free");
	wait_all();
	ok(n_ended == 1 && child[0].pid == 0 && child[0].clean,
	   "it has ended, which is told once");
	ok(board->kept && board->closed, "it has the files of its own alone");
	ok(board->group_is_own, "a process group of its own");
	ok(board->input_is_empty, "and nothing to read, whatever waits there");
	is(child[0].said.text, "warning\n", "what it said is kept");
	close_all();
	close(fd[0]), close(fd[1]);
	dup2(input, STDIN_FILENO);
	close(input);
}

/* ---- what they leave behind ---- */

static void leave_process(void *user)
{
	pid_t pid = fork();
	(void)user;
	if (pid == 0) {
		setsid();
		for (;;)
			pause();
	}
	board->left = pid;
}

static void behind(void)
{
	open_all(0);
	child_start(&all, &child[0], leave_process, NULL, &p);
	wait_all();
	ok(child[0].clean && board->left > 0 && kill(board->left, 0) < 0,
	   "what it started ends with it");
	close_all();
	open_all(0);
	child_start(&all, &child[0], hang, NULL, &p);
	child_start(&all, &child[1], hang, NULL, &p);
	pid_t first = child[0].pid, second = child[1].pid;
	child_stop(&all, &child[0]);
	ok(!child[0].pid && kill(first, 0) < 0 && n_ended == 0,
	   "one that is stopped is gone, and nobody is told");
	ok(kill(second, 0) == 0, "the other goes on");
	close_all();
	ok(kill(second, 0) < 0, "closing ends those that still run");
}

/* A parent that is killed takes its children along. */
static void with_parent(void)
{
	memset(board, 0, sizeof *board);
	pid_t pid = fork();
	if (pid == 0) {
		open_all(0);
		if (child_start(&all, &child[0], hang, NULL, &p) == 0)
			board->left = child[0].pid;
		for (;;)
			pause();
	}
	while (!board->left || board->status[0].at == 0)
		usleep(1000);
	kill(pid, SIGKILL);
	in_child_code(pid);
	int gone = 0;
	for (int i = 0; i < 2000 && !gone; i++) {
		gone = kill(board->left, 0) < 0 ||
		       orphans_parent_of(board->left) == 0;
		usleep(1000);
	}
	ok(gone, "children end with their parent");
}

/* A sigset_t has room for more signals than the system fills in. */
static int same_signals(const sigset_t *a, const sigset_t *b)
{
	int same = 1;
	for (int s = 1; s <= SIGRTMAX; s++)
		same = same && sigismember(a, s) == sigismember(b, s);
	return same;
}

/* The user's signal ends it all, with the mask as it was. */
static void interrupted(void)
{
	sigset_t before, after;
	sigprocmask(SIG_BLOCK, NULL, &before);
	open_all(0);
	child_start(&all, &child[0], hang, NULL, &p);
	pid_t outsider = getpid();
	kill(outsider, SIGINT);
	ok(children_wait(&all, 1000000, &p) < 0 && p.code == 128 + SIGINT,
	   "a signal from elsewhere ends it all");
	ok(all.interrupted == SIGINT, "which one is told");
	ok(children_close(&all, -1, &p) < 0, "closed");
	free(child[0].said.text);
	sigprocmask(SIG_BLOCK, NULL, &after);
	ok(same_signals(&before, &after),
	   "and signals are as they were before");
}

int main(void)
{
	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		bail_out("mmap");
	ends();
	equipment();
	behind();
	with_parent();
	interrupted();
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	   "no child is left");
	return done();
}
