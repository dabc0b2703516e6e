/* jobs/slot.h -- the memory that a job shares with its parent, and the way of
 * its results through it.
 *
 * A slot has two parts.  The status and the live memory are written while the
 * job runs, and a reader must not trust them.  The answer (the problem, the
 * result, the lengths and sums of its streams) is built in private memory of
 * the job and copied here once, with a seal: an answer without a seal, or with
 * one that does not match, does not count.  [the parent or the job, as each
 * function says] */
#pragma once
#include "base/checksum.h"
#include "jobs/job.h"

struct answer {
	uint64_t seal;          /* checksum of everything below */
	uint64_t done;          /* 1 */
	int64_t machine_failed; /* as in struct job */
	struct checksum stream[JOB_STREAMS];
	struct problem problem;
	_Alignas(64) unsigned char shared[];
};

/* ---- in the parent, before and after ---- */

/* Allocates memory for n jobs.  Returns 0, or -1 with *p filled in. */
int slots_map(struct jobs *all, const struct jobs_options *o,
	      struct problem *p);
/* Gives job i its slot and its streams.  Returns 0, or -1 with *p filled in. */
int slot_equip(struct jobs *all, size_t i, const struct jobs_options *o,
	       struct problem *p);
/* Call it when the job is gone.  Returns whether the job left an answer in its
 * `problem`, `shared` and streams.  If it left none, or one that cannot be
 * trusted, all of these are empty.  Streams that another process wrote to are
 * emptied. */
enum slot_answer { SLOT_ANSWERED, SLOT_EMPTY, SLOT_SPOILT };
enum slot_answer slot_take_answer(struct job *j, const struct jobs_options *o);

/* ---- in the job's process ---- */

/* Unmaps all slots except that of j in this process. */
void slot_hide_others(const struct jobs *all, const struct job *j);
/* Moves problem, shared and streams to private memory.  Returns the answer, or
 * NULL if memory is out: then that is the job's answer already. */
struct answer *slot_begin(struct job *j, const struct jobs_options *o);
/* Hands the answer over; nothing changes it after that. */
void slot_seal(const struct job *j, struct answer *mine,
	       const struct jobs_options *o);
