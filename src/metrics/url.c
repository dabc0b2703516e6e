/* url.c -- Reads what an address has, by libcurl. */
#include <config.h>
#include "metrics/url.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBCURL
#include <curl/curl.h>
#include <dlfcn.h>
#endif

int url_is(const char *s)
{
	return !strncmp(s, "http://", 7) || !strncmp(s, "https://", 8);
}

#ifdef HAVE_LIBCURL
int url_is_supported(void)
{
	return 1;
}

/* ---- libcurl, loaded when an address is read ---- */

/* Only this file needs it, and with the libraries that it brings it takes as
 * long to load as a short run, and 5 MB. */
struct curl {
	void *dso;
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *c, CURLoption option, ...);
	CURLcode (*easy_perform)(CURL *c);
	CURLcode (*easy_getinfo)(CURL *c, CURLINFO info, ...);
	const char *(*easy_strerror)(CURLcode code);
	void (*easy_cleanup)(CURL *c);
	void (*global_cleanup)(void);
};

/* Returns 0, or -1: there is no such library, or not all of it. */
static int curl_load(struct curl *l, const char *name)
{
	const struct {
		const char *symbol;
		void *to;
	} want[] = {{"curl_global_init", &l->global_init},
		    {"curl_easy_init", &l->easy_init},
		    {"curl_easy_setopt", &l->easy_setopt},
		    {"curl_easy_perform", &l->easy_perform},
		    {"curl_easy_getinfo", &l->easy_getinfo},
		    {"curl_easy_strerror", &l->easy_strerror},
		    {"curl_easy_cleanup", &l->easy_cleanup},
		    {"curl_global_cleanup", &l->global_cleanup}};
	l->dso = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	int whole = l->dso != NULL;
	for (size_t i = 0; whole && i < sizeof want / sizeof *want; i++) {
		void *found = dlsym(l->dso, want[i].symbol);
		memcpy(want[i].to, &found, sizeof found);
		whole = found != NULL;
	}
	if (l->dso && !whole)
		dlclose(l->dso);
	return whole ? 0 : -1;
}

/* By the names of its interface 4, that of every libcurl since 7.16: with
 * OpenSSL, with GnuTLS. */
static int curl_find(struct curl *l, const char *url, struct problem *p)
{
	static const char *const name[] = {"libcurl.so.4",
					   "libcurl-gnutls.so.4"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (curl_load(l, name[i]) == 0)
			return 0;
	return problem_set(p, EXIT_USAGE,
			   "%s: no %s on this machine to read it with; save "
			   "the page first: curl -o metrics.txt %s",
			   url, name[0], url);
}

/* ---- reading ---- */

struct answer {
	char *text;
	size_t n, cap, at_most;
	int too_long, no_memory;
};

static int grow(struct answer *a, size_t wanted)
{
	size_t cap = a->cap ? a->cap : 1 << 16;
	while (cap <= wanted)
		cap *= 2;
	char *text = cap == a->cap ? a->text : realloc(a->text, cap);
	if (!text)
		return -1;
	a->text = text;
	a->cap = cap;
	return 0;
}

static size_t take(char *bytes, size_t size, size_t count, void *user)
{
	struct answer *a = user;
	size_t n = size * count;
	a->too_long = n > a->at_most - a->n;
	a->no_memory = !a->too_long && grow(a, a->n + n) < 0;
	if (a->too_long || a->no_memory)
		return 0;
	memcpy(a->text + a->n, bytes, n);
	a->n += n;
	return n;
}

/* Returns the address, with /metrics if it has no path; the caller frees it. */
static char *with_path(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	const char *path = strchr(host, '/');
	char *whole = NULL;
	if (path && path[1])
		return strdup(url);
	return asprintf(&whole, "%s%smetrics", url, path ? "" : "/") < 0
		   ? NULL
		   : whole;
}

static void allow_http_alone(const struct curl *l, CURL *c)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	l->easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	l->easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	long http = CURLPROTO_HTTP | CURLPROTO_HTTPS;
	l->easy_setopt(c, CURLOPT_PROTOCOLS, http);
	l->easy_setopt(c, CURLOPT_REDIR_PROTOCOLS, http);
#endif
}

static CURLcode ask(const struct curl *l, CURL *c, const char *url,
		    struct answer *a, char *why)
{
	l->easy_setopt(c, CURLOPT_URL, url);
	l->easy_setopt(c, CURLOPT_ERRORBUFFER, why);
	allow_http_alone(l, c);
	l->easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
	l->easy_setopt(c, CURLOPT_MAXREDIRS, 3L);
	l->easy_setopt(c, CURLOPT_CONNECTTIMEOUT, 5L);
	l->easy_setopt(c, CURLOPT_TIMEOUT, (long)URL_LIMIT_S);
	l->easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	l->easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
	l->easy_setopt(c, CURLOPT_USERAGENT, PACKAGE "/" VERSION);
	l->easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
	l->easy_setopt(c, CURLOPT_WRITEDATA, a);
	return l->easy_perform(c);
}

static int judge(const struct curl *l, CURL *c, CURLcode rc, const char *url,
		 const struct answer *a, const char *why, struct problem *p)
{
	long status = 0;
	if (a->no_memory)
		return problem_no_memory(p);
	if (a->too_long)
		return problem_set(p, EXIT_USAGE,
				   "%s: more than %zu MiB; not a page of "
				   "metrics or the log of a start",
				   url, a->at_most >> 20);
	if (rc != CURLE_OK)
		return problem_set(p, EXIT_USAGE,
				   "%s: %s; is the server running, and can "
				   "this machine reach it?",
				   url, *why ? why : l->easy_strerror(rc));
	l->easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		return problem_set(p, EXIT_USAGE,
				   "%s: the server answers %ld instead of 200; "
				   "vLLM's page is http://HOST:PORT/metrics",
				   url, status);
	return 0;
}

static int fetch_by(const struct curl *l, const char *url, struct answer *a,
		    struct problem *p)
{
	char why[CURL_ERROR_SIZE] = "";
	CURL *c = l->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK
		      ? l->easy_init()
		      : NULL;
	if (!c)
		return problem_no_memory(p);
	CURLcode rc = ask(l, c, url, a, why);
	int result = judge(l, c, rc, url, a, why, p);
	l->easy_cleanup(c);
	l->global_cleanup();
	return result;
}

static int fetch(const char *url, struct answer *a, struct problem *p)
{
	struct curl l;
	if (curl_find(&l, url, p) < 0)
		return -1;
	int rc = fetch_by(&l, url, a, p);
	dlclose(l.dso);
	return rc;
}

int url_read(const char *url, size_t at_most, char **text, size_t *n,
	     struct problem *p)
{
	struct answer a = {.at_most = at_most};
	char *whole = with_path(url);
	int rc = whole ? fetch(whole, &a, p) : problem_no_memory(p);
	free(whole);
	if (rc == 0 && grow(&a, a.n) < 0)
		rc = problem_no_memory(p);
	if (rc < 0) {
		free(a.text);
		return -1;
	}
	a.text[a.n] = '\0';
	*text = a.text;
	*n = a.n;
	return 0;
}
#else
int url_is_supported(void)
{
	return 0;
}

int url_read(const char *url, size_t at_most, char **text, size_t *n,
	     struct problem *p)
{
	(void)at_most, (void)text, (void)n;
	return problem_set(p, EXIT_USAGE,
			   "%s: this stepcost was built without libcurl; save "
			   "the page first: curl -o metrics.txt %s",
			   url, url);
}
#endif
