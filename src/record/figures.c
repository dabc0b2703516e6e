/* figures.c -- The tables of figures. */
#include <config.h>
#include "record/figures.h"

const struct figure_kind capacity_figure[N_CAPACITY_FIGURES] = {
    [FIGURE_REQUEST_RATE] = {"request_rate", "1/s", 1},
    [FIGURE_RATE_SCALE] = {"rate_scale", "", 1},
    [FIGURE_OUTPUT_THROUGHPUT] = {"output_throughput", "tok/s", 1},
    [FIGURE_GPUS_PER_DEPLOYMENT] = {"gpus_per_deployment", "", -1},
    [FIGURE_DEPLOYMENTS] = {"deployments", "", -1},
    [FIGURE_GPUS] = {"gpus", "", -1},
    [FIGURE_USD_PER_HOUR] = {"usd_per_hour", "USD/h", -1},
    [FIGURE_USD_PER_MTOK] = {"usd_per_million_output_tokens", "USD", -1},
    [FIGURE_BROKEN_RATE_SCALE] = {"broken_rate_scale", "", 0},
    [FIGURE_BROKEN_VALUE] = {"broken_value", "ms", 0},
    [FIGURE_SIMULATIONS] = {"simulations", "", 0},
    [FIGURE_REQUESTS] = {"requests", "", 0},
    [FIGURE_COMPLETED] = {"completed", "", 0},
    [FIGURE_REJECTED] = {"rejected", "", 0},
};

const struct figure_kind cost_figure[N_COST_FIGURES] = {
    [COST_GPUS] = {"gpus", "", -1},
    [COST_OUTPUT_THROUGHPUT_PER_GPU] = {"output_throughput_per_gpu", "tok/s",
					1},
    [COST_USD_PER_HOUR] = {"usd_per_hour", "USD/h", -1},
    [COST_USD_PER_MTOK] = {"usd_per_million_output_tokens", "USD", -1},
};
