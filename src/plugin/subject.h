/* plugin/subject.h -- a plugin under check, and the functions that ask it.  The
 * parent process sees where the plugin's code is and which step it got, even if
 * it never returns. */
#pragma once
#include <stdio.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "cost/owned_step.h"
#include "cost/steps.h"
#include "jobs/watch.h"
#include "plugin/loader.h"

struct subject {
	const struct plugin *plugin;
	const sc_setup *setup;
	const void *knobs;
	struct cost a; /* created before a check runs */
	const struct steps *steps;
	/* Shared with the parent process: */
	struct watch *watch;
	struct owned_step *at; /* the current step; the status points to it */
	FILE *notes;           /* lines of notes for the user */
	/* The file that standard error is redirected to; -1: none. */
	int said;
};

/* REFUSED: the plugin says that it cannot price the step. */
enum answer { ANSWER_REFUSED, ANSWER_PRICED };

/* Creates an instance besides s->a, as cost_create(), and notes it in the
 * status; subject_destroy() is its counterpart. */
int subject_create(struct subject *s, struct cost *c, struct problem *p);
void subject_destroy(struct subject *s, struct cost *c);

/* Returns ANSWER_PRICED with the answer in *out; ANSWER_REFUSED; or -1 with *p
 * filled in (EXIT_SAYS_NO): no answer, or an impossible one. */
int subject_ask(struct subject *s, struct cost *c, const sc_step *step,
		sc_result *out, struct problem *p);
/* Asks all steps one after another; a refused step has total_us 0.
 * [s->steps->n]; the caller frees it.  Returns NULL with *p filled in if that
 * fails. */
sc_result *subject_ask_all(struct subject *s, struct cost *c,
			   struct problem *p);
/* Asks step i again.  Returns 0, or -1 with *p filled in: no answer, or another
 * one than before. */
int subject_ask_again(struct subject *s, struct cost *c, size_t i,
		      const sc_result *before, struct problem *p);
/* Returns 0, or -1 with *p filled in if any bit differs. */
int answers_compare(const sc_result *a, const sc_result *b, struct problem *p);

/* Notes the step that the plugin gets next, so that the parent process can name
 * it if the plugin crashes.  Its columns are copied to s->at, because the
 * parent sees no other memory. */
void subject_note_step(struct subject *s, const sc_step *step);
/* Writes the step as a line of the notes. */
void subject_note_row(FILE *f, const sc_step *step);
