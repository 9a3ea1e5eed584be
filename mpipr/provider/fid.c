// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What libfabric lets objects have, and none here has. */
#include "mpipr.h"

/**
 * mpipr_no_bind() - for objects that nothing is bound to
 * @fid: object
 * @bfid: what was to be bound
 * @flags: how
 *
 * Return: -FI_ENOSYS.
 */
int mpipr_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return -FI_ENOSYS;
}

/**
 * mpipr_no_control() - for objects that know no commands
 * @fid: object
 * @command: command
 * @arg: its argument
 *
 * Return: -FI_ENOSYS.
 */
int mpipr_no_control(struct fid *fid, int command, void *arg)
{
	return -FI_ENOSYS;
}

/**
 * mpipr_no_ops_open() - for objects with no more operations
 * @fid: object
 * @name: of the operations
 * @flags: none
 * @ops: not set
 * @context: the program's
 *
 * Return: -FI_ENOSYS.
 */
int mpipr_no_ops_open(struct fid *fid, const char *name, uint64_t flags,
		      void **ops, void *context)
{
	return -FI_ENOSYS;
}
