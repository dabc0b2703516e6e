/* jobs/slot.h -- the memory that a job shares with its parent, and how its
 * results cross it.
 *
 * A slot is two parts.  The status and the live memory are written while the
 * job runs; whoever reads them doubts them.  The answer (the problem, what the
 * job leaves, the lengths and sums of its streams) is made in memory of the
 * job's own and copied here once, under a seal: an answer without one, or with
 * one that does not fit, is none.  [the parent, or the job, as it says] */
#ifndef SC_JOBS_SLOT_H
#define SC_JOBS_SLOT_H
#include "base/checksum.h"
#include "jobs/job.h"

struct answer {
	uint64_t seal; /* over all that follows                              */
	uint64_t done; /* 1                                                  */
	struct checksum stream[JOB_STREAMS];
	struct problem problem;
	_Alignas(64) unsigned char shared[];
};

/* ---- the parent, before and after ---- */

/* Memory for n jobs.  0, or -1 with *p. */
int slots_map(struct jobs *all, const struct jobs_options *o,
	      struct problem *p);
/* Gives job i its slot and its streams.  0, or -1 with *p. */
int slot_equip(struct jobs *all, size_t i, const struct jobs_options *o,
	       struct problem *p);
/* The job is gone.  Has it left an answer, in its `problem`, `shared` and
 * streams?  If not, or not one that can be believed, there is nothing.  Streams
 * that somebody else wrote to are emptied. */
enum slot_answer { SLOT_ANSWERED, SLOT_EMPTY, SLOT_SPOILT };
enum slot_answer slot_take_answer(struct job *j, const struct jobs_options *o);

/* ---- the job, in its process ---- */

/* Leaves this process the slot of j alone. */
void slot_hide_others(const struct jobs *all, const struct job *j);
/* Makes problem, shared and streams memory of this process.  The answer, or
 * NULL with errno. */
struct answer *slot_begin(struct job *j, const struct jobs_options *o);
/* Hands it over: nothing changes it any more. */
void slot_seal(const struct job *j, struct answer *mine,
	       const struct jobs_options *o);
#endif
