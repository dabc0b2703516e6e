/* holes.h -- Points that one shape of experts or latent attention
 * lacks and others have. */
#ifndef OPERATORS_HOLES_H
#define OPERATORS_HOLES_H
#include "read/source.h"

/* A surface of such a source, with the numbers of tokens, or in each row the
 * lengths, that most of the source's surfaces have: its own residual there,
 * interpolated or clamped, and bent as that of the nearest shapes is.  Without
 * such holes it is the surface itself.  Found once. */
const struct sc_surface *holes_filled(struct inst *s, const struct source *from,
				      const struct sc_surface *own);
#endif
