/* plugins/field/figures.h -- figures that travel with a plugin: CSV files in
 * its own folder (sc_setup.plugin_dir), with a header that the plugin knows.
 *
 * A file is read whole by create() and stays until field_free(); its cells are
 * text, and point into it.  A line that begins with # says where the figures
 * are from.  Cells hold neither commas nor quotes. */
#ifndef FIELD_FIGURES_H
#define FIELD_FIGURES_H
#include <stdio.h>
#include "field.h"

struct field_figures {
	char *text;
	size_t rows, columns;
	const char **name; /* [columns] of the header */
	const char **cell; /* [rows * columns], behind the names */
};

static inline void field_free(struct field_figures *f)
{
	free(f->text);
	free(f->name);
	*f = (struct field_figures){0};
}

static inline const char *field_cell(const struct field_figures *f, size_t row,
				     size_t column)
{
	return f->cell[row * f->columns + column];
}
/* An empty cell is NaN. */
static inline double field_number(const struct field_figures *f, size_t row,
				  size_t column)
{
	const char *cell = field_cell(f, row, column);
	return *cell ? strtod(cell, NULL) : (double)NAN;
}

/* Reads the whole file; NULL: it cannot be read. */
static inline char *field_slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	long size = -1;
	if (f && fseek(f, 0, SEEK_END) == 0)
		size = ftell(f);
	if (size >= 0 && fseek(f, 0, SEEK_SET) == 0)
		text = (char *)malloc((size_t)size + 1);
	if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
		free(text);
		text = NULL;
	}
	if (text)
		text[size] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* Cuts the next line off *rest; NULL: there is none. */
static inline char *field_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');
	if (!*line)
		return NULL;
	*rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static inline size_t field_columns(const char *line)
{
	size_t n = 1;
	for (; *line; line++)
		n += *line == ',';
	return n;
}

/* Cuts the line into cells.  Returns how many it has. */
static inline size_t field_cut(char *line, const char **cell, size_t room)
{
	size_t n = 0;
	for (char *at = line, *comma; at; at = comma) {
		comma = strchr(at, ',');
		if (comma)
			*comma++ = '\0';
		if (n < room)
			cell[n] = at;
		n++;
	}
	return n;
}

/* line: the header; rest: the lines behind it. */
static inline int32_t field_cut_rows(struct field_figures *f, char *line,
				     char *rest, const char *path, int number,
				     sc_error *err)
{
	size_t lines = 2;
	for (const char *at = rest; *at; at++)
		lines += *at == '\n';
	f->columns = field_columns(line);
	f->name = (const char **)calloc(lines * f->columns, sizeof *f->name);
	if (!f->name)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	f->cell = f->name + f->columns;
	field_cut(line, f->name, f->columns);
	for (; (line = field_line(&rest)); f->rows++)
		if (number++, field_cut(line, f->cell + f->rows * f->columns,
					f->columns) != f->columns)
			return sc_fail(err, SC_ENODATA,
				       "%s:%d: %zu cells expected", path,
				       number, f->columns);
	return SC_OK;
}

/* Reads FOLDER/name of the plugin; header: of the file, or how it begins.
 * Returns SC_OK, or what sc_fail() returned; the caller calls field_free() in
 * either case. */
static inline int32_t field_load(struct field_figures *f, const sc_setup *s,
				 const char *name, const char *header,
				 sc_error *err)
{
	char path[4096], *rest, *line;
	int number = 1;
	*f = (struct field_figures){0};
	if (!SC_HAS(s, plugin_dir) || !s->plugin_dir)
		return sc_fail(
		    err, SC_ENODATA,
		    "the plugin's folder of figures is missing: it is "
		    "plugins/field/NAME in a data folder "
		    "(STEPCOST_DATA_PATH), or that of NAME/NAME.so");
	snprintf(path, sizeof path, "%s/%s", s->plugin_dir, name);
	if (!(f->text = field_slurp(path)))
		return sc_fail(err, SC_ENODATA, "%s cannot be read", path);
	rest = f->text;
	while ((line = field_line(&rest)) && *line == '#')
		number++;
	if (!line || strncmp(line, header, strlen(header)) != 0)
		return sc_fail(err, SC_ENODATA, "%s:%d: expected the header %s",
			       path, number, header);
	return field_cut_rows(f, line, rest, path, number, err);
}
#endif
