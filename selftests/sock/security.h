/* SPDX-License-Identifier: GPL-2.0 */
/* What sock_security tells the security module, and is told. */
#ifndef _SELFTESTS_SECURITY_H
#define _SELFTESTS_SECURITY_H

/* Places in the maps "refused" and "asked" */
enum security_hook {
	SECURITY_CONNECT,
	SECURITY_BIND,
	SECURITY_LISTEN,
	SECURITY_RECVMSG, /* its "port" is the family */
	SECURITY_HOOKS,
};

#endif
