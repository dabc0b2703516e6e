/* arm/arm.h -- a cost model ready to be asked: its plugin, what it is told, its
 * instance.  Opened in the process that is to run it. */
#ifndef SC_ARM_ARM_H
#define SC_ARM_ARM_H
#include "arm/configuration.h"
#include "cost/cost.h"
#include "engine/engine.h"
#include "jobs/watch.h"
#include "plugin/loader.h"
#include "tables/selection.h"

/* Not to be moved once open: setup points into it. */
struct arm {
	const struct config *config;
	size_t index; /* of the configuration's arms                         */
	const char *pool; /* of engine_pool_section; NULL: both pools', or
			     there is one                                    */
	const struct arm_config *is;
	const sc_host *host;
	struct watch *watch; /* NULL: nobody looks                           */
	struct plugin plugin;
	void *knobs; /* the plugin's block, as resolved */
	struct hardware hardware;
	struct engine_keys engine_keys;
	struct engine engine;    /* under this arm's hardware; of an arm with
				    a decode pool's, of both together */
	struct selection tables; /* of the configuration's library */
	sc_model model; /* with the KV cache's format that this engine has */
	sc_parallel parallel;
	sc_engine engine_view;
	sc_setup setup;
	struct cost cost;
	struct arm *decode;       /* prices the pool that generates, or NULL */
	struct model draft_model; /* of its drafter; n_groups 0: unknown     */
	struct arm *drafter;      /* prices its passes, or NULL              */
};
/* US dollars an hour of one GPU: the mean over both pools; 0: unknown. */
double arm_usd_per_hour(const struct arm *a);

/* Opens arm i of the configuration.  host: NULL for one that drops what is
 * logged.  watch: watches where the plugin's code runs, or NULL.  0, or -1
 * with *p; arm_close() in either case.  [main] */
int arm_open(struct arm *a, const struct config *c, size_t i,
	     const sc_host *host, struct watch *watch, struct problem *p);
/* All but the plugin, of which nothing is touched: a->setup is what it would be
 * told.  The same otherwise. */
int arm_prepare(struct arm *a, const struct config *c, size_t i,
		const sc_host *host, struct problem *p);
/* The instance of an arm that is prepared, of a plugin that is loaded here if
 * it was not.  watch: as arm_open() takes it.  0, or -1 with *p. */
int arm_create(struct arm *a, struct watch *watch, struct problem *p);
/* Its end; the arm stays prepared.  Due before config_renew() of a part that
 * the instance was told of: all but CONFIG_WORKLOAD and CONFIG_SLO. */
void arm_destroy(struct arm *a);
/* After config_renew() of these parts (enum config_part): what they do not
 * touch (plugin, tables, GPU) stays as it is.  0, or -1 with *p: to be prepared
 * again in all parts, or closed. */
int arm_prepare_again(struct arm *a, unsigned parts, struct problem *p);
void arm_close(struct arm *a);
/* As resolved: plugin, version, preset, knobs, hardware, tables with their
 * SHA-256, members of the open object. */
void arm_write(struct jw *j, const struct arm *a);
#endif
