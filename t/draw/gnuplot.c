/* gnuplot: a script on its standard input, a file as its output. */
#include "draw/gnuplot.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static void hello(FILE *f, const void *what)
{
	fputs("title ", f);
	gnuplot_quoted(f, what);
}

int main(void)
{
	static const char want[] = "set terminal pngcairo size 720,380\n"
				   "set termoption noenhanced\n"
				   "title 'it''s `x`'";
	char folder[] = "/tmp/gnuplotXXXXXX", program[64], path[64];
	char text[200] = "";
	struct outfile to = {0};
	struct problem p;
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	snprintf(program, sizeof program, "%s/gnuplot", folder);
	snprintf(path, sizeof path, "%s/a.png", folder);
	setenv("PATH", folder, 1);
	ok(!gnuplot_is_there(), "it is not there");
	FILE *f = fopen(program, "we");
	if (!f)
		bail_out("a program");
	fputs("#!/bin/sh\nexec /bin/cat\n", f);
	fchmod(fileno(f), 0755);
	fclose(f);
	ok(gnuplot_is_there(), "it is");
	ok(outfile_open(&to, path, &p) == 0 &&
	       gnuplot_png(&to, hello, "it's\n`x`", &p) == 0 &&
	       outfile_commit(&to, &p) == 0,
	   "a script is run");
	f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	is(text, want, "with its texts in quotes");
	unlink(path), unlink(program), rmdir(folder);
	return done();
}
