/* figure.c -- The colours of figures. */
#include <config.h>
#include "draw/figure.h"

/* Okabe and Ito's palette in darker shades; colour-blind readers can tell these
 * colours apart. */
const char *const figure_colour[FIGURE_COLOURS] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b",
    "#56b4e9", "#5b4b8a", "#6b6b6b", "#7a3b1d", "#1b1b1b"};
