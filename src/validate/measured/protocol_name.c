/* protocol_name.c -- Tells which protocol a row was measured with. */
#include "validate/measured/protocol_name.h"

const char *protocol_name(const struct measured_row *r,
			  const struct ini *aliases)
{
	const char letter[2] = {
	    r->id && r->id[0] && r->id[1] == '-' ? r->id[0] : '\0', '\0'};
	const char *name =
	    r->launch ? ini_get(aliases, r->launch, "protocol") : r->protocol;
	if (!name && r->request)
		name = "benchmark";
	if (!name && r->origin)
		name = ini_get(aliases, "origin", r->origin);
	if (!name && letter[0])
		name = ini_get(aliases, "class", letter);
	if (!name && r->arrival)
		name = ini_get(aliases, "arrival", r->arrival);
	return name ? name : letter[0] || r->arrival ? NULL : "benchmark";
}
