/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of prpctl.
 */
#ifndef _PRPCTL_H
#define _PRPCTL_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define PRPACCESS_PATH "/etc/prpaccess"
#define PRPHOSTS_PATH "/etc/prphosts"

int access_main(int argc, char **argv);
int dev_main(int argc, char **argv);
int discover_main(int argc, char **argv);
int explain_main(int argc, char **argv);
int fault_main(int argc, char **argv);
int forward_main(int argc, char **argv);
int hosts_main(int argc, char **argv);
int memory_main(int argc, char **argv);
int monitor_main(int argc, char **argv);
int node_main(int argc, char **argv);
int ping_main(int argc, char **argv);
int route_main(int argc, char **argv);
int sockets_main(int argc, char **argv);
int stats_main(int argc, char **argv);
int top_main(int argc, char **argv);

#endif /* _PRPCTL_H */
