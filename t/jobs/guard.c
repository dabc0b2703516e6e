/* The guard passes answers from the plugin to the engine.  It catches each
 * write to a wrong place, and names the step. */
#include "jobs/guard.h"
#include "in_child.h"

/* ---- a plugin that writes where the test tells it to ---- */

enum deed {
	GOOD,
	PAST_RESULT, /* right behind it                                      */
	FAR_PAST,    /* where only a closer look sees it                     */
	OVER_STEP,   /* over the step that it was given                      */
	OVER_CTX,    /* over a column of that step                           */
	OVER_NOTE,   /* over the host's note of the question                 */
	OVER_KERNELS,
	OVER_HAS_STEP,
	OVER_N_STEPS,
	OVER_PREFILL, /* over a column of a step's prompts                   */
	EVERYWHERE,   /* past the result, over the step and its column       */
	FAILS,
	SAYS_NAN,
};
static enum deed deed;
static unsigned at_step; /* it happens there; other steps are good          */
static unsigned n_evals, n_batches, n_kernels, n_destroyed;
static struct job_status status;
static struct watch w;

/* The same of a step and of a kernel. */
static void do_to_note(void)
{
	if (deed == OVER_KERNELS)
		status.n_kernels = 99;
	if (deed == OVER_HAS_STEP)
		status.has_step = !status.has_step;
	if (deed == OVER_N_STEPS)
		status.n_steps = 99;
}

static void do_it(const sc_step *step, sc_result *out)
{
	unsigned char *behind = (unsigned char *)(out + 1);
	out->total_us = 10 + (double)step->step_index;
	if (step->step_index != at_step)
		return;
	if (deed == PAST_RESULT)
		behind[8] = 0;
	if (deed == EVERYWHERE)
		behind[0] = 0;
	if (deed == FAR_PAST)
		behind[COST_SLACK_BYTES - 1] = 0;
	if (deed == OVER_STEP || deed == EVERYWHERE)
		((sc_step *)(uintptr_t)step)->n_sampled = 99;
	if (deed == OVER_CTX || deed == EVERYWHERE)
		((uint32_t *)(uintptr_t)step->decode_ctx)[3]++;
	if (deed == OVER_NOTE)
		status.step.n_decode = 99;
	if (deed == OVER_PREFILL)
		((uint32_t *)(uintptr_t)step->prefill_new)[2]++;
	if (deed == SAYS_NAN)
		out->total_us = NAN;
	do_to_note();
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	(void)inst;
	n_evals++;
	do_it(step, out);
	if (deed == FAILS)
		snprintf(err->text, sizeof err->text, "no such step");
	return deed == FAILS ? SC_EINVAL : SC_OK;
}

static int32_t eval_batch(void *inst, uint32_t n, const sc_step *const *step,
			  sc_result *const *out, uint32_t *n_done,
			  sc_error *err)
{
	(void)inst, (void)err;
	n_batches++;
	for (*n_done = 0; *n_done < n; ++*n_done)
		do_it(step[*n_done], out[*n_done]);
	return SC_OK;
}

static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	(void)inst, (void)err;
	n_kernels++;
	out->latency_us = (double)k->m;
	do_to_note();
	return SC_OK;
}

static void destroy(void *inst)
{
	(void)inst;
	n_destroyed++;
}

static sc_plugin plugin = {.size = sizeof plugin,
			   .abi_major = SC_ABI_MAJOR,
			   .abi_minor = SC_ABI_MINOR,
			   .name = "model",
			   .destroy = destroy,
			   .eval = eval,
			   .eval_batch = eval_batch,
			   .kernel = kernel};

/* ---- the host ---- */

static struct cost c;
static struct guard g;
static struct problem p;
static uint32_t ctx[4] = {64, 64, 64, 64};

static void install(enum deed what, unsigned step)
{
	deed = what, at_step = step;
	n_evals = n_batches = n_kernels = n_destroyed = 0;
	p = (struct problem){0};
	memset(&status, 0, sizeof status);
	c = (struct cost){.p = &plugin};
	if (watch_open(&w, &status, 0, NULL, 0, &p) < 0 ||
	    guard_install(&g, &c, &w, &p) < 0)
		bail_out(p.text);
}

