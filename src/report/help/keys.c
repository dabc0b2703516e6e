/* keys.c -- Writes the allowed values and the meaning of a key. */
#include "report/help/keys.h"
#include <string.h>
#include "base/number.h"
#include "base/paragraph.h"
#include "keys/keys.h"

const char *key_allowed(const sc_knob *k, char *buf, size_t size)
{
	char min[NUMBER_SIZE], max[NUMBER_SIZE];
	size_t n = 0;
	buf[0] = '\0';
	if (k->type == SC_KNOB_BOOL) {
		snprintf(buf, size, "true|false");
	} else if (k->type == SC_KNOB_CHOICE) {
		for (int i = 0; k->choices[i] && n < size; i++)
			n += (size_t)snprintf(buf + n, size - n, "%s%s",
					      i ? "|" : "", k->choices[i]);
	} else if (k->type == SC_KNOB_DOUBLE || k->type == SC_KNOB_INT) {
		number_format(min, k->min);
		number_format(max, k->max);
		snprintf(buf, size, "[%s, %s]", min, max);
	}
	return buf;
}

const char *key_type(const sc_knob *k)
{
	static const char *const name[] = {"?",      "double", "int",    "bool",
					   "choice", "text",   "numbers"};
	return name[k->type <= SC_KNOB_NUMBERS ? k->type : 0];
}

const char *key_unit(const sc_knob *k)
{
	return strcmp(k->unit, "1") ? k->unit : "";
}

void key_text(FILE *f, const sc_knob *k, const char *prefix, const char *more)
{
	char range[400], head[200], name[100];
	snprintf(name, sizeof name, "%s%s", prefix, k->name);
	snprintf(head, sizeof head, "  %-24s %s %-10s %-8s ", name,
		 k->def ? "=" : " ",
		 !k->def     ? "(needed)"
		 : k->def[0] ? k->def
			     : "(empty)",
		 key_unit(k));
	key_allowed(k, range, sizeof range);
	/* A list of words too long for the line gets lines of its own. */
	int is_long = strchr(range, '|') &&
		      strlen(head) + strlen(range) > PARAGRAPH_COLUMNS;
	fprintf(f, "%s%s\n", head, is_long ? "one of" : range);
	for (char *bar = range; is_long && (bar = strchr(bar, '|')); bar++)
		*bar = ' ';
	if (is_long)
		paragraph_print(f, PARAGRAPH_COLUMNS, 8, "        %s", range);
	paragraph_print(f, PARAGRAPH_COLUMNS, 6, "      %s%s%s", k->help,
			more ? " " : "", more ? more : "");
}

void key_json(struct jw *j, const sc_knob *k)
{
	jw_text(j, "name", k->name);
	jw_text(j, "type", key_type(k));
	jw_text(j, "default", k->def);
	jw_text(j, "unit", k->unit);
	if (k->type == SC_KNOB_DOUBLE || k->type == SC_KNOB_INT) {
		jw_number(j, "min", k->min);
		jw_number(j, "max", k->max);
	}
	if (k->type == SC_KNOB_CHOICE) {
		jw_array(j, "choices");
		for (int i = 0; k->choices[i]; i++)
			jw_text(j, NULL, k->choices[i]);
		jw_end(j);
	}
	jw_text(j, "help", k->help);
	jw_text(j, "when", knob_when(k));
	if (k->type == SC_KNOB_DOUBLE || k->type == SC_KNOB_INT) {
		double low, high;
		knob_fit_bounds(k, &low, &high);
		jw_number(j, "fit_low", low);
		jw_number(j, "fit_high", high);
		jw_text(j, "scale",
			knob_scale(k) == SC_SCALE_LOG ? "log" : "linear");
	}
}
