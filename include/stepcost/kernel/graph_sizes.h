/* stepcost/kernel/graph_sizes.h -- header-only helper for plugins: the batch
 * size at which a captured graph is replayed.  vLLM captures 1, 2, 4, 8, then
 * every 8 up to 256 and every 16 above, and pads a batch up to the next of
 * these sizes. */
#ifndef SC_KERNEL_GRAPH_SIZES_H
#define SC_KERNEL_GRAPH_SIZES_H
#include <math.h>

/* Returns the padded number of tokens.  most: the largest captured batch, 0:
 * none; a batch above it stays as it is. */
static inline double sc_captured_tokens(double tokens, double most)
{
	double size = 1, pitch;
	if (tokens > most)
		return tokens;
	while (size < tokens && size < 8)
		size *= 2;
	if (size >= tokens)
		return size;
	pitch = tokens <= 256 ? 8 : 16;
	return ceil(tokens / pitch) * pitch;
}
#endif
