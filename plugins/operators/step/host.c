/* host.c -- What the engine's host code adds to a step: by how the engine
 * schedules, which is by whose it is and of what version. */
#include "step/host.h"
#include "inst.h"

/* Robust regression of served TPOT on the two terms. */
static const struct {
	double step_us, seq_us;
} of_class[] = {[HOST_SYNC] = {1580, 49},
		[HOST_OVERLAP] = {510, 22},
		[HOST_ASYNC] = {12, 5.2}};

/* vLLM schedules asynchronously from 0.14, TensorRT-LLM overlaps all of it
 * from 1.1; a version that is not told is taken for a new one. */
static int64_t host_class(const struct inst *s)
{
	int known = s->version[0] >= 0;
	if (s->k.host != HOST_AUTO)
		return s->k.host;
	switch (s->engine) {
	case ENGINE_SGLANG:
		return HOST_OVERLAP;
	case ENGINE_TRTLLM:
		return known && !version_from(s->version, 1, 1) ? HOST_OVERLAP
								: HOST_ASYNC;
	default:
		return known && !version_from(s->version, 0, 14) ? HOST_SYNC
								 : HOST_ASYNC;
	}
}

void host_read(struct inst *s)
{
	int64_t class = host_class(s);
	s->host_is_sync = class == HOST_SYNC;
	s->host_step_us = s->k.step_us;
	s->host_seq_us = s->k.seq_us;
	if (s->k.step_us < 0)
		s->host_step_us = of_class[class].step_us;
	if (s->k.seq_us < 0)
		s->host_seq_us = of_class[class].seq_us;
}
