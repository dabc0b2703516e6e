/* engine/equal_schedules.h -- whether two engines make the same schedule of the
 * same requests, whatever a step costs.
 *
 * Each field of struct engine is compared once: as the row of its key says
 * (engine/keys/rows.h), or, where several keys make it, as engine_part[] says.
 * [any thread]; constants. */
#pragma once
#include "engine/engine.h"
#include "engine/keys/rows.h"

/* A field that several keys make, or none. */
struct engine_part {
	const char *name;
	uint32_t field, field_bytes; /* of struct engine                     */
	enum engine_effect effect;
	/* 1: both do the same by it; NULL: if their bytes are equal */
	int (*same)(const struct engine *a, const struct engine *b);
};
extern const struct engine_part engine_part[];
extern const uint32_t engine_n_parts;

/* What another value of the key changes. */
enum engine_effect engine_row_effect(const struct engine_row *r);
/* The key, or the field, by which the schedules of a and b may differ, the
 * first of them; NULL: they are the same. */
const char *engine_difference(const struct engine *a, const struct engine *b);
static inline int engine_schedules_are_equal(const struct engine *a,
					     const struct engine *b)
{
	return !engine_difference(a, b);
}
