/* sim/policy/vllm/vllm_offload.h -- when policy vllm copies KV to the memory of
 * the host, looks for it there and loads it.  [one thread] */
#pragma once
#include "sim/policy/vllm/vllm_state.h"

/* Returns 0, or -1 if memory is out; without offloading it does nothing. */
int vllm_offload_init(struct vllm *s);
void vllm_offload_free(struct vllm *s);
/* Makes the request known to the copies. */
void vllm_offload_meet(struct vllm *s, struct sequence *q);
/* Looks behind the first `found` tokens of a request without blocks.  Returns 0
 * if that must be done again in a later call.  *more: tokens that can be
 * loaded. */
int vllm_offload_find(struct vllm *s, struct sequence *q, uint32_t found,
		      uint32_t *more);
/* Loads `more` tokens behind the first `found` ones; it has blocks for them. */
void vllm_offload_load(struct vllm *s, uint32_t i, uint32_t found,
		       uint32_t more);
/* Returns the number of known tokens at which the next chunk of the request can
 * be stored; UINT32_MAX: none.  Only with offloading. */
uint32_t vllm_offload_due(const struct vllm *s, const struct sequence *q);
/* The step is formed: stores what its requests, and those that have ended,
 * have computed. */
void vllm_offload_store(struct vllm *s);
/* The request gives back all its blocks: at once, or when the last step in
 * flight has been processed.  over: it has ended. */
void vllm_offload_give_back(struct vllm *s, struct sequence *q, int over);
/* Batch number steady.processed is processed: gives back blocks that waited
 * for it. */
void vllm_offload_processed(struct vllm *s);
