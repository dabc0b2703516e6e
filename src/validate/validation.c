/* validation.c -- Simulates measured runs under every arm, in jobs. */
#include "validate/validation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "validate/fit/arm_knobs.h"

/* ---- configurations ---- */

/* In this order, so that what the user sets wins over what a run says. */
static int list_settings(struct names *set, const struct row_replay *x,
			 const struct arm_knobs *knobs,
			 const struct validate_options *o)
{
	int rc = 0;
	for (size_t k = 0; rc == 0 && k < x->n_settings; k++)
		rc = names_add(set, x->setting[k]);
	for (size_t k = 0; rc == 0 && k < x->n_knobs; k++)
		rc = arm_knobs_assign(knobs, x->knob[k], set);
	for (size_t k = 0; rc == 0 && k < o->n_set; k++)
		rc = names_add(set, o->set[k]);
	return rc;
}

static void name_arms(struct validation *v, const struct config *c)
{
	v->n_arms = c->n_arms;
	v->arm = arrays_add(&v->arrays, v->n_arms, sizeof *v->arm);
	for (size_t k = 0; v->arm && k < v->n_arms; k++)
		v->arm[k] = c->arm[k].name;
}

static int open_config(struct validation *v, size_t i, const char *path,
		       const struct arm_knobs *knobs,
		       const struct validate_options *o, struct problem *p)
{
	struct names set = {0};
	struct problem why;
	if (list_settings(&set, &v->row_replays.row_replay[i], knobs, o) < 0) {
		names_free(&set);
		return problem_no_memory(p);
	}
	const struct config *beside = o->beside ? o->beside
				      : i       ? v->config
						: NULL;
	if (config_load_beside(&v->config[i], beside, path, set.item, set.n,
			       o->arms, &why) < 0) {
		v->refused[i] = arrays_text(&v->arrays, why.text);
		*p = why;
	} else if (!v->arm) {
		name_arms(v, &v->config[i]);
	}
	names_free(&set);
	return 0;
}

static int open_configs(struct validation *v, const char *path,
			const struct validate_options *o, struct problem *p)
{
	struct arm_knobs knobs = {0};
	size_t n_knobs = 0;
	int rc = 0;
	v->config = arrays_add(&v->arrays, v->row_replays.n, sizeof *v->config);
	v->refused =
	    arrays_add(&v->arrays, v->row_replays.n, sizeof *v->refused);
	if (v->arrays.out_of_memory)
		return problem_no_memory(p);
	for (size_t i = 0; i < v->row_replays.n; i++)
		n_knobs += v->row_replays.row_replay[i].n_knobs;
	if (n_knobs)
		rc = arm_knobs_open(&knobs, path, o->set, o->n_set, p);
	for (size_t i = 0; rc == 0 && i < v->row_replays.n; i++)
		rc = open_config(v, i, path, &knobs, o, p);
	arm_knobs_free(&knobs);
	return rc == 0 && v->arm ? 0 : -1;
}

/* ---- jobs ---- */

struct task {
	struct row_replay_run run;
	size_t row_replay;
	struct prediction *prediction; /* [file->n] where the answers go     */
};

static struct task new_task(const struct validation *v, size_t row_replay,
			    size_t arm, struct prediction *to)
{
	return (struct task){
	    .run = {.row_replay = &v->row_replays.row_replay[row_replay],
		    .config = &v->config[row_replay],
		    .arm = arm},
	    .row_replay = row_replay,
	    .prediction = to};
}

static void collect(struct validation *v, const struct task *task,
		    struct job *job)
{
	const struct row_replay *x = task->run.row_replay;
	const struct prediction *is = job->shared;
	for (size_t i = 0; !job->complaint && i < x->n_rows; i++)
		task->prediction[x->row[i]] = is[i];
	if (job->complaint && job->problem->code == EXIT_PLUGIN)
		v->plugin_failed = 1;
	if (job->complaint && !task->run.knobs)
		v->why[task->run.arm * v->row_replays.n + task->row_replay] =
		    arrays_text(&v->arrays, job->problem->text);
}

/* Raises the sizes of the memory of jobs to what this one needs: a prediction
 * for each row of measurements that it replays, and the log of a step. */
static void add_bytes(struct jobs_options *o, const struct row_replay_run *r)
{
	size_t rows = r->row_replay->n_rows;
	size_t step = arm_run_step_bytes(r->config);
	size_t shared = (rows + 1) * sizeof(struct prediction);
	if (shared > o->shared_bytes)
		o->shared_bytes = shared;
	if (step > o->live_bytes)
		o->live_bytes = step;
}

