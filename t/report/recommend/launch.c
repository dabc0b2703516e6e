/* Scripts that start a recommended configuration. */
#include "report/recommend/launch.h"
#include "recommended.h"
#include "rendered.h"

int main(void)
{
	struct ini c = {0};
	struct launch_command server;
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	ok(launch_ini(&c, &recommended, recommended.arm[0].winner, &why) == 0,
	   "the configuration of the winner");
	is(launch_engine(&c), "vllm", "its engine");
	ok(ini_write(&c, rendered_begin(), &why) == 0, "as an INI");
	rendered_has(rendered_end(), "replicas = 2\n");
	ok(launch_command(&server, &recommended, &c, -1, &why) == 0,
	   "a server");
	launch_server(&server, rendered_begin());
	rendered_has(rendered_end(), "exec vllm serve");
	rendered_has(rendered_text, "Start 2 of these");
	rendered_has(rendered_text, "--max-num-seqs 8");
	launch_client(&c, 3, rendered_begin());
	rendered_has(rendered_end(), "--random-input-len 10");
	rendered_has(rendered_text, "--request-rate 3");
	launch_command_free(&server);
	ini_free(&c);
	recommend_free(&recommended);
	return done();
}
