/* Regular files are opened, close-on-exec; other files are refused, without a
 * wait. */
#include "base/file/infile.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "tap.h"

static char folder[] = "infile.XXXXXX";

static const char *at(const char *name)
{
	static char path[100];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void refused(const char *path, const char *why)
{
	struct problem p = {0};
	char want[200];
	snprintf(want, sizeof want, "%s: %s", path, why);
	ok(infile_check(path, &p) < 0 && p.code == EXIT_USAGE &&
	       !strcmp(p.text, want),
	   "it would be refused: %s", p.text);
	p.code = EXIT_DONE;
	ok(!infile_open(path, &p) && p.code == EXIT_USAGE, "refused");
	is(p.text, want, "why");
}

static void make_socket(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
	ok(bind(fd, (struct sockaddr *)&name, sizeof name) == 0, "a socket");
	close(fd);
}

static void long_one(const char *path)
{
	struct problem p;
	FILE *f = fopen(path, "we");
	ok(f && ftruncate(fileno(f), 2 << 20) == 0, "2 MiB");
	if (f)
		fclose(f);
	f = infile_open_short(path, 2, &p);
	ok(f && getc(f) == 0, "as long as it may be");
	if (f)
		fclose(f);
	ok(!infile_open_short(path, 1, &p) && p.code == EXIT_INPUT &&
	       strstr(p.text, "long: more than 1 MiB"),
	   "longer");
	unlink(path);
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	FILE *f = fopen(at("file"), "we");
	fputs("text", f);
	fclose(f);
	ok(infile_check(at("file"), NULL) == 0, "a file would be opened");
	f = infile_open(at("file"), NULL);
	ok(f && getc(f) == 't', "a file");
	ok(fcntl(fileno(f), F_GETFD) & FD_CLOEXEC, "close-on-exec");
	fclose(f);
	ok(symlink("file", at("link")) == 0, "a link");
	f = infile_open(at("link"), NULL);
	ok(f && getc(f) == 't', "its target");
	fclose(f);
	refused(at("none"),
		"No such file or directory; name a file that is there");
	refused(folder, "Is a directory; name a file in it");
	ok(mkfifo(at("pipe"), 0600) == 0, "a pipe");
	refused(at("pipe"), "is a pipe, not a file: save it in one first");
	make_socket(at("socket"));
	refused(at("socket"), "is a socket, not a file");
	refused("/dev/zero", "is a device, not a file");
	size_t n = 0;
	char *text = infile_read(at("file"), 1, &n, NULL);
	is(text, "text", "a whole file, with a 0 behind it");
	ok(n == 4, "and its length");
	free(text);
	ok(!infile_read(at("none"), 1, &n, NULL), "no file, no text");
	enum { LONG = 200000 };
	f = tmpfile();
	for (int i = 0; f && i < LONG; i++)
		putc(i % 3 ? 'x' : '\0', f);
	rewind(f);
	ok(getc(f) == 0 && (text = infile_rest(f, &n)) && n == LONG - 1 &&
	       text[0] == 'x' && text[2] == 0 && text[n] == 0,
	   "the rest of a long one, with zeros within");
	free(text);
	fclose(f);
	long_one(at("long"));
	ok(!infile_open(at("none"), NULL), "nobody has to ask why");
	unlink(at("file")), unlink(at("link"));
	unlink(at("pipe")), unlink(at("socket")), rmdir(folder);
	return done();
}