static int run_tasks(struct validation *v, struct task *task, size_t n,
		     const struct validate_options *o, struct problem *p)
{
	struct job *job = calloc(n + 1, sizeof *job);
	struct jobs arms = {0};
	if (!job)
		return problem_no_memory(p);
	struct jobs_options how = {.at_once = o->jobs,
				   .in_process = o->in_process,
				   .answer_limit_s = JOB_ANSWER_LIMIT_S,
				   .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
				   .progress = o->progress,
				   .progress_user = o->progress_user};
	for (size_t i = 0; i < n; i++) {
		job[i] = (struct job){
		    .name = v->arm[task[i].run.arm],
		    .user = &task[i].run,
		    .wanted_streams =
			o->requests ? 1u << ROW_REPLAY_RUN_REQUESTS : 0u};
		/* Once a trial: that of all arms. */
		if (task[i].run.arm == task[0].run.arm &&
		    task[i].run.point == task[0].run.point)
			add_bytes(&how, &task[i].run);
	}
	int rc = jobs_run(&arms, job, n, row_replay_run, &how, p);
	v->interrupted = arms.interrupted;
	if (rc == 0)
		rc = jobs_if_machine_failed(&arms, p);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		collect(v, &task[i], &job[i]);
		if (o->done)
			o->done(o->done_user, &job[i]);
	}
	if (rc == 0 && o->requests)
		jobs_join(&arms, ROW_REPLAY_RUN_REQUESTS, o->requests);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (job[i].complaint && task[i].run.knobs)
			rc = problem_set(p, job[i].problem->code, "%s",
					 job[i].problem->text);
	jobs_free(&arms);
	free(job);
	return rc;
}

int validation_run(struct validation *v, const struct validate_options *o,
		   struct problem *p)
{
	size_t n = 0;
	struct task *task =
	    calloc(v->n_arms * v->row_replays.n + 1, sizeof *task);
	if (!task)
		return problem_no_memory(p);
	for (size_t i = 0; i < v->row_replays.n; i++)
		for (size_t k = 0; !v->refused[i] && k < v->n_arms; k++)
			if (!o->is_known || !o->is_known(o->known_user, i, k))
				task[n++] = new_task(
				    v, i, k, v->prediction + k * v->file->n);
	int rc = n ? run_tasks(v, task, n, o, p) : 0;
	free(task);
	return rc;
}

int validation_ask(struct validation *v, const struct knob_points *k,
		   const struct validate_options *o,
		   struct prediction *prediction, struct problem *p)
{
	size_t n = 0;
	struct task *task =
	    calloc(k->n_points * v->row_replays.n + 1, sizeof *task);
	if (!task)
		return problem_no_memory(p);
	for (size_t i = 0; i < k->n_points; i++)
		for (size_t t = 0; t < v->row_replays.n; t++) {
			if (v->refused[t])
				continue;
			task[n] =
			    new_task(v, t, k->arm, prediction + i * v->file->n);
			task[n].run.knobs = k;
			task[n++].run.point = i;
		}
	int rc = run_tasks(v, task, n, o, p);
	free(task);
	return rc;
}

/* ---- the whole ---- */

/* Returns the index in v->row_replays that answers each row, SIZE_MAX for none;
 * NULL: memory is out. */
static size_t *number_trials(struct validation *v)
{
	size_t *trial_of = arrays_add(&v->arrays, v->file->n, sizeof *trial_of);
	for (size_t i = 0; trial_of && i < v->file->n; i++)
		trial_of[i] = SIZE_MAX;
	for (size_t i = 0; trial_of && i < v->row_replays.n; i++)
		for (size_t k = 0; k < v->row_replays.row_replay[i].n_rows; k++)
			trial_of[v->row_replays.row_replay[i].row[k]] = i;
	return trial_of;
}

static int none_left(const struct row_replays *t, const struct measured *file,
		     struct problem *p)
{
	char why[400] = "";
	size_t at = 0;
	for (size_t i = 0; i < t->n_left_out && at < sizeof why; i++) {
		size_t n = row_replays_left_out(t, i);
		if (n)
			at += (size_t)snprintf(why + at, sizeof why - at,
					       "%s%zu rows: %s", at ? "; " : "",
					       n, t->left_out[i].why);
	}
	return problem_set(p, EXIT_INPUT,
			   "%s: none of its rows can be simulated: %s",
			   file->path[0], why);
}

