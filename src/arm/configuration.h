/* arm/configuration.h -- the whole INI, resolved and checked: what every
 * command that takes a CONFIG begins with.
 *
 * Everything in the file is checked, also what a command does not use: unknown
 * sections and keys, keys given twice, values out of range, knobs that the
 * arm's plugin does not have (knob_check.h).  [main]; not from a process with
 * threads. */
#ifndef SC_ARM_CONFIGURATION_H
#define SC_ARM_CONFIGURATION_H
#include "arm/arm_list.h"
#include "arm/known_plugins.h"
#include "base/ini.h"
#include "base/json_writer.h"
#include "base/problem.h"
#include "engine/engine_keys.h"
#include "engine/source.h"
#include "keys/hardware.h"
#include "model/model.h"
#include "tables/library.h"
#include "workload/workload.h"

/* Each is resolved by itself, from keys of its own. */
enum config_part {
	CONFIG_HOST = 1,
	CONFIG_MODEL = 2,
	CONFIG_ENGINE = 4,
	CONFIG_SLO = 8,
	CONFIG_WORKLOAD = 16,
	CONFIG_ARMS = 32, /* which there are, their plugins and presets      */
	CONFIG_TABLES = 64,
	/* these two are read when an arm is opened */
	CONFIG_HARDWARE = 128,
	CONFIG_KNOBS = 256,
	CONFIG_ALL = 511,
	/* these change which sets of tables an arm is told of */
	CONFIG_CHOICE = CONFIG_ARMS | CONFIG_TABLES | CONFIG_HARDWARE,
};

/* Not to be moved once loaded: what it points to is in it. */
struct config {
	struct ini cfg; /* with --set applied */
	struct model model;
	struct engine_keys engine_keys;  /* of [engine] alone; where they depend
					    on the GPU, that of arm[0]; of
					    config_load()                  */
	struct engine_keys pool_keys[2]; /* the same of [engine:prefill] and
					    [engine:decode], if is_apart  */
	int is_apart; /* these sections say which pools there are         */
	/* Given steps are priced and nothing is served: no arm runs out of KV
	 * blocks, and the split need not be one that an engine has. */
	int prices_only;
	struct slo_keys slo_keys;
	struct workload_keys workload_keys;
	struct arm_config *arm; /* as --arms says, else: [cost_model] or the
				   first in the file, then the others */
	size_t n_arms;
	size_t n_all_arms; /* with those behind them that take no part, of which
			      these may name one as their drafter            */
	const char *wanted;          /* of --arms; NULL: all */
	struct known_plugins *known; /* what the arms' plugins declare       */
	struct library *library;     /* the arms' sets of tables, as far as they
					can be read                        */
	/* what these two point to, unless it is another's */
	struct known_plugins own_known;
	struct library own_library;
};

/* The INI as its text and --set say, and nothing checked: the one reader of
 * --set.  An assignment is "section.key=value"; a key of an arm may have a dot
 * of its own.  "--axis section.key=value": messages name that option.  0, or -1
 * with *p; ini_free() in either case. */
int config_read(struct ini *c, const char *path, const char *const *set,
		size_t n_set, struct problem *p);
/* Where the dot stands between section and key in the n characters of
 * "section.key"; 0: they are not of that form.  An arm's keys may have a dot of
 * their own: "cost_model:x.tables.set" is the key tables.set of
 * [cost_model:x], whose name has no dot. */
size_t config_dot(const char *name, size_t n);
/* Refuses sections and keys that there are not; own: see config_load_priced().
 * 0, or -1 with *p. */
int config_check_names(const struct ini *c, const char *const *own,
		       struct problem *p);
/* path: the INI.  set: --set assignments.  arms: of --arms "a,b", NULL: all.
 * 0, or -1 with *p.  config_free() in either case. */
int config_load(struct config *c, const char *path, const char *const *set,
		size_t n_set, const char *arms, struct problem *p);
/* The same, one of several: it shares the tables of `beside` (NULL: none) and
 * what plugins told it.  That one may have failed to load, and must not be
 * freed while this one is in use. */
int config_load_beside(struct config *c, const struct config *beside,
		       const char *path, const char *const *set, size_t n_set,
		       const char *arms, struct problem *p);
/* The same for a command that only prices steps, and for a file with sections
 * that the command reads by itself: own, to NULL, names and prefixes that end
 * in ':'; NULL: none. */
int config_load_priced(struct config *c, const char *path,
		       const char *const *set, size_t n_set, const char *arms,
		       const char *const *own, struct problem *p);
/* Could an engine serve the model in arm i's split?  0, or -1 with *p
 * (EXIT_USAGE). */
int config_check_split(const struct config *c, size_t i, struct problem *p);
/* The section of a pool, of engine_pool_section; NULL: not is_apart. */
const char *config_pool(const struct config *c, uint32_t pool);
/* Where the engine keys of arm i stand, for a pool's section (NULL: none);
 * lives as long as *c. */
struct engine_source config_engine_source(const struct config *c, size_t i,
					  const char *pool);
/* The engine keys of arm i on that GPU.  0, or -1 with *p. */
int config_engine_keys(struct engine_keys *k, const struct config *c, size_t i,
		       const char *pool, const struct hardware *h,
		       struct problem *p);
/* The arm that prices the replicas that generate, where the pool's section and
 * arm i say so; *index = i: it does so itself.  0, or -1 with *p. */
int config_decode_arm(const struct config *c, size_t i, size_t *index,
		      struct problem *p);
/* The arm that prices the drafter, which k names.  0, or -1 with *p. */
int config_draft_arm(const struct config *c, size_t i, const char *pool,
		     const struct engine_keys *k, size_t *index,
		     struct problem *p);
/* Of all replicas together, as [engine] and the sections of pools say. */
uint64_t config_gpus(const struct config *c);
void config_free(struct config *c);

/* What has to be renewed when that key has another value; enum config_part. */
unsigned config_parts(const char *section, const char *key);
/* Resolves these parts once more from c->cfg, where ini_put() has changed keys
 * of theirs.  0, or -1 with *p: they are to be renewed again before use. */
int config_renew(struct config *c, unsigned parts, struct problem *p);
/* As resolved: members "model", "engine", "slo", "workload" of the open
 * object; all but the last; the last. */
void config_write(struct jw *j, const struct config *c);
void config_write_setup(struct jw *j, const struct config *c);
void config_write_workload(struct jw *j, const struct config *c);
#endif
