/* draw/svg.h -- figures as inline SVG, for a page that has svg_css() among its
 * styles.  Each is a <figure> with its title and,
 * beside the drawing, a key of its series.  Colours
 * are CSS variables, so that the page chooses light, dark or print; text is
 * readable at the width of a phone.  Writes only to the FILE it gets. */
#pragma once
#include <stdio.h>
#include "draw/figure.h"

/* Draws all series in one panel. */
void svg_figure(FILE *f, const struct figure *g);
/* Draws one panel per series, all with the same axes, so that no series hides
 * another.  Series without a name are drawn in each panel. */
void svg_panels(FILE *f, const struct figure *g);
void svg_waterfall(FILE *f, const struct waterfall *w);
/* A file of its own: all series in one panel, the key beside it, and the
 * style. */
void svg_alone(FILE *f, const struct figure *g);
void svg_waterfall_alone(FILE *f, const struct waterfall *w);
/* Everything between these two is drawn below the title of such a file. */
void svg_alone_begin(FILE *f, const char *title, int width, int height);
void svg_alone_end(FILE *f);
/* Writes 20000 as "20k". */
void svg_tick_text(char s[32], double v);
/* Writes the style sheet for all figures; call it once per page. */
void svg_css(FILE *f);
/* Writes an SVG with the colours of light in place of its CSS variables, which
 * not every program knows. */
void svg_write_plain(FILE *f, const char *svg);
/* Writes text with the special characters of HTML and SVG replaced, in UTF-8: a
 * byte that is none, or a character that turns text around, by its code. */
void svg_text(FILE *f, const char *s);
