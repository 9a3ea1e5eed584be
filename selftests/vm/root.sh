#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The first that run.sh runs inside the virtual machine. Changes its root, LOGS
# apart, and goes on as the command:
#
#	root.sh LOGS COMMAND...
#
# The root that virtme-ng mounts asks the other machine anew for each name,
# link and page of a program that starts, which takes longer than all else.
# While this machine runs nothing of that changes: so the root becomes a mount
# that remembers what it has seen, under a layer in memory for what is written.
set -eu

logs=$1
root=/mnt
seen=/run/seen
layer=/run/layer

mkdir -p $seen $layer/upper $layer/work
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=262144 \
	files $seen
mount -t overlay -o lowerdir=$seen,upperdir=$layer/upper,workdir=$layer/work \
	root $root
# virtme-ng mounts /lib/modules if the modules of this kernel are elsewhere.
# What is a mount is asked of /proc, which goes last.
! mountpoint -q /lib/modules || mount -n --move /lib/modules $root/lib/modules
for folder in /dev /sys /run "$logs" /proc; do
	mount -n --move "$folder" "$root$folder"
done
cd $root
pivot_root . mnt
cd /
exec "${@:2}"
