/* plugin/checks_figures.h -- figures of a plugin: coverage, speed, and those
 * that explain a price.  Each function is the `run` of a struct check
 * (checks.h). */
#pragma once
#include "plugin/subject.h"

/* Notes the provenance of the worst lookup in each step. */
int check_coverage(struct subject *s, struct problem *p);
/* Notes nanoseconds per step, by batch. */
int check_speed(struct subject *s, struct problem *p);
/* The fields since ABI 1.3 change no bit of the price. */
int check_asked_for_less(struct subject *s, struct problem *p);
/* Quantiles enclose the time; standard deviations are not negative. */
int check_sureness(struct subject *s, struct problem *p);
/* The MFU in effect lies between those that were looked up.  Notes FLOPs below
 * those of the layers. */
int check_work_in_use(struct subject *s, struct problem *p);
/* Times of a request outside of steps; notes them. */
int check_request_costs(struct subject *s, struct problem *p);
/* Takes each table away that the plugin needs; notes what it says. */
int check_needs(struct subject *s, struct problem *p);
