/* validate/replay/row_replay_settings.h -- what a trial overrides of a
 * configuration.
 */
#pragma once
#include "validate/replay/protocol.h"
#include "validate/replay/row_replay.h"

/* The settings that row r was measured with: model, GPU and engine, where the
 * row says them, else as the protocol has them.  0, or -1: out of memory. */
int row_replay_settings(struct row_replay *t, const struct protocol *c,
			const struct measured_row *r,
			const struct ini *aliases);
/* The part of them that holds for any step of the deployment: model, GPU, the
 * parallel split, and the keys that rules set.  The same. */
int row_replay_deployment(struct row_replay *t, const struct measured_row *r,
			  const struct ini *aliases);
