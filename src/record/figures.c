/* figures.c -- The tables of figures. */
#include <config.h>
#include "record/figures.h"

const struct figure_kind capacity_figure[N_CAPACITY_FIGURES] = {
    [FIGURE_REQUEST_RATE] = {"request_rate", "1/s", 1},
    [FIGURE_REQUEST_RATE_LOW] = {"request_rate_low", "1/s", 1},
    [FIGURE_REQUEST_RATE_HIGH] = {"request_rate_high", "1/s", 1},
    [FIGURE_CONFIDENCE] = {"confidence", "", 0},
    [FIGURE_HALF_WIDTH] = {"half_width", "", 0},
    [FIGURE_RATE_SCALE] = {"rate_scale", "", 1},
    [FIGURE_OUTPUT_THROUGHPUT] = {"output_throughput", "tok/s", 1},
    [FIGURE_GPUS_PER_DEPLOYMENT] = {"gpus_per_deployment", "", -1},
    [FIGURE_DEPLOYMENTS_LOW] = {"deployments_low", "", -1},
    [FIGURE_DEPLOYMENTS] = {"deployments", "", -1},
    [FIGURE_DEPLOYMENTS_HIGH] = {"deployments_high", "", -1},
    [FIGURE_GPUS_LOW] = {"gpus_low", "", -1},
    [FIGURE_GPUS] = {"gpus", "", -1},
    [FIGURE_GPUS_HIGH] = {"gpus_high", "", -1},
    [FIGURE_USD_PER_HOUR_LOW] = {"usd_per_hour_low", "USD/h", -1},
    [FIGURE_USD_PER_HOUR] = {"usd_per_hour", "USD/h", -1},
    [FIGURE_USD_PER_HOUR_HIGH] = {"usd_per_hour_high", "USD/h", -1},
    [FIGURE_GPU_USD_PER_MTOK] = {"gpu_usd_per_million_output_tokens", "USD",
				 -1},
    [FIGURE_ENERGY_USD_PER_MTOK] = {"energy_usd_per_million_output_tokens",
				    "USD", -1},
    [FIGURE_JOULES] = {"energy_per_token_j", "J", -1},
    [FIGURE_USD_PER_MTOK] = {"usd_per_million_output_tokens", "USD", -1},
    [FIGURE_SATURATION_RATE] = {"saturation_rate", "1/s", 1},
    [FIGURE_SLOPE] = {"slope", "", 0},
    [FIGURE_REPLICATIONS] = {"replications", "", 0},
    [FIGURE_REQUESTS_PER_REPLICATION] = {"requests_per_replication", "", 0},
    [FIGURE_SIMULATIONS] = {"simulations", "", 0},
    [FIGURE_REQUESTS_SIMULATED] = {"requests_simulated", "", 0},
    [FIGURE_REQUESTS] = {"requests", "", 0},
    [FIGURE_COMPLETED] = {"completed", "", 0},
    [FIGURE_REJECTED] = {"rejected", "", 0},
    [FIGURE_CLIENTS] = {"clients", "", 1},
    [FIGURE_CLIENTS_LOW] = {"clients_low", "", 1},
    [FIGURE_CLIENTS_HIGH] = {"clients_high", "", 1},
};

const struct figure_kind cost_figure[N_COST_FIGURES] = {
    [COST_GPUS] = {"gpus", "", -1},
    [COST_OUTPUT_THROUGHPUT_PER_GPU] = {"output_throughput_per_gpu", "tok/s",
					1},
    [COST_USD_PER_HOUR] = {"usd_per_hour", "USD/h", -1},
};
