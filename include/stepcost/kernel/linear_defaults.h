/* stepcost/kernel/linear_defaults.h -- the factors of plugin `linear` with
 * scale = work: multiples of the least time of the work
 * (plugins/linear/linear.md).
 *
 * Least squares of relative errors over three sets of measured steps with four
 * deployments and 1,904 steps: one H200, two servers on H100, and a
 * workstation card. */
#ifndef SC_KERNEL_LINEAR_DEFAULTS_H
#define SC_KERNEL_LINEAR_DEFAULTS_H

#define SC_LINEAR_WEIGHTS 1.4364
#define SC_LINEAR_PROMPT 1.1965
#define SC_LINEAR_DECODE 0.4548
#define SC_LINEAR_KV 1.5480
#define SC_LINEAR_PAIRS 3.1832
#endif
