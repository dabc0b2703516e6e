/* recommend/race_order.h -- which configuration is tried before which: by
 * level, then the first of each shape by room for KV, then the others by the
 * rates that their shapes reached, then by their points.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A configuration that can be. */
struct race_entry {
	size_t point; /* of the plan                                         */
	uint64_t shape; /* equal for configurations that differ in limits    */
	int is_first;   /* of its shape: it is tried before the others        */
	double room;    /* tokens of KV, all replicas                         */
	double weight;  /* a rate counts as rate / weight                     */
	double level;   /* lower levels first; the race ends with the first
			   level in which some configuration meets the bounds */
};

enum race_state { RACE_UNTRIED, RACE_OUT, RACE_MET, RACE_FAILED };
struct race_track {
	enum race_state state;
	double met;   /* highest scale that was met; 0: none                  */
	double asked; /* lowest scale that was not; 0: none                   */
	int32_t limited_by;
	int is_too_short;
};

/* Sorts order[first] ... order[end - 1], which are indices of entry[n]; track:
 * how each of these fared so far.  Returns 0, or -1: memory is out, and the
 * order is as before. */
int race_sort(size_t *order, size_t first, size_t end,
	      const struct race_entry *entry, const struct race_track *track,
	      size_t n);
