/* A job hands its answer to its parent in shared memory: whole, or not at
 * all. */
#include "jobs/slot.h"
#include <sys/mman.h>
#include "in_child.h"

struct result {
	int value;
	char text[5000];
};
static const struct jobs_options options = {
    .shared_bytes = sizeof(struct result), .live_bytes = 100};
enum { JOBS = 3, MINE = 1 };

/* What a job does, and how its answer is changed afterwards. */
struct course {
	int seals; /* it comes to its end               */
	int code;  /* of its problem                    */
	void (*then)(const struct job *j); /* in the job, sealed             */
	void (*instead)(const struct job *j); /* before it answers           */
};

static struct jobs all;
static struct job job[JOBS];

static void open_all(void)
{
	struct problem p;
	memset(job, 0, sizeof job);
	all = (struct jobs){.job = job, .n = JOBS};
	job[MINE].wanted_streams = 1 | 1 << 5;
	if (slots_map(&all, &options, &p) < 0)
		bail_out(p.text);
	for (size_t i = 0; i < JOBS; i++)
		if (slot_equip(&all, i, &options, &p) < 0)
			bail_out(p.text);
}

static void close_all(void)
{
	for (size_t i = 0; i < JOBS; i++)
		for (int k = 0; k < JOB_STREAMS; k++)
			if (job[i].stream[k])
				fclose(job[i].stream[k]);
	munmap(all.region, all.region_bytes);
}

/* The job: both streams, a result, a problem. */
static const char *answers(void *user)
{
	const struct course *c = user;
	struct job mine = job[MINE];
	slot_hide_others(&all, &job[MINE]);
	struct answer *a = slot_begin(&mine, &options);
	if (!a)
		return "nothing began";
	if (c->instead)
		c->instead(&mine);
	((struct result *)mine.shared)->value = 42;
	((struct result *)mine.shared)->text[4999] = 'z';
	fprintf(mine.stream[0], "first\nsecond\n");
	fputc('\0', mine.stream[5]);
	fclose(mine.stream[0]), fclose(mine.stream[5]);
	if (c->code)
		problem_set(mine.problem, c->code, "as it says");
	if (c->seals)
		slot_seal(&job[MINE], a, &options);
	if (c->then)
		c->then(&job[MINE]);
	return "done";
}

static enum slot_answer take(const struct course *c)
{
	struct course copy = *c;
	open_all();
	is(in_child(answers, &copy), "done", "the job ends");
	return slot_take_answer(&job[MINE], &options);
}

static const char *content(FILE *f)
{
	static char text[100];
	rewind(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	return text;
}

static int is_empty(const struct job *j)
{
	static const struct result none;
	fseek(j->stream[5], 0, SEEK_END);
	return j->problem->code == EXIT_DONE && !*j->problem->text &&
	       !memcmp(j->shared, &none, sizeof none) &&
	       !*content(j->stream[0]) && ftell(j->stream[5]) == 0;
}

static void answered(void)
{
	const struct course c = {.seals = 1, .code = EXIT_USAGE};
	ok(take(&c) == SLOT_ANSWERED, "a sealed answer is one");
	const struct result *r = job[MINE].shared;
	ok(r->value == 42 && r->text[4999] == 'z', "with all of its result");
	ok(job[MINE].problem->code == EXIT_USAGE &&
	       !strcmp(job[MINE].problem->text, "as it says"),
	   "its problem");
	is(content(job[MINE].stream[0]), "first\nsecond\n", "its stream");
	fseek(job[MINE].stream[5], 0, SEEK_END);
	ok(ftell(job[MINE].stream[5]) == 1, "and the other one");
	ok(!job[MINE].stream[1], "one that is not wanted there is not");
	close_all();
}

static void unsealed(void)
{
	const struct course c = {.code = EXIT_USAGE};
	ok(take(&c) == SLOT_EMPTY, "without a seal there is none");
	ok(is_empty(&job[MINE]), "and nothing of it is seen");
	close_all();
}

/* Changes one byte of the answer. */
static void flip(const struct job *j)
{
	((unsigned char *)j->shared)[4000] ^= 1;
}
static void append(const struct job *j)
{
	if (pwrite(fileno(j->stream[0]), "more", 4, 13) != 4)
		_exit(1);
}
static void overwrite(const struct job *j)
{
	if (pwrite(fileno(j->stream[0]), "F", 1, 0) != 1)
		_exit(1);
}
static void cut(const struct job *j)
{
	if (ftruncate(fileno(j->stream[5]), 0) < 0)
		_exit(1);
}

static void spoilt(void)
{
	static const struct {
		const char *what;
		void (*how)(const struct job *j);
	} way[] = {{"a byte of the result is another", flip},
		   {"somebody wrote behind a stream", append},
		   {"or over it", overwrite},
		   {"or cut it off", cut}};
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		const struct course c = {.seals = 1, .then = way[i].how};
		ok(take(&c) == SLOT_SPOILT, "%s", way[i].what);
		ok(is_empty(&job[MINE]), "and nothing of it is seen");
		close_all();
	}
}

/* The job has seen by itself that its plugin is to blame, or that a stream is
 * cut because it could not be written. */
static void blamed(void)
{
	static const struct course way[] = {
	    {.seals = 1, .code = EXIT_PLUGIN, .then = append},
	    {.seals = 1, .code = EXIT_USAGE, .then = cut}};
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		ok(take(&way[i]) == SLOT_ANSWERED, "a stream that is wrong");
		is(job[MINE].problem->text, "as it says", "is told of");
		is(content(job[MINE].stream[0]), "", "and is empty");
		close_all();
	}
}

/* A copy of the job that ends with exit() does not write twice. */
static void fork_and_exit(const struct job *j)
{
	fputs("first\n", j->stream[0]);
	pid_t pid = fork();
	if (pid == 0)
		exit(0);
	in_child_code(pid);
	fseek(j->stream[0], 0, SEEK_SET);
}

static void forked(void)
{
	const struct course c = {.seals = 1, .instead = fork_and_exit};
	ok(take(&c) == SLOT_ANSWERED, "a job that had a copy");
	is(content(job[MINE].stream[0]), "first\nfirst\nsecond\n",
	   "writes once what it wrote before");
	close_all();
}

static const char *looks_at(void *user)
{
	const struct job *other = user;
	slot_hide_others(&all, &job[MINE]);
	return *(volatile char *)other->shared == 0 ? "seen" : "wrong";
}

static void hidden(void)
{
	open_all();
	is(in_child(looks_at, &job[MINE]), "seen", "a job sees its own slot");
	is(in_child(looks_at, &job[0]), "ended", "not the one before");
	is(in_child(looks_at, &job[2]), "ended", "nor the one behind");
	close_all();
}

static void apart(void)
{
	open_all();
	memset(job[0].shared, 0xff, options.shared_bytes);
	memset(job[0].live, 0xff, options.live_bytes);
	ok(is_empty(&job[MINE]), "slots do not overlap");
	ok(((unsigned char *)job[MINE].live)[0] == 0 &&
	       ((unsigned char *)job[MINE].live)[99] == 0,
	   "nor does what is live");
	uint64_t at;
	ok(status_is_sound(job[2].status, &at) &&
	       status_place(at) == JOB_IN_HOST,
	   "a status begins in the host");
	close_all();
}

int main(void)
{
	answered();
	unsealed();
	spoilt();
	blamed();
	forked();
	hidden();
	apart();
	return done();
}
