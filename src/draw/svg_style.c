/* svg_style.c -- Writes the style sheet of figures. */
#include "draw/svg.h"
#include <stdlib.h>
#include <string.h>

/* The colours of figure_colour in lighter shades. */
static const char *const on_dark[FIGURE_COLOURS] = {
    "#5ab4f0", "#ff8c42", "#3ed6a5", "#f0a5cf", "#f0c948",
    "#9ad8ff", "#b3a2f0", "#b0b0b0", "#c98a6a", "#f5f5f5"};
static const char *const dash[FIGURE_COLOURS] = {
    "none",        "7 3", "2 2", "10 3 2 3",    "12 4",
    "5 2 1 2 1 2", "3 5", "1 3", "8 2 8 2 2 2", "14 3 3 3"};

/* Colours of things that are no series.  The bars of a waterfall belong to none
 * of its two arms. */
static const char light[] = "--paper:#fff;--grid:#ddd;--ink:#222;"
			    "--more:#a3243b;--less:#6f9cad;";
static const char dark[] = "--paper:#181818;--grid:#444;--ink:#ddd;"
			   "--more:#e0667a;--less:#5d8796;";

static void variables(FILE *f, const char *others, const char *const *colour)
{
	fprintf(f, ":root{%s", others);
	for (int i = 0; i < FIGURE_COLOURS; i++)
		fprintf(f, "--s%d:%s;", i, colour[i]);
	fputc('}', f);
}

/* Writes the colour of light that a variable has; name: "ink" or "s0". */
static void put_colour(FILE *f, const char *name, size_t n)
{
	char key[40];
	long slot = *name == 's' ? strtol(name + 1, NULL, 10) : -1;
	snprintf(key, sizeof key, "--%.*s:", (int)n, name);
	const char *at = strstr(light, key);
	if (at) {
		at += strlen(key);
		fprintf(f, "%.*s", (int)strcspn(at, ";"), at);
	} else if (slot >= 0 && slot < FIGURE_COLOURS) {
		fputs(figure_colour[slot], f);
	}
}

void svg_write_plain(FILE *f, const char *svg)
{
	static const char before[] = "var(--";
	for (const char *at; (at = strstr(svg, before));) {
		const char *name = at + strlen(before);
		size_t n = strcspn(name, ")");
		fwrite(svg, 1, (size_t)(at - svg), f);
		put_colour(f, name, n);
		svg = name + n + (name[n] == ')');
	}
	fputs(svg, f);
}

/* The first lines are the widest, so that where series coincide all are
 * visible. */
static double line_width(int slot)
{
	return slot == 0 ? 3.4 : slot == 1 ? 2.4 : 1.6;
}

/* Where a figure is narrow its text is larger, so that it stays readable. */
static void texts(FILE *f)
{
	fputs(".fig{display:block;width:100%;height:auto;"
	      "font:12px sans-serif;fill:var(--ink)}\n"
	      "figure{container-type:inline-size}"
	      "@container(max-width:470px){.plot .fig{font-size:15px}}\n"
	      "@container(max-width:400px){.plot .fig{font-size:17px}}\n"
	      ".fig .m{text-anchor:middle}.fig .e{text-anchor:end}"
	      ".fig .h{font-size:15px;font-weight:bold}\n",
	      f);
}

void svg_css(FILE *f)
{
	variables(f, light, figure_colour);
	fputs("\n@media(prefers-color-scheme:dark){", f);
	variables(f, dark, on_dark);
	fputs("}\n@media print{", f);
	variables(f, light, figure_colour);
	fputs("}\nfigure{margin:.6rem 0;break-inside:avoid;min-width:0}"
	      "figcaption{font-weight:bold}\n",
	      f);
	texts(f);
	fputs(".fig .g{stroke:var(--grid);stroke-width:.6}"
	      ".fig .z{stroke:var(--ink);stroke-width:1}"
	      ".fig .j{stroke:var(--ink);stroke-width:.6;"
	      "stroke-dasharray:2 2}.paper{fill:var(--paper)}\n"
	      ".more{fill:var(--more)}.less{fill:var(--less)}"
	      ".sum{fill:var(--grid);stroke:var(--ink)}\n"
	      ".s,.p,.w,.rule{fill:none}.w{stroke-opacity:.6;stroke-width:2}"
	      ".p{stroke-width:4;stroke-linecap:round;opacity:.65}"
	      ".p.a{stroke-width:11;opacity:1}"
	      ".rule{stroke:var(--ink);stroke-width:1.2;"
	      "stroke-dasharray:6 3}\n"
	      ".plot{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;"
	      "align-items:center}"
	      ".plot>.fig{flex:1 1 19rem;max-width:44rem;min-width:0}"
	      ".key{display:flex;flex-flow:row wrap;flex:0 1 14rem;"
	      "gap:.15rem 1rem}.key span{overflow-wrap:anywhere}"
	      ".key svg{width:32px;height:10px;margin-right:.4rem}"
	      "@container(max-width:560px){.key{flex-basis:100%}}\n"
	      ".panels{display:grid;gap:0 1rem;grid-template-columns:"
	      "repeat(auto-fill,minmax(min(100%,17rem),1fr))}"
	      ".panels figcaption{font-weight:normal}\n",
	      f);
	for (int i = 0; i < FIGURE_COLOURS; i++)
		fprintf(f,
			".s%d{stroke:var(--s%d);stroke-width:%g}"
			".t%d{stroke-dasharray:%s}.p%d{stroke:var(--s%d)}"
			".f%d{fill:var(--s%d)}\n",
			i, i, line_width(i), i, dash[i], i, i, i, i);
}
