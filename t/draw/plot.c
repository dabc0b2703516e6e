/* Figures as files: .svg by ourselves, .png by the program called rsvg-convert;
 * no shell, and no name that is a command. */
#include "draw/plot.h"
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static struct problem p;
static char folder[] = "/tmp/plotXXXXXX";

/* Draws what it is told, as text. */
static void write_program(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	if (!f)
		bail_out("a program");
	fprintf(f, "#!/bin/sh\n%s\n", text);
	fchmod(fileno(f), 0755);
	fclose(f);
}

static void refused(const char *path, const char *why)
{
	struct plot o;
	char want[200];
	snprintf(want, sizeof want, "%s: %s", path, why);
	ok(plot_open(&o, path, &p) < 0 && p.code == EXIT_USAGE, "refused");
	is(p.text, want, "why");
}

static int draw(const struct figure *g, const char *path)
{
	struct plot o;
	if (plot_open(&o, path, &p) < 0)
		return -1;
	if (plot_figure(&o, g, &p) == 0)
		return outfile_commit(&o.to, &p);
	outfile_discard(&o.to);
	return -1;
}

static int has(const char *path, const char *text)
{
	char s[2000];
	int found = 0;
	FILE *f = fopen(path, "re");
	while (f && fgets(s, sizeof s, f))
		found |= strstr(s, text) != NULL;
	if (f)
		fclose(f);
	return found;
}

static int begins(const char *path, const char *with)
{
	char s[200] = "";
	FILE *f = fopen(path, "re");
	if (f && !fgets(s, sizeof s, f))
		*s = 0;
	if (f)
		fclose(f);
	return !strncmp(s, with, strlen(with));
}

int main(void)
{
	const double x[] = {1, 2}, y[] = {3, 4};
	const struct figure_series s = {
	    .name = "it's `a`", .x = x, .y = y, .n = 2};
	const struct figure g = {"it's\n\033", "x", "y", SCALE_LINEAR,
				 SCALE_LINEAR, &s,  1};
	char program[100], path[100], svg[100];
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	snprintf(program, sizeof program, "%s/rsvg-convert", folder);
	snprintf(path, sizeof path, "%s/it's | `a`.png", folder);
	refused("a.pdf", "a plot ends in .svg or .png");
	refused("|cat >a.svg", "a plot goes to a file, not to a command");
	refused("<cat a.png", "a plot goes to a file, not to a command");
	if (system("command -v rsvg-convert >/dev/null 2>&1") == 0)
		ok(draw(&g, path) == 0 && access(path, R_OK) == 0, "draws");
	else
		ok(draw(&g, path) < 0, "without it: %s", p.text);
	unlink(path);
	setenv("PATH", folder, 1);
	refused(path,
		"a .png needs rsvg-convert, which is not installed (Debian: "
		"librsvg2-bin); .svg does not");
	snprintf(svg, sizeof svg, "%s/a.svg", folder);
	ok(draw(&g, svg) == 0 && begins(svg, "<svg "), "a .svg does not");
	unlink(svg);
	write_program(program, "exec /bin/cat");
	ok(draw(&g, path) == 0, "what it writes is the file");
	ok(begins(path, "<svg "), "of the SVG");
	ok(has(path, ".s0{stroke:#0072b2;") && !has(path, "var("),
	   "with colours in place of variables");
	write_program(program, "echo $*");
	ok(draw(&g, path) == 0 && begins(path, "--format=png\n"), "as png");
	unlink(path);
	write_program(program, "exit 1");
	ok(draw(&g, path) < 0 && access(path, F_OK) < 0, "%s", p.text);
	write_program(program, "exit 0");
	ok(draw(&g, path) < 0 && access(path, F_OK) < 0, "%s", p.text);
	unlink(program), rmdir(folder);
	return done();
}
