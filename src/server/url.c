/* url.c -- Reads what an address has, by libcurl. */
#include <config.h>
#include "server/url.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBCURL
#include <curl/curl.h>
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

static void allow_http_alone(CURL *c)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	long http = CURLPROTO_HTTP | CURLPROTO_HTTPS;
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, http);
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS, http);
#endif
}

static CURLcode ask(CURL *c, const char *url, struct answer *a, char *why)
{
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, why);
	allow_http_alone(c);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(c, CURLOPT_MAXREDIRS, 3L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, 5L);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)URL_LIMIT_S);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(c, CURLOPT_USERAGENT, PACKAGE "/" VERSION);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, a);
	return curl_easy_perform(c);
}

static int judge(CURL *c, CURLcode rc, const char *url, const struct answer *a,
		 const char *why, struct problem *p)
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
				   url, *why ? why : curl_easy_strerror(rc));
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		return problem_set(p, EXIT_USAGE,
				   "%s: the server answers %ld instead of 200; "
				   "vLLM's page is http://HOST:PORT/metrics",
				   url, status);
	return 0;
}

static int fetch(const char *url, struct answer *a, struct problem *p)
{
	char why[CURL_ERROR_SIZE] = "";
	CURL *c = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK
		      ? curl_easy_init()
		      : NULL;
	if (!c)
		return problem_no_memory(p);
	CURLcode rc = ask(c, url, a, why);
	int result = judge(c, rc, url, a, why, p);
	curl_easy_cleanup(c);
	curl_global_cleanup();
	return result;
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
