/* plugin/subject.h -- a plugin under check, and how the checks ask it: the
 * process that wants to know sees where the plugin's code is and which step it
 * was given, also when it never comes back. */
#ifndef SC_PLUGIN_SUBJECT_H
#define SC_PLUGIN_SUBJECT_H
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
	/* shared with the process that wants to know */
	struct watch *watch;
	struct owned_step *at; /* the step under way; the status' step points
				  there */
	FILE *notes;           /* diagnostics, lines */
	int said; /* a file that standard error goes to; -1: it does not */
};

/* REFUSED: the plugin says that it cannot price this. */
enum answer { ANSWER_REFUSED, ANSWER_PRICED };

/* An instance beside s->a; cost_create() and cost_destroy(), with the status
 * told. */
int subject_create(struct subject *s, struct cost *c, struct problem *p);
void subject_destroy(struct subject *s, struct cost *c);

/* ANSWER_PRICED, with the answer copied to *out; ANSWER_REFUSED; -1 with *p
 * (EXIT_SAYS_NO): no answer, or one that makes no sense. */
int subject_ask(struct subject *s, struct cost *c, const sc_step *step,
		sc_result *out, struct problem *p);
/* All the steps, one after another; one that is refused has total_us 0.
 * [s->steps->n]; free() it.  NULL with *p. */
sc_result *subject_ask_all(struct subject *s, struct cost *c,
			   struct problem *p);
/* Step i once more.  0, or -1 with *p: no answer, or another than before. */
int subject_ask_again(struct subject *s, struct cost *c, size_t i,
		      const sc_result *before, struct problem *p);
/* 0, or -1 with *p: they differ in some bit. */
int answers_compare(const sc_result *a, const sc_result *b, struct problem *p);

/* The step that a failure is about. */
void subject_note_step(struct subject *s, const sc_step *step);
/* The step as a line of the notes. */
void subject_note_row(FILE *f, const sc_step *step);
#endif
