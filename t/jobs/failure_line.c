/* The one line about a job: the arm, what, and the question. */
#include "jobs/failure_line.h"
#include "tap.h"

/* decode lies behind a number that is of no range. */
static uint32_t around[5] = {0, 81, 81, 81, 7};
static uint32_t *const decode = around + 1;
enum { DECODE_BYTES = 4 * sizeof *around };
static uint32_t prefill_new[1] = {513}, prefill_ctx[1] = {0};
static struct job_status status;
static struct problem what = {EXIT_PLUGIN, "faulty: it crashed"};

static void fresh(enum job_place place)
{
	status = (struct job_status){
	    .has_step = 1,
	    .n_steps = 1,
	    .step = {.size = sizeof(sc_step),
		     .step_index = 17,
		     .n_decode = 4,
		     .n_prefill = 1,
		     .n_sampled = 5,
		     .decode_ctx = decode,
		     .prefill_new = prefill_new,
		     .prefill_ctx = prefill_ctx},
	};
	status_move(&status, 0, place);
	what.code = EXIT_PLUGIN;
}

static const char *line(const char *name, const struct memory_range *range,
			size_t n)
{
	static char *text;
	free(text);
	text = failure_line(name, &what, &status, range, n);
	if (!text)
		bail_out("out of memory");
	return text;
}

static void questions(void)
{
	fresh(JOB_IN_EVAL);
	is(line("x", NULL, 0),
	   "arm x: faulty: it crashed at step 17; "
	   "step,decode,prefill,sampled: 17,81x3;7,0:513,5",
	   "a step, with its arm");
	is(line(NULL, NULL, 0),
	   "faulty: it crashed at step 17; "
	   "step,decode,prefill,sampled: 17,81x3;7,0:513,5",
	   "without an arm");
	status.n_steps = 3;
	is(line("x", NULL, 0),
	   "arm x: faulty: it crashed at one of 3 steps from 17 on; "
	   "step,decode,prefill,sampled: 17,81x3;7,0:513,5",
	   "one of several steps");
	fresh(JOB_IN_KERNEL);
	status.has_step = 0, status.n_kernels = 8;
	is(line("x", NULL, 0), "arm x: faulty: it crashed at kernel 8",
	   "a kernel");
	fresh(JOB_IN_HOST);
	ok(strstr(line("x", NULL, 0), "at step 17"),
	   "the host found it: the step is the last one");
}

static void none(void)
{
	static const enum job_place place[] = {JOB_IN_LOAD, JOB_IN_CREATE,
					       JOB_IN_DESTROY, JOB_IN_UNLOAD};
	for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
		fresh(place[i]);
		is(line("x", NULL, 0), "arm x: faulty: it crashed",
		   "no step is to blame%s", status_place_text(place[i]));
	}
	fresh(JOB_IN_EVAL);
	status.has_step = 0;
	is(line("x", NULL, 0), "arm x: faulty: it crashed",
	   "before the first step");
	fresh(JOB_IN_EVAL);
	what.code = EXIT_INPUT;
	is(line("x", NULL, 0), "arm x: faulty: it crashed",
	   "no plugin is to blame");
	status.failed_step = 1;
	ok(strstr(line("x", NULL, 0), "at step 17"),
	   "but for one that is about the step");
	fresh(JOB_IN_EVAL);
	status.check = status.at;
	is(line("x", NULL, 0), "arm x: faulty: it crashed",
	   "somebody wrote over the status");
}

/* Columns are read where they can be. */
static void ranges(void)
{
	static const char without[] = "arm x: faulty: it crashed at step 17";
	struct memory_range in[] = {{decode, DECODE_BYTES},
				    {prefill_new, sizeof prefill_new},
				    {prefill_ctx, sizeof prefill_ctx}};
	fresh(JOB_IN_EVAL);
	ok(strstr(line("x", in, 3), "17,81x3;7,0:513,5"),
	   "all columns lie where they may");
	is(line("x", in, 2), without, "one lies nowhere");
	in[0].bytes--;
	is(line("x", in, 3), without, "one ends a byte too late");
	in[0].bytes++;
	status.step.decode_ctx = around;
	is(line("x", in, 3), without, "one begins before its range");
	status.step.decode_ctx = decode;
	status.step.n_decode = UINT32_MAX;
	is(line("x", in, 3), without, "one is longer than all memory");
	status.step.decode_ctx = NULL, status.step.n_decode = 0;
	ok(strstr(line("x", in, 3), "17,,0:513,5"),
	   "one that is empty lies anywhere");
}

int main(void)
{
	questions();
	none();
	ranges();
	return done();
}
