/* faults.h -- what a broken cost model may do in eval(), for tests. */
#ifndef T_FAULTS_H
#define T_FAULTS_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "stepcost/plugin.h"

/* Without sanitizers, because these would report the fault first. */
#define AS_IT_IS                                                               \
	__attribute__((no_sanitize("address"), no_sanitize("undefined")))

enum fault {
	NONE,
	SEGV,
	FPE,
	ABORT,
	EXIT,
	HANG,
	GROW,
	OVERFLOW,
	PAST_RESULT,
	PAST_SLACK,
	PRINT,
	WRITE,
	CHDIR,
	CLOSE,
	IS_NAN,
	MODES,
	SCRIBBLE,
	LEAVE_CHILD,
	N_FAULTS
};
static const char *const fault_name[N_FAULTS + 1] = {
    "none",  "segv",     "fpe",         "abort",       "exit",
    "hang",  "grow",     "overflow",    "past_result", "past_slack",
    "print", "write",    "chdir",       "close",       "nan",
    "modes", "scribble", "leave_child", NULL};

static volatile int zero;
static volatile char *volatile nowhere;

AS_IT_IS __attribute__((noinline)) static int deeper(volatile char *above)
{
	volatile char here[4096];
	here[0] = above ? above[0] : 0;
	return zero == 12345 ? 0 : deeper(here) + here[0];
}

/* Ends the process, or never ends. */
AS_IT_IS static void end_badly(enum fault fault)
{
	switch (fault) {
	case SEGV:
		*nowhere = 1;
		break;
	case FPE:
		zero = (int)(intptr_t)fault_name / zero;
		break;
	case ABORT:
		abort();
	case EXIT:
		exit(0);
	case HANG:
		for (;;)
			pause();
	case GROW:
		for (char *p; (p = malloc(1 << 20)) != NULL;)
			memset(p, 1, 1 << 20);
		*nowhere = 1;
		break;
	case OVERFLOW:
		zero = deeper(NULL);
		break;
	default:
		break;
	}
}

AS_IT_IS static void do_wrong(enum fault fault, const sc_step *step,
			      sc_result *out)
{
	switch (fault) {
	case PAST_RESULT:
		memset(out + 1, 1, 8);
		break;
	case PAST_SLACK:
		nowhere = (char *)(out + 1);
		for (int i = 0; i < 1 << 16; i++)
			nowhere[i] = 1;
		break;
	case PRINT:
		printf("hello\n");
		break;
	case WRITE:
		zero = (int)write(1, "hello\n", 6) * 0;
		break;
	case CHDIR:
		zero = chdir("/") * 0;
		break;
	case CLOSE:
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		break;
	case IS_NAN:
		out->total_us = NAN;
		break;
	case MODES:
		zero = 0;
#ifdef __SSE2__
		__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
#endif
		break;
	case SCRIBBLE: /* over all that lies before the step */
		nowhere = (char *)(uintptr_t)step->decode_ctx;
		for (int i = 1; i < 200; i++)
			nowhere[-8192 * i] = 0x7f;
		break;
	case LEAVE_CHILD:
		if (fork() == 0)
			for (;;)
				pause();
		break;
	default:
		end_badly(fault);
	}
}

#endif
