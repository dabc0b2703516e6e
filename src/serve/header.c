/* header.c -- Judges headers. */
#include "serve/header.h"
#include <string.h>
#include <strings.h>

static enum MHD_Result count(void *cls, enum MHD_ValueKind kind,
			     const char *key, const char *value)
{
	int *n = cls;
	(void)kind;
	n[0] += !strcasecmp(key, "Content-Length");
	n[1] += !strcasecmp(key, "Transfer-Encoding");
	n[2] += !strcasecmp(key, "Transfer-Encoding") &&
		strcasecmp(value, "chunked") != 0;
	return MHD_YES;
}

int header_find_ambiguity(const struct mhd *m, struct MHD_Connection *c)
{
	int n[3] = {0};
	m->get_connection_values(c, MHD_HEADER_KIND, count, n);
	return n[0] > 1 || n[1] > 1 || n[2] || (n[0] && n[1]);
}

static const char *value_of(const struct mhd *m, struct MHD_Connection *c,
			    const char *name)
{
	return m->lookup_connection_value(c, MHD_HEADER_KIND, name);
}

int header_names_json(const struct mhd *m, struct MHD_Connection *c)
{
	static const char json[] = "application/json";
	const size_t n = sizeof json - 1;
	const char *type = value_of(m, c, "Content-Type");
	return type && !strncasecmp(type, json, n) &&
	       (!type[n] || type[n] == ';' || type[n] == ' ');
}

int header_names_other_site(const struct mhd *m, struct MHD_Connection *c)
{
	const char *origin = value_of(m, c, "Origin");
	const char *host = value_of(m, c, "Host");
	const char *site = origin ? strstr(origin, "://") : NULL;
	return origin && (!site || !host || strcmp(site + 3, host) != 0);
}
