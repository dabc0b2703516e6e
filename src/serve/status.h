/* serve/status.h -- endpoints that tell of the server: health, models, metrics,
 * its page, its record, its faults. */
#pragma once
#include "serve/call.h"

void status_health(struct call *c);
void status_version(struct call *c);
void status_models(struct call *c);
void status_metrics(struct call *c);
void status_load(struct call *c);
void status_record(struct call *c);
void status_state(struct call *c);
void status_page(struct call *c);
void status_script(struct call *c);
void status_show_faults(struct call *c);
void status_set_faults(struct call *c);
