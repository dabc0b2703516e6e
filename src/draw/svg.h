/* draw/svg.h -- figures and bars as inline SVG, for a page that has svg_css()
 * among its styles.  Colours are CSS variables, so that light, dark and print
 * are the page's choice.  Writes only to the FILE it is given. */
#ifndef SC_DRAW_SVG_H
#define SC_DRAW_SVG_H
#include <stdio.h>
#include "draw/figure.h"

void svg_figure(FILE *f, const struct figure *g);
void svg_bars(FILE *f, const struct bars *b);
/* The style sheet that both need, once per page. */
void svg_css(FILE *f);
/* Text with what HTML and SVG do not take replaced. */
void svg_text(FILE *f, const char *s);
#endif
