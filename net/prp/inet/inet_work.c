// SPDX-License-Identifier: GPL-2.0
/* Work of the IP mode that has to sleep, in a queue of its own. */
#include <linux/workqueue.h>

#include "inet/inet.h"

static struct workqueue_struct *inet_queue;

/**
 * prp_inet_work_queue() - have it decided who carries a socket's connection
 * @inet: what the socket has in the IP mode
 */
void prp_inet_work_queue(struct prp_inet *inet)
{
	sock_hold(inet->sk);
	if (!queue_work(inet_queue, &inet->decide))
		sock_put(inet->sk);
}

/**
 * prp_inet_work_init() - make the queue
 *
 * Return: 0 or -ENOMEM.
 */
int prp_inet_work_init(void)
{
	inet_queue = alloc_workqueue("prp_inet", WQ_UNBOUND, 0);
	return inet_queue ? 0 : -ENOMEM;
}

/**
 * prp_inet_work_exit() - wait for the last of the work; nobody asks for more
 */
void prp_inet_work_exit(void)
{
	destroy_workqueue(inet_queue);
}
