/* stepcost/exec/fields.h -- header-only helper for plugins: reads a line with
 * one JSON object into the members of a struct, by a table of fields.  null is
 * NaN; a member that the table does not name is an error.
 *
 *   int32_t rc = sc_exec_get(line, field, n_fields, &reply, err);
 */
#ifndef SC_EXEC_FIELDS_H
#define SC_EXEC_FIELDS_H
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "stepcost/fail.h"

#define SC_EXEC_DOUBLE 1u
#define SC_EXEC_UINT32 2u
#define SC_EXEC_WORD 3u /* uint32_t, index into words */
#define SC_EXEC_TEXT 4u /* char[count] */

/* A member of an answer, and where it goes. */
struct sc_exec_field {
	const char *name;
	uint32_t type, count; /* how many numbers; above 1: an array */
	size_t offset;
	const char *const *words;
};

/* Returns 0, or -1 if the value does not fit.  null is NaN. */
static inline int sc_exec_get_number(const json_t *v, uint32_t type, void *at)
{
	double d = json_is_null(v) ? (double)NAN : json_number_value(v);
	uint32_t u = d >= 0 && d <= UINT32_MAX ? (uint32_t)d : 0;
	if (!json_is_number(v) && !json_is_null(v))
		return -1;
	if (type == SC_EXEC_DOUBLE)
		memcpy(at, &d, sizeof d);
	else if ((double)u != d)
		return -1;
	else
		memcpy(at, &u, sizeof u);
	return 0;
}

static inline int sc_exec_get_text(const char *text,
				   const struct sc_exec_field *f, void *at)
{
	uint32_t i = 0;
	if (!text)
		return -1;
	if (f->type == SC_EXEC_TEXT) {
		snprintf((char *)at, f->count, "%s", text);
		return 0;
	}
	while (f->words[i] && strcmp(f->words[i], text))
		i++;
	memcpy(at, &i, sizeof i);
	return f->words[i] ? 0 : -1;
}

static inline int sc_exec_get_value(const json_t *v,
				    const struct sc_exec_field *f, void *out)
{
	char *at = (char *)out + f->offset;
	size_t each =
	    f->type == SC_EXEC_DOUBLE ? sizeof(double) : sizeof(uint32_t);
	if (f->type == SC_EXEC_TEXT || f->type == SC_EXEC_WORD)
		return sc_exec_get_text(json_string_value(v), f, at);
	if (f->count == 1)
		return sc_exec_get_number(v, f->type, at);
	if (json_array_size(v) != f->count)
		return -1;
	for (uint32_t i = 0; i < f->count; i++)
		if (sc_exec_get_number(json_array_get(v, i), f->type,
				       at + i * each) < 0)
			return -1;
	return 0;
}

/* Reads the members of an object into *out.  It is an error if a member is
 * unknown, or if a value does not fit its field. */
static inline int32_t sc_exec_get_members(json_t *all,
					  const struct sc_exec_field *field,
					  size_t n_fields, void *out,
					  sc_error *err)
{
	const char *name;
	json_t *v;
	if (!json_is_object(all))
		return sc_fail(err, SC_EINVAL, "not a JSON object");
	json_object_foreach(all, name, v)
	{
		size_t i = 0;
		while (i < n_fields && strcmp(field[i].name, name))
			i++;
		if (i == n_fields)
			return sc_fail(err, SC_EINVAL, "unknown '%s'", name);
		if (sc_exec_get_value(v, &field[i], out) < 0)
			return sc_fail(err, SC_EINVAL, "'%s' is malformed",
				       name);
	}
	return SC_OK;
}

/* Parses a line; a member that comes twice is an error.  The caller calls
 * json_decref().  Returns NULL with *err filled in. */
static inline json_t *sc_exec_parse(const char *text, sc_error *err)
{
	json_error_t why;
	json_t *all = json_loads(
	    text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
	if (json_is_object(all))
		return all;
	sc_fail(err, SC_EINVAL, "not a JSON object%s%s", all ? "" : ": ",
		all ? "" : why.text);
	json_decref(all);
	return NULL;
}

/* The same for a line with one object. */
static inline int32_t sc_exec_get(const char *text,
				  const struct sc_exec_field *field,
				  size_t n_fields, void *out, sc_error *err)
{
	json_t *all = sc_exec_parse(text, err);
	int32_t rc = all ? sc_exec_get_members(all, field, n_fields, out, err)
			 : SC_EINVAL;
	json_decref(all);
	return rc;
}
#endif
