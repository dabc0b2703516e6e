/* api_server.c -- Takes requests in, and hands tokens out. */
#include "sim/front/api_server.h"

static int64_t serve(int64_t *free_ns, int64_t from_ns, int64_t lasts_ns)
{
	*free_ns = (from_ns > *free_ns ? from_ns : *free_ns) + lasts_ns;
	if (*free_ns > REPLICA_LAST_INSTANT)
		*free_ns = REPLICA_LAST_INSTANT;
	return *free_ns;
}

int64_t api_server_take(struct api_server *f, const struct engine *e,
			const struct request *r, int64_t joined_ns)
{
	return serve(api_server_is_shared(e) ? &f->out_free_ns : &f->in_free_ns,
		     joined_ns,
		     e->api_request_ns + e->api_token_ns * r->input_tokens);
}

int64_t api_server_hand_out(struct api_server *f, const struct engine *e,
			    uint32_t n, uint32_t n_first, int64_t end_ns)
{
	return serve(&f->out_free_ns, end_ns,
		     n * e->output_token_ns + n_first * e->output_first_ns);
}
