// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* How libfabric finds this provider. */
#include "mpipr.h"

/*
 * What libfabric calls when it has loaded this library. The two calls lead to
 * all other rooms, and each of these names the provider where it logs.
 */
FI_EXT_INI
{
	mpipr_param_read();
	mpipr_provider.getinfo = mpipr_getinfo;
	mpipr_provider.fabric = mpipr_fabric_open;
	return &mpipr_provider;
}
