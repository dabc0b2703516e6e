/* serve/header.h -- what the headers of a request say that decides whether it
 * is answered.  [one thread] */
#pragma once
#include "serve/mhd.h"

/* Two lengths, or a length and a coding, hide a second request. */
int header_find_ambiguity(const struct mhd *m, struct MHD_Connection *c);
int header_names_json(const struct mhd *m, struct MHD_Connection *c);
/* The page of another site asks. */
int header_names_other_site(const struct mhd *m, struct MHD_Connection *c);
