/* draw/dots.h -- figures of a few named things: a row for each, with its name,
 * a dot on a common axis, a whisker where its range is known, and the numbers.
 *
 * It is HTML with drawings that stretch, so text has the size of the page's
 * text at any width.  It points to the caller's numbers and owns nothing. Needs
 * svg_css() and html_begin()'s style sheet. */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct dots_row {
	const char *name;
	unsigned slot;    /* index in figure_colour[] */
	double at;        /* NaN: no dot */
	double low, high; /* ends of the whisker; NaN: none */
	const char *note; /* instead of the numbers; NULL: the numbers */
};

struct dots {
	const char *title; /* with the unit */
	const struct dots_row *row;
	size_t n;
};

/* Writes the rows with a common axis.  The axis is logarithmic if the values,
 * ends of whiskers included, span more than two decades.  If the dots alone
 * span that much, the axis ends at the dots, and a longer whisker is cut off
 * there with an arrow. */
void dots_html(FILE *f, const struct dots *d);
