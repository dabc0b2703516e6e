/* record/figures.h -- the results of a capacity search and the cost of a
 * deployment, by name: figures in addition to the metrics of a run
 * (metrics.h). */
#pragma once

struct figure_kind {
	const char *name, *unit; /* unit "": a pure number */
	int better; /* 1: more is better, -1: less is better, 0: neither */
};

enum capacity_figure {
	FIGURE_REQUEST_RATE,
	FIGURE_REQUEST_RATE_LOW, /* ends of the interval                     */
	FIGURE_REQUEST_RATE_HIGH,
	FIGURE_CONFIDENCE,
	FIGURE_HALF_WIDTH, /* over request_rate                              */
	FIGURE_RATE_SCALE,
	FIGURE_OUTPUT_THROUGHPUT,
	FIGURE_SESSION_RATE, /* conversations/s                              */
	FIGURE_MEAN_TURNS,
	FIGURE_PEAK_RATE,     /* the highest of a cycle                       */
	FIGURE_RECOVERY_RATE, /* after an overload                            */
	FIGURE_HIT_RATE,
	FIGURE_GPUS_PER_DEPLOYMENT, /* of a unit of the fleet                */
	FIGURE_REPLICAS_LOW,
	FIGURE_REPLICAS,
	FIGURE_REPLICAS_HIGH,
	FIGURE_REPLICAS_RECOVERY,
	/* of independent deployments alone: for the upper end of the interval,
	 * the rate, the lower end */
	FIGURE_DEPLOYMENTS_LOW,
	FIGURE_DEPLOYMENTS,
	FIGURE_DEPLOYMENTS_HIGH,
	FIGURE_GPUS_LOW,
	FIGURE_GPUS,
	FIGURE_GPUS_HIGH,
	FIGURE_GPUS_PEAK, /* of an autoscaler                                 */
	FIGURE_GPUS_MEAN,
	FIGURE_USD_PER_HOUR_LOW,
	FIGURE_USD_PER_HOUR,
	FIGURE_USD_PER_HOUR_HIGH,
	FIGURE_GPU_USD_PER_MTOK,
	FIGURE_ENERGY_USD_PER_MTOK,
	FIGURE_USD_PER_MTOK, /* the sum                                      */
	FIGURE_JOULES,
	FIGURE_SATURATION_RATE,
	FIGURE_REPLICATIONS,
	FIGURE_REQUESTS_PER_REPLICATION,
	FIGURE_SIMULATIONS,
	FIGURE_REQUESTS_SIMULATED,
	FIGURE_REQUESTS,
	FIGURE_COMPLETED,
	FIGURE_REJECTED,
	FIGURE_CLIENTS, /* of a closed loop                                   */
	FIGURE_CLIENTS_LOW,
	FIGURE_CLIENTS_HIGH,
	N_CAPACITY_FIGURES
};
extern const struct figure_kind capacity_figure[N_CAPACITY_FIGURES];

/* For a run: the GPUs that it used, and their price. */
enum cost_figure {
	COST_GPUS,
	COST_OUTPUT_THROUGHPUT_PER_GPU,
	COST_USD_PER_HOUR,
	N_COST_FIGURES
};
extern const struct figure_kind cost_figure[N_COST_FIGURES];
