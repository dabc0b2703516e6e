/* listen.c -- Opens the socket that the server listens on. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "serve/listen.h"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un path;
	} is;
	socklen_t n;
};

static int bad(const char *text, struct problem *p)
{
	return problem_set(p, EXIT_USAGE,
			   "serve.listen = %s: not HOST:PORT with HOST an IP "
			   "address or localhost and PORT 0 to 65535, nor "
			   "[::1]:PORT, nor unix:PATH",
			   text);
}

/* Returns -1 if no socket can have this path. */
static int set_path(const char *path, struct address *to)
{
	to->is.path = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!*path || strlen(path) >= sizeof to->is.path.sun_path)
		return -1;
	strcpy(to->is.path.sun_path, path);
	to->n = sizeof to->is.path;
	return 0;
}

/* Parses "HOST:PORT", "[IPV6]:PORT" or "unix:PATH". */
static int parse(const char *text, struct address *to, struct problem *p)
{
	char host[80];
	const char *colon = strrchr(text, ':');
	char *end;
	if (!strncmp(text, "unix:", 5))
		return set_path(text + 5, to) < 0 ? bad(text, p) : 0;
	if (!colon || (size_t)(colon - text) >= sizeof host)
		return bad(text, p);
	unsigned long port = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || *end || port > 65535)
		return bad(text, p);
	snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		to->is.v6 =
		    (struct sockaddr_in6){.sin6_family = AF_INET6,
					  .sin6_port = htons((uint16_t)port)};
		to->n = sizeof to->is.v6;
		return inet_pton(AF_INET6, host + 1, &to->is.v6.sin6_addr) == 1
			   ? 0
			   : bad(text, p);
	}
	to->is.v4 = (struct sockaddr_in){.sin_family = AF_INET,
					 .sin_port = htons((uint16_t)port)};
	to->n = sizeof to->is.v4;
	return inet_pton(AF_INET, host, &to->is.v4.sin_addr) == 1
		   ? 0
		   : bad(text, p);
}

static int is_local(const struct address *a)
{
	if (a->is.any.sa_family == AF_INET)
		return ntohl(a->is.v4.sin_addr.s_addr) >> 24 == 127;
	return a->is.any.sa_family == AF_UNIX ||
	       IN6_IS_ADDR_LOOPBACK(&a->is.v6.sin6_addr);
}

static int port_of(int fd)
{
	struct address a = {.n = sizeof a.is};
	if (getsockname(fd, &a.is.any, &a.n) < 0)
		return 0;
	return a.is.any.sa_family == AF_INET    ? ntohs(a.is.v4.sin_port)
	       : a.is.any.sa_family == AF_INET6 ? ntohs(a.is.v6.sin6_port)
						: 0;
}

int listen_clear_path(const char *path, struct problem *p)
{
	struct stat is;
	struct address a;
	if (lstat(path, &is) < 0)
		return 0;
	if (!S_ISSOCK(is.st_mode))
		return problem_set(p, EXIT_USAGE,
				   "%s: is there, and is no socket; name a "
				   "path that is free",
				   path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int is_left = fd >= 0 && set_path(path, &a) == 0 &&
		      connect(fd, &a.is.any, a.n) < 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	if (!is_left)
		return problem_set(p, EXIT_USAGE,
				   "%s: another server listens there", path);
	unlink(path);
	return 0;
}

int listen_open(const char *text, int *port, int *local, struct problem *p)
{
	struct address a;
	const int one = 1;
	if (parse(text, &a, p) < 0)
		return -1;
	int is_path = a.is.any.sa_family == AF_UNIX;
	if (is_path && listen_clear_path(a.is.path.sun_path, p) < 0)
		return -1;
	*local = is_local(&a);
	int fd = socket(a.is.any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return problem_set(p, EXIT_USAGE, "%s: %s", text,
				   strerror(errno));
	if (!is_path)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	mode_t before = umask(0177);
	int rc = bind(fd, &a.is.any, a.n);
	umask(before);
	if (rc == 0)
		rc = listen(fd, 1024);
	if (rc < 0) {
		problem_set(p, EXIT_USAGE, "serve.listen = %s: %s", text,
			    strerror(errno));
		close(fd);
		return -1;
	}
	*port = port_of(fd);
	return fd;
}
