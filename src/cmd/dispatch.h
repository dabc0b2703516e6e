/* cmd/dispatch.h -- from words to a command that runs. */
#ifndef SC_CMD_DISPATCH_H
#define SC_CMD_DISPATCH_H

/* argv: the words behind `stepcost`.  Returns the exit code. */
int dispatch(int argc, char **argv);
#endif
