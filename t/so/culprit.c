/* A cost model with one fault, named by its knob `fault`.  It comes at
 * step `at_step`, or with a decode of `at_kv` tokens or more.  A preset for
 * each fault: at any step with 1000 tokens in it. */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

/* clang-format off */
#define FAULTS(F) \
	F(none) F(segv) F(fpe) F(bus) F(ill) F(abort) F(exit) F(quick_exit) \
	F(hang) F(sleep) F(memory) F(stack) F(close) F(overrun) F(overrun_far) \
	F(print) F(write) F(print_error) F(chdir) F(nan) F(inf) F(negative) \
	F(zero) F(fork) F(rounding) F(flush_to_zero) F(trap_fpe) F(longjmp) \
	F(kill_parent) F(kill_group) F(stop) F(alarm) F(mask_signals) \
	F(ignore_and_hang) F(detach) F(lower_limits) F(error_code) \
	F(error_text) F(smash_stack) F(unmap_text) F(create_fails) \
	F(create_segv) F(create_hangs) F(create_prints) F(destroy_segv) \
	F(destroy_hangs) F(leak) F(leak_file) F(allocate) F(clock) F(remember) \
	F(order) F(falls) F(batch) F(negative_part) F(host_us) F(fork_exit) \
	F(batch_of_one) F(told_sum) \
	F(told_sum_refused) F(told_sum_batch) F(lookup_us) F(logs_much) F(writes_ctx)
/* clang-format on */

enum fault {
#define F(name) FAULT_##name,
	FAULTS(F)
#undef F
};
static const char *const faults[] = {
#define F(name) #name,
    FAULTS(F)
#undef F
	NULL};

struct knobs {
	int64_t fault, at_step, at_kv;
};
struct inst {
	struct knobs k;
	double extra;
};

static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, fault, "none", faults, "What it does wrong."),
    SC_INT(struct knobs, at_step, "-1", -1, 1e9, "1", "At this step."),
    SC_INT(struct knobs, at_kv, "-1", -1, 1e9, "1", "From this context on."),
};

#define F(name)                                                                \
	static const char *const values_##name[] = {"fault", #name, "at_kv",   \
						    "1000", NULL};             \
	static const sc_preset preset_##name = {sizeof(sc_preset), 0, #name,   \
						"a fault", values_##name};
FAULTS(F)
#undef F
static const sc_preset *const presets[] = {
#define F(name) &preset_##name,
    FAULTS(F)
#undef F
};

static volatile char *volatile nowhere;
static volatile int zero;

__attribute__((noinline)) static int deeper(volatile char *above)
{
	volatile char here[4096];
	here[0] = above ? above[0] : 0;
	return zero == 12345 ? 0 : deeper(here) + here[0];
}

static void hang(void)
{
	for (;;)
		zero = 0;
}

static void deaf(void)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	signal(SIGTERM, SIG_IGN);
}

static void detach(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
}

static void jump(void)
{
	static jmp_buf nobody;
	memset(&nobody, 0x5a, sizeof nobody);
	longjmp(nobody, 1);
}

__attribute__((noinline)) static void smash(void)
{
	volatile char here[16];
	volatile char *at = here;
	for (int i = 0; i < 4096; i++)
		at[i] = 0x5a;
}

static void modes(enum fault f)
{
	if (f == FAULT_rounding)
		fesetround(FE_UPWARD);
	if (f == FAULT_trap_fpe)
		feenableexcept(FE_INVALID | FE_DIVBYZERO);
#ifdef __SSE2__
	if (f == FAULT_flush_to_zero)
		__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}

/* What ends, hangs or disturbs the process. */
static void attack(enum fault f)
{
	static const struct timespec long_time = {.tv_sec = 1000000};
	if (f == FAULT_segv)
		*nowhere = 1;
	else if (f == FAULT_fpe)
		zero = 7 / zero;
	else if (f == FAULT_bus)
		raise(SIGBUS);
	else if (f == FAULT_ill)
		__builtin_trap();
	else if (f == FAULT_abort)
		abort();
	else if (f == FAULT_exit)
		exit(0);
	else if (f == FAULT_quick_exit)
		_exit(7);
	else if (f == FAULT_hang)
		hang();
	else if (f == FAULT_sleep)
		nanosleep(&long_time, NULL);
	else if (f == FAULT_stack)
		zero = deeper(NULL);
	else if (f == FAULT_fork)
		zero = fork() == 0 ? pause() : 0;
	else if (f == FAULT_fork_exit && fork() == 0)
		exit(0); /* and write what stdio has in its buffers */
	else if (f == FAULT_detach)
		detach();
	else if (f == FAULT_longjmp)
		jump();
	else if (f == FAULT_kill_parent)
		kill(getppid(), SIGTERM);
	else if (f == FAULT_kill_group)
		kill(0, SIGKILL);
	else if (f == FAULT_stop)
		raise(SIGSTOP);
	else if (f == FAULT_alarm)
		zero = (int)alarm(1) * 0, hang();
	else if (f == FAULT_mask_signals)
		deaf();
	else if (f == FAULT_ignore_and_hang)
		deaf(), hang();
	else if (f == FAULT_smash_stack)
		smash();
	else if (f == FAULT_unmap_text)
		munmap((void *)((uintptr_t)&attack & ~(uintptr_t)4095), 4096);
}

static void take_memory(void)
{
	for (char *p; (p = malloc(1 << 20)) != NULL;)
		memset(p, 1, 1 << 20);
	*nowhere = 1;
}

