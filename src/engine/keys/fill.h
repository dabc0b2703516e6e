/* engine/keys/fill.h -- reads the keys of [engine]: defaults, then those of the
 * preset, then what the INI says.  [any thread] */
#pragma once
#include "base/json/json_writer.h"
#include "base/problem.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"

/* 0, or -1 with *p (EXIT_USAGE): a value that is out of range, or a key that
 * the chosen engine does not read (engine/refusals.h).  engine_keys_adopt() has
 * been called. */
int engine_keys_fill(struct engine_keys *k, const struct engine_source *s,
		     struct problem *p);
/* Writes the values of an engine's own names to vLLM's that they stand for;
 * again after one of them has changed. */
void engine_keys_adopt(struct engine_keys *k);
/* As members of the open object; rows that are rare only where there are drafts
 * or stages. */
void engine_keys_write(struct jw *j, const struct engine_keys *k);
/* Writes the keys of [router] as an object of that name, if the routing has
 * any. */
void engine_router_write(struct jw *j, const char *name,
			 const struct engine_keys *k);
/* Writes the keys of [autoscaler] and [failures] as objects, if they change
 * anything. */
void engine_fleet_write(struct jw *j, const struct engine_keys *k);
