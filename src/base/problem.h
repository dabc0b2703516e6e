/* base/problem.h -- what went wrong, in memory that the caller owns, with the
 * exit code for it.  Knows nothing of the rest of the program. */
#pragma once

/* Exit codes of the program, and the `code` of a problem. */
enum {
	EXIT_DONE = 0,
	EXIT_SAYS_NO = 1, /* validation, conformance, experiment failed */
	/* command line, INI, a named file or plugin not found, an unsupported
	 * model, out of memory */
	EXIT_USAGE = 2,
	EXIT_INPUT = 3,  /* content of traces, tables, config.json, steps */
	EXIT_PLUGIN = 4, /* a plugin failed at load or in eval */
};

struct problem {
	int code;        /* EXIT_*; EXIT_DONE: no problem */
	char text[1000]; /* one line, no newline at its end */
};

/* Fills in *p (p may be NULL) and returns -1, for `return problem_set(p,
 * EXIT_INPUT, "%s:%d: …", …);`.  A text that does not fit is truncated and ends
 * in "..."; characters that control a terminal are replaced by their code. */
int problem_set(struct problem *p, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Says that memory ran out: EXIT_USAGE, "out of memory"; p may be NULL.  Notes
 * it as a failure of the machine.
 * Returns -1.  The program reports this nowhere else, so it has one text and
 * one exit code. */
int problem_no_memory(struct problem *p);

/* ---- failures of the machine ---- */

/* Notes for good that the machine refused something: memory, a descriptor, the
 * bytes of a file.  Code that can do without a file goes on, and a writer
 * cannot return a problem; therefore the output after such a failure may lack a
 * part, and outfile_commit() and jobs do not hand it over.  Other errors (a
 * file that is not there) and 0 are not noted. */
void problem_note_machine(int error);
/* The same of a text that ends with the reason: dlopen() leaves no errno. */
void problem_note_machine_text(const char *why);
/* Returns the errno that was noted first in this process, or before the fork()
 * that made it; 0: none. */
int problem_machine_failed(void);
/* Returns 0, or -1 with *p filled in (EXIT_USAGE), if one was noted. */
int problem_if_machine_failed(struct problem *p);
/* Says "path: reason" (EXIT_USAGE) of a file, and notes a failure of the
 * machine.  Returns -1. */
int problem_of_file(struct problem *p, const char *path, int error);

/* A callback that returns why it failed returns this when memory ran out.
 * problem_at() compares the address. */
extern const char out_of_memory[];

/* Says "origin:line: why".  Returns -1.  The code is EXIT_INPUT, because the
 * file is wrong, or EXIT_USAGE if `why` is out_of_memory. */
int problem_at(struct problem *p, const char *origin, unsigned long long line,
	       const char *why);