/* What the rest of the process would notice. */
static void disturb(enum fault f)
{
	static const struct rlimit none = {0, 0};
	if (f == FAULT_memory)
		take_memory();
	else if (f == FAULT_close)
		for (int fd = 0; fd < 64; fd++)
			close(fd);
	else if (f == FAULT_print)
		printf("hello\n"), fflush(stdout);
	else if (f == FAULT_write)
		zero = (int)write(1, "hello\n", 6) * 0;
	else if (f == FAULT_print_error)
		fprintf(stderr, "hello\n");
	else if (f == FAULT_chdir)
		zero = chdir("/") * 0;
	else if (f == FAULT_lower_limits)
		setrlimit(RLIMIT_NOFILE, &none);
}

static void answer(struct inst *s, const sc_step *step, sc_result *out)
{
	static const double bad[] = {
	    [FAULT_nan] = NAN, [FAULT_inf] = INFINITY, [FAULT_negative] = -1};
	struct timespec now;
	enum fault f = (enum fault)s->k.fault;
	if (f == FAULT_nan || f == FAULT_inf || f == FAULT_negative)
		out->total_us = bad[f];
	else if (f == FAULT_zero)
		out->total_us = 0;
	else if (f == FAULT_overrun)
		memset(out + 1, 1, 8);
	else if (f == FAULT_overrun_far)
		memset(out + 1, 1, 1 << 16);
	else if (f == FAULT_allocate)
		nowhere = malloc(1), free((void *)(uintptr_t)nowhere),
		nowhere = NULL;
	else if (f == FAULT_clock)
		out->total_us += clock_gettime(CLOCK_REALTIME, &now)
				     ? 0
				     : (double)now.tv_nsec;
	else if (f == FAULT_remember)
		out->total_us += s->extra += 1;
	else if (f == FAULT_order)
		out->total_us += step->n_decode > 1 ? step->decode_ctx[0] : 0;
	else if (f == FAULT_told_sum)
		out->total_us += (double)step->decode_ctx_sum;
	else if (f == FAULT_falls)
		out->total_us /= 2;
	else if (f == FAULT_negative_part)
		out->gemm_us[SC_DECODE] = -1;
	else if (f == FAULT_host_us)
		out->host_us = 2 * out->total_us;
	else if (f == FAULT_writes_ctx && step->n_decode)
		((uint32_t *)(uintptr_t)step->decode_ctx)[0]++;
	else if (f == FAULT_lookup_us)
		out->lookup_us[SC_CLAMPED] = 1001 * out->total_us;
}

static int wanted(const struct inst *s, const sc_step *step)
{
	if (s->k.at_step >= 0 && step->step_index == (uint64_t)s->k.at_step)
		return 1;
	for (uint32_t i = 0; s->k.at_kv >= 0 && i < step->n_decode; i++)
		if (step->decode_ctx[i] >= (uint64_t)s->k.at_kv)
			return 1;
	return 0;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	struct inst *s = inst;
	enum fault f = (enum fault)s->k.fault;
	out->total_us = 100 + step->n_decode;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		out->total_us +=
		    step->prefill_new[i] + 1e-3 * step->prefill_ctx[i];
	for (uint32_t i = 0; i < step->n_decode; i++)
		out->total_us += 0.25 * step->decode_ctx[i];
	if (!wanted(s, step))
		return SC_OK;
	attack(f);
	disturb(f);
	modes(f);
	answer(s, step, out);
	if (f == FAULT_error_text)
		memset(err->text, 'x', sizeof err->text);
	if (f == FAULT_told_sum_refused && step->decode_ctx_sum)
		return sc_fail(err, SC_EUNSUP, "told");
	if (f == FAULT_error_code || f == FAULT_error_text)
		return 5;
	return SC_OK;
}

static int32_t eval_batch(void *inst, uint32_t n, const sc_step *const *step,
			  sc_result *const *out, uint32_t *n_done,
			  sc_error *err)
{
	struct inst *s = inst;
	for (*n_done = 0; *n_done < n; ++*n_done) {
		sc_result *r = out[*n_done];
		int32_t rc = eval(inst, step[*n_done], r, err);
		if (rc != SC_OK)
			return rc;
		if ((s->k.fault == FAULT_batch ||
		     (s->k.fault == FAULT_batch_of_one && n == 1) ||
		     (s->k.fault == FAULT_told_sum_batch &&
		      step[*n_done]->decode_ctx_sum)) &&
		    wanted(s, step[*n_done]))
			r->total_us = nextafter(r->total_us, INFINITY);
	}
	return SC_OK;
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	const struct knobs *k = block;
	for (int i = 0; k->fault == FAULT_logs_much && i < 1000; i++)
		setup->host->log(setup->host, 2, "one of a thousand");
	if (k->fault == FAULT_create_fails)
		return sc_fail(err, SC_EINVAL, "not today");
	if (k->fault == FAULT_create_segv)
		*nowhere = 1;
	if (k->fault == FAULT_create_hangs)
		hang();
	if (k->fault == FAULT_create_prints)
		puts("hello");
	if (k->fault == FAULT_leak_file && dup(2) < 0)
		return sc_fail(err, SC_EINVAL, "%s", strerror(errno));
	struct inst *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	s->k = *k;
	*inst = s;
	return SC_OK;
}

static void destroy(void *inst)
{
	const struct inst *s = inst;
	if (s->k.fault == FAULT_destroy_segv)
		*nowhere = 1;
	if (s->k.fault == FAULT_destroy_hangs)
		hang();
	if (s->k.fault != FAULT_leak)
		free(inst);
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "culprit",
    .version = "1",
    .summary = "does wrong on request",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .knob = knobs,
    .preset = presets,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .eval_batch = eval_batch,
};
SC_PLUGIN_DEFINE(plugin);
