/* problem.c -- Formats the one line that says what went wrong. */
#include "base/problem.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/printable.h"

int problem_set(struct problem *p, int code, const char *fmt, ...)
{
	if (p) {
		char text[sizeof p->text];
		va_list ap;
		va_start(ap, fmt);
		int n = vsnprintf(text, sizeof text, fmt, ap);
		va_end(ap);
		if (n >= (int)sizeof text)
			strcpy(text + sizeof text - sizeof "...", "...");
		printable_copy(p->text, sizeof p->text, text);
		p->code = code;
	}
	return -1;
}

const char out_of_memory[] = "out of memory";

/* The last failure of the machine, kept for the whole process: a function that
 * cannot return a problem must not lose it. */
static int machine;
static const int of_machine[] = {ENOMEM, EMFILE, ENFILE, EIO, EINTR, ENOSPC};

void problem_note_machine(int error)
{
	for (size_t i = 0; !machine && i < sizeof of_machine / sizeof(int); i++)
		if (error == of_machine[i])
			machine = error;
}

void problem_note_machine_text(const char *why)
{
	size_t n = strlen(why);
	for (size_t i = 0; i < sizeof of_machine / sizeof(int); i++) {
		const char *text = strerror(of_machine[i]);
		size_t k = strlen(text);
		if (n >= k && !strcmp(why + n - k, text))
			problem_note_machine(of_machine[i]);
	}
}

int problem_machine_failed(void)
{
	return machine;
}

int problem_if_machine_failed(struct problem *p)
{
	return !machine ? 0
	       : machine == ENOMEM
		   ? problem_no_memory(p)
		   : problem_set(p, EXIT_USAGE, "%s", strerror(machine));
}

int problem_of_file(struct problem *p, const char *path, int error)
{
	problem_note_machine(error);
	return problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(error));
}

int problem_no_memory(struct problem *p)
{
	problem_note_machine(ENOMEM);
	return problem_set(p, EXIT_USAGE, "%s", out_of_memory);
}

int problem_at(struct problem *p, const char *origin, unsigned long long line,
	       const char *why)
{
	return problem_set(p, why == out_of_memory ? EXIT_USAGE : EXIT_INPUT,
			   "%s:%llu: %s", origin, line, why);
}