int validation_open(struct validation *v, const char *path,
		    const struct measured *file, const struct ini *aliases,
		    const struct validate_options *o, struct problem *p)
{
	*v = (struct validation){.file = file};
	if (row_replays_plan(&v->row_replays, file, aliases, o->all_flags, p) <
	    0)
		return -1;
	if (!v->row_replays.n)
		return none_left(&v->row_replays, file, p);
	if (open_configs(v, path, o, p) < 0)
		return -1;
	v->trial_of = number_trials(v);
	v->prediction =
	    arrays_add(&v->arrays, v->n_arms * file->n, sizeof *v->prediction);
	v->why = arrays_add(&v->arrays, v->n_arms * v->row_replays.n,
			    sizeof *v->why);
	return v->arrays.out_of_memory ? problem_no_memory(p) : 0;
}

void validation_free(struct validation *v)
{
	for (size_t i = 0; v->config && i < v->row_replays.n; i++)
		config_free(&v->config[i]);
	arrays_free(&v->arrays);
	row_replays_free(&v->row_replays);
	*v = (struct validation){0};
}

/* ---- questions ---- */

const struct prediction *validation_of(const struct validation *v, size_t arm,
				       size_t row)
{
	return &v->prediction[arm * v->file->n + row];
}

/* Where only the median was measured, that stands for the mean. */
static enum statistic stands_for(const struct measured_times *t,
				 enum statistic statistic)
{
	return statistic == STATISTIC_MEAN && isnan(t->of[STATISTIC_MEAN])
		   ? STATISTIC_P50
		   : statistic;
}

double validation_measured(const struct validation *v, size_t row,
			   enum run_latency metric, enum statistic statistic)
{
	const struct measured_times *real = &v->file->row[row].time[metric];
	return real->of[stands_for(real, statistic)];
}

double validation_predicted(const struct validation *v, size_t arm, size_t row,
			    enum run_latency metric, enum statistic statistic)
{
	const struct prediction *is = validation_of(v, arm, row);
	const struct measured_times *real = &v->file->row[row].time[metric];
	return is->priced ? is->time[metric].of[stands_for(real, statistic)]
			  : (double)NAN;
}

double validation_error(const struct validation *v, size_t arm, size_t row,
			enum run_latency metric, enum statistic statistic)
{
	return validation_predicted(v, arm, row, metric, statistic) /
		   validation_measured(v, row, metric, statistic) -
	       1;
}

double validation_throughput_error(const struct validation *v, size_t arm,
				   size_t row)
{
	const struct prediction *is = validation_of(v, arm, row);
	const struct measured_row *r = &v->file->row[row];
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int i = 0; i < N_STATISTICS; i++)
			if (!isnan(r->time[k].of[i]))
				return (double)NAN;
	return is->priced ? is->output_throughput / r->output_throughput - 1
			  : (double)NAN;
}

struct own_coverage validation_own_coverage(const struct validation *v,
					    size_t arm, enum run_latency metric)
{
	struct own_coverage none = {0};
	double *distance = calloc(v->file->n + 1, sizeof *distance);
	size_t n = 0;
	for (size_t i = 0; distance && i < v->file->n; i++) {
		double sd = validation_of(v, arm, i)->own_deviation[metric];
		double is =
		    validation_predicted(v, arm, i, metric, STATISTIC_MEAN);
		double real = validation_measured(v, i, metric, STATISTIC_MEAN);
		if (sd > 0 && is > 0 && real > 0)
			distance[n++] = own_distance(real, is, sd * is);
	}
	if (distance)
		none = own_coverage(distance, n);
	free(distance);
	return none;
}

/* How long a request of that many output tokens takes. */
static double implied_ms(const struct measured_times time[N_RUN_LATENCIES],
			 double output)
{
	return time[RUN_TTFT].of[STATISTIC_MEAN] +
	       time[RUN_TPOT].of[STATISTIC_MEAN] * (output - 1);
}

double validation_implied_error(const struct validation *v, size_t arm,
				size_t row)
{
	const struct prediction *is = validation_of(v, arm, row);
	const struct measured_row *r = &v->file->row[row];
	if (!is->priced || !measured_is_apart(r))
		return (double)NAN;
	return implied_ms(r->time, is->output_tokens) /
		   implied_ms(is->time, is->output_tokens) -
	       1;
}

const struct config *validation_config(const struct validation *v, size_t row)
{
	size_t i = v->trial_of[row];
	return i == SIZE_MAX || v->refused[i] ? NULL : &v->config[i];
}

int validation_saturated(const struct measured_row *r)
{
	return measured_has_flag(r, "SATURATED") ||
	       measured_has_flag(r, "NEAR_KV_SATURATION") ||
	       measured_has_flag(r, "BURST_");
}

int validation_common(const struct validation *v, size_t row)
{
	for (size_t k = 0; k < v->n_arms; k++)
		if (!validation_of(v, k, row)->priced)
			return 0;
	return 1;
}