static void remove_it(void)
{
	cost_destroy(&c);
	guard_free(&g);
	watch_close(&w);
}

static sc_step step_at(uint64_t index)
{
	return (sc_step){.size = sizeof(sc_step),
			 .step_index = index,
			 .n_decode = 4,
			 .n_sampled = 4,
			 .decode_ctx = ctx};
}

static double price(uint64_t index)
{
	sc_step s = step_at(index);
	const sc_result *r = cost_eval(&c, &s, &p);
	return r ? r->total_us : -1;
}

static void sound(void)
{
	uint64_t at;
	install(GOOD, 0);
	ok(price(5) == 15 && price(6) == 16, "answers pass");
	ok(status.has_step && status.n_steps == 1 &&
	       status.step.step_index == 6 && status.step.decode_ctx == ctx,
	   "the last question is noted");
	is(status_plugin(&status), "model", "with the plugin");
	ok(status_is_sound(&status, &at) && status_place(at) == JOB_IN_HOST,
	   "and that it came back");
	ok(g.n_calls == 2 && n_evals == 2, "both calls are counted");
	sc_kernel k = {.size = sizeof k, .op = SC_OP_GEMM, .m = 7};
	const sc_kernel_result *r = cost_kernel(&c, &k, &p);
	ok(r && r->latency_us == 7, "a kernel's answer passes");
	ok(!status.has_step && status.n_kernels == 1,
	   "its question is a kernel and no step");
	remove_it();
	ok(n_destroyed == 1, "the instance is destroyed");
	ok(!g.page, "and the guard has no memory");
}

static void caught(enum deed what, const char *want)
{
	install(what, 3);
	ok(price(2) == 12 && price(3) == -1, "%s: the step is refused", want);
	ok(w.violation.code == EXIT_PLUGIN && strstr(w.violation.text, want) &&
	       strstr(p.text, want) && p.code == EXIT_PLUGIN,
	   "%s: %s", want, p.text);
	ok(status.has_step && status.step.step_index == 3 &&
	       status.step.n_decode == 4 && status.step.n_sampled == 4,
	   "the note says what was asked");
	unsigned before = n_evals;
	ok(price(4) == -1 && n_evals == before,
	   "from then on nothing of it is called");
	remove_it();
	ok(n_destroyed == 0, "nor destroy()");
}

static void failed(void)
{
	install(FAILS, 0);
	ok(price(1) == -1 && w.violation.code == EXIT_DONE &&
	       strstr(p.text, "no such step"),
	   "an error of the plugin's own is no violation: %s", p.text);
	remove_it();
	ok(n_destroyed == 1, "and it is destroyed");
	install(SAYS_NAN, 1);
	ok(price(1) == -1 && w.violation.code == EXIT_DONE &&
	       strstr(p.text, "nan"),
	   "nor is an answer that is none: %s", p.text);
	remove_it();
}

/* All of the room behind a result is looked at each 64th call. */
static void now_and_then(void)
{
	install(FAR_PAST, 3);
	unsigned n = 0;
	for (uint64_t i = 0; i < 200 && w.violation.code == EXIT_DONE; i++)
		n += price(i) > 0;
	ok(n == 63 && strstr(w.violation.text, "past the end of the result"),
	   "far behind a result: at call %u", n + 1);
	remove_it();
	plugin.abi_minor = SC_ABI_MINOR + 1;
	install(PAST_RESULT, 3);
	ok(price(3) == 13 && w.violation.code == EXIT_DONE,
	   "a newer plugin may know fields that are not known here");
	remove_it();
	plugin.abi_minor = SC_ABI_MINOR;
}

/* The columns of prompts are the engine's, too. */
static void prompts(void)
{
	uint32_t tokens[5] = {10, 20, 30, 40, 50};
	install(OVER_PREFILL, 3);
	sc_step s = step_at(3);
	s.n_prefill = 5;
	s.prefill_new = s.prefill_ctx = tokens;
	ok(!cost_eval(&c, &s, &p) && tokens[2] == 31 &&
	       strstr(p.text, "columns of a step"),
	   "a prompt's column: %s", p.text);
	remove_it();
}

