#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Writes what the kernel's generator makes of specs/prp.yaml: who changes the
# one commits the other. The generator is in newer sources of the kernel, as
# Debian's linux-source-7.2, and takes python3-yaml and python3-jsonschema.
#
#	generate.sh SOURCE
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
source=${1:?the folder of a kernel source is missing}
spec=Documentation/netlink/specs/prp.yaml
tree=$(mktemp -d)
trap 'rm -r "$tree"' EXIT

# The generator looks for the schema beside the specification, and for this
# file at the top, from where it names the specification.
touch "$tree/MAINTAINERS"
mkdir -p "$tree/Documentation/netlink/specs"
cp "$source"/Documentation/netlink/*.yaml "$tree/Documentation/netlink"
cp "$top/$spec" "$tree/$spec"

# generate MODE PART FILE
generate() {
	python3 "$source"/tools/net/ynl/pyynl/ynl_gen_c.py --mode "$1" \
		"--$2" --spec "$tree/$spec" --cmp-out -o "$top/$3"
}

generate uapi header include/uapi/linux/prp_netlink.h
generate kernel header net/prp/netlink/netlink_gen.h
generate kernel source net/prp/netlink/netlink_gen.c
