/* draw/svg.h -- figures as inline SVG, for a page that has svg_css() among its
 * styles.  Each is a <figure> with its title and a key of its series.  Colours
 * are CSS variables, so that light, dark and print are the page's choice; text
 * can be read at the width of a phone.  Writes only to the FILE it is given. */
#ifndef SC_DRAW_SVG_H
#define SC_DRAW_SVG_H
#include <stdio.h>
#include "draw/figure.h"

/* All series over each other. */
void svg_figure(FILE *f, const struct figure *g);
/* A panel for each series, all on the same axes, so that none hides another.
 * Series without a name are drawn in each panel. */
void svg_panels(FILE *f, const struct figure *g);
void svg_waterfall(FILE *f, const struct waterfall *w);
/* The style sheet that all need, once per page. */
void svg_css(FILE *f);
/* Text with what HTML and SVG do not take replaced. */
void svg_text(FILE *f, const char *s);
#endif
