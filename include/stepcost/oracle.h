/* stepcost/oracle.h -- prices of batches for a simulator with a scheduler of
 * its own, without a process between: link with -lstepcost-oracle.
 *
 *   char why[500];
 *   sc_oracle *o = sc_oracle_open("llama.ini", NULL, why, sizeof why);
 *   uint32_t context[] = {100, 200, 300};
 *   sc_step step = {.size = sizeof step, .n_decode = 3, .n_sampled = 3,
 *                   .decode_ctx = context};
 *   sc_oracle_answer a;
 *   if (o && sc_oracle_price(o, &step, &a) == 0)
 *           printf("%g s\n", a.seconds);
 *   sc_oracle_close(o);
 *
 * The prices are those of `stepcost oracle` and `stepcost eval`, to the bit.
 * The plugin runs in this process: one that crashes or hangs takes it along
 * (`stepcost oracle` keeps it apart).  Nothing here exits or prints.  A price
 * allocates no memory, unless the plugin does.  [one thread an oracle] */
#ifndef STEPCOST_ORACLE_H
#define STEPCOST_ORACLE_H
#include "stepcost/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_oracle sc_oracle;

typedef struct sc_oracle_answer {
	double seconds;      /* how long the engine waits for the batch */
	double host_seconds; /* the part that async scheduling hides */
	/* The least time that the hardware allows; 0: unknown. */
	double floor_seconds;
	uint32_t lookups[SC_N_PROVENANCE]; /* in tables, by SC_EXACT … */
} sc_oracle_answer;

/* Opens an arm of a configuration (NULL: the first).  Data is found as the
 * program finds it: STEPCOST_DATA_PATH and STEPCOST_PLUGIN_PATH, or where it
 * was installed.  Returns NULL on a fault, with the message in error[n]. */
sc_oracle *sc_oracle_open(const char *config, const char *arm, char *error,
			  size_t n);
/* Prices a step; its size is sizeof(sc_step), its arrays those of plugin.h.  An
 * empty one takes 0 seconds.  Returns 0, or -1: sc_oracle_error() says why, and
 * the next step may be priced. */
int sc_oracle_price(sc_oracle *o, const sc_step *step, sc_oracle_answer *to);
/* The last message; "" if there was none.  Valid until the next call. */
const char *sc_oracle_error(const sc_oracle *o);
/* NULL is allowed. */
void sc_oracle_close(sc_oracle *o);

#ifdef __cplusplus
}
#endif
#endif
