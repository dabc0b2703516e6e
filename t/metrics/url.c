/* url.c -- Addresses without a server, and an answer on this machine. */
#include "metrics/url.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tap.h"

static struct problem p;
static char *text;
static size_t n;

/* Listens on a free port of this machine; *port is 0 if that fails. */
static int listener(int *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	*port = 0;
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 &&
	    listen(fd, 4) == 0 &&
	    getsockname(fd, (struct sockaddr *)&a, &size) == 0)
		*port = ntohs(a.sin_port);
	return fd;
}

/* A child gives this answer once, and notes the first word of the path. */
static pid_t answer_once(int fd, const char *answer)
{
	pid_t child = fork();
	if (child)
		return child;
	char asked[2000] = "";
	alarm(30);
	int c = accept(fd, NULL, NULL);
	ssize_t got = read(c, asked, sizeof asked - 1);
	int right = got > 0 && !strncmp(asked, "GET /metrics ", 13);
	ssize_t sent = write(c, answer, strlen(answer));
	close(c);
	_exit(right && sent > 0 ? 0 : 1);
}

static int ask(const char *answer, size_t at_most, int *was_asked)
{
	char url[80];
	int port, status = 1, fd = listener(&port);
	if (!port)
		bail_out("no port");
	pid_t child = answer_once(fd, answer);
	snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
	p = (struct problem){0};
	int rc = url_read(url, at_most, &text, &n, &p);
	waitpid(child, &status, 0);
	close(fd);
	*was_asked = status == 0;
	return rc;
}

static void answers(void)
{
	int asked;
	ok(ask("HTTP/1.0 200 OK\r\n\r\na 1\n", 1000, &asked) == 0 && n == 4,
	   "an answer %s", p.text);
	ok(asked, "an address without a path means /metrics");
	is(text, "a 1\n", "its text");
	free(text);
	ok(ask("HTTP/1.0 404 Not Found\r\n\r\nno\n", 1000, &asked) < 0 &&
	       p.code == EXIT_USAGE && strstr(p.text, "404"),
	   "%s", p.text);
	ok(ask("HTTP/1.0 200 OK\r\n\r\n0123456789", 5, &asked) < 0 &&
	       strstr(p.text, "more than"),
	   "%s", p.text);
	ok(ask("HTTP/1.0 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
	       1000, &asked) < 0,
	   "never a file: %s", p.text);
}

static void refused_connection(void)
{
	char url[80];
	int port, fd = listener(&port);
	close(fd);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/metrics", port);
	ok(url_read(url, 100, &text, &n, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, url),
	   "%s", p.text);
}

int main(void)
{
	ok(url_is("http://a") && url_is("https://a:1/b"), "addresses");
	ok(!url_is("a.txt") && !url_is("ftp://a") && !url_is(""), "files");
	if (url_is_supported()) {
		refused_connection();
		answers();
		return done();
	}
	ok(url_read("http://a", 100, &text, &n, &p) < 0 &&
	       strstr(p.text, "without libcurl"),
	   "%s", p.text);
	return done();
}