/* Columns are compared in the first 256 calls, and then in each 128th. */
static void columns(void)
{
	unsigned n = 0;
	install(OVER_CTX, 255);
	for (uint64_t i = 0; i < 300 && w.violation.code == EXIT_DONE; i++)
		n += price(i) > 0;
	ok(n == 255 && strstr(w.violation.text, "columns of a step"),
	   "in call %u", n + 1);
	remove_it();
	for (unsigned at = 364; at <= 384; at += 20) {
		install(OVER_CTX, at);
		for (uint64_t i = 0; i < 400; i++)
			price(i);
		ok((w.violation.code != EXIT_DONE) == (at == 384),
		   "a single time, in call %u", at + 1);
		remove_it();
	}
}

/* Prices steps 10 to 13 in one call; how many have an answer. */
static uint32_t price_four(void)
{
	static sc_step step[4];
	const sc_step *list[4];
	for (uint32_t i = 0; i < 4; i++) {
		step[i] = step_at(10 + i);
		list[i] = &step[i];
	}
	c.n_asked = COST_ONE_BY_ONE;
	return cost_eval_batch(&c, 4, list);
}

static void together(void)
{
	install(GOOD, 0);
	ok(price_four() == 4 && n_batches == 1, "four steps in one call");
	ok(c.answers_end[-4].is.total_us == 20 &&
	       c.answers_end[-1].is.total_us == 23,
	   "in order before the end of the answers");
	ok(status.n_steps == 4 && status.step.step_index == 10,
	   "the note has the first and how many");
	remove_it();
	install(PAST_RESULT, 12);
	price_four();
	ok(w.violation.code == EXIT_PLUGIN && status.n_steps == 1 &&
	       status.step.step_index == 12,
	   "behind a result: that step is to blame");
	ok(price_four() == 0 && n_batches == 1,
	   "from then on no step has an answer");
	remove_it();
	install(OVER_STEP, 12);
	price_four();
	ok(w.violation.code == EXIT_PLUGIN && status.n_steps == 4 &&
	       status.step.step_index == 10 && status.step.n_sampled == 4,
	   "over a step: any of the four may be");
	remove_it();
}

static void kernels(void)
{
	sc_kernel k = {.size = sizeof k, .op = SC_OP_GEMM, .m = 7};
	for (int i = OVER_KERNELS; i <= OVER_N_STEPS; i++) {
		install((enum deed)i, 0);
		ok(!cost_kernel(&c, &k, &p) && status.n_kernels == 1 &&
		       strstr(p.text, "wrote over memory of the host"),
		   "a kernel: %s", p.text);
		remove_it();
	}
	plugin.kernel = NULL, plugin.eval_batch = NULL;
	install(GOOD, 0);
	ok(!c.p->kernel && !c.p->eval_batch,
	   "what the plugin lacks, its guard lacks");
	remove_it();
	plugin.kernel = kernel, plugin.eval_batch = eval_batch;
}

static const char *beyond(void *user)
{
	(void)user;
	((volatile unsigned char *)c.answers_end)[0] = 1;
	return "written";
}

static const char *before_it(void *user)
{
	(void)user;
	((volatile unsigned char *)c.answers_end)[-1] = 1;
	return "written";
}

int main(void)
{
	sound();
	caught(PAST_RESULT, "wrote past the end of the result");
	caught(OVER_STEP, "wrote over memory of the host");
	caught(OVER_NOTE, "wrote over memory of the host");
	caught(OVER_KERNELS, "wrote over memory of the host");
	caught(OVER_HAS_STEP, "wrote over memory of the host");
	caught(OVER_N_STEPS, "wrote over memory of the host");
	caught(EVERYWHERE, "wrote past the end of the result");
	prompts();
	caught(OVER_CTX, "wrote over the columns of a step");
	columns();
	failed();
	now_and_then();
	together();
	kernels();
	install(GOOD, 0);
	is(in_child(before_it, NULL), "written", "memory for answers");
	is(in_child(beyond, NULL), "ended", "and beyond is none");
	remove_it();
	return done();
}
