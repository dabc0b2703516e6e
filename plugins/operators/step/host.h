/* step/host.h -- The time of the host code of an engine. */
#ifndef OPERATORS_STEP_HOST_H
#define OPERATORS_STEP_HOST_H

struct inst;

/* Fills in the host time of a step and of a sequence. */
void host_read(struct inst *s);
#endif
