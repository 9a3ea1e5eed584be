# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A bare Debian 12, or the one of $SUITE, in a folder, for scripts that source
# this file as root, in a mount name space of their own. It gets of this machine
# the way to Debian and PyPI: sources, keys, proxies and certificates.

MIRROR=${MIRROR:-http://deb.debian.org/debian}

# bare_root FOLDER [OPTION]... [-- SOURCE...]: by mmdebstrap, with its options,
# and sources besides this machine's
bare_root() {
	local bare=$1 file sources options=()

	shift
	while [ $# != 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	apt-config dump | grep '^Acquire::' |
		grep -vE '::(IndexTargets|CompressionTypes)' >"$bare.apt.conf"
	if [ -n "${SUITE:-}" ]; then
		sources=("deb $MIRROR $SUITE main")
	else
		mapfile -t sources < <(find /etc/apt/sources.list \
			/etc/apt/sources.list.d -name '*.list' \
			-o -name '*.sources' 2>/dev/null)
	fi
	mmdebstrap --quiet --mode=root --variant=minbase \
		--aptopt="$bare.apt.conf" "${options[@]}" \
		--setup-hook='cd /etc/apt && cp -r --parents "$PWD/keyrings" \
			"$PWD/trusted.gpg.d" "$PWD/auth.conf.d" \
			/usr/share/keyrings "$1"' \
		"${SUITE:-bookworm}" "$bare" "${sources[@]}" "$@"
	# Nothing that is installed starts.
	printf '#!/bin/sh\nexit 101\n' >"$bare/usr/sbin/policy-rc.d"
	chmod +x "$bare/usr/sbin/policy-rc.d"
	for file in /etc/{resolv.conf,hosts,pip.conf} ~/.config/pip/pip.conf \
			/etc/ssl/certs/ca-certificates.crt \
			/usr/local/share/ca-certificates; do
		[ ! -e "$file" ] || cp -rL --parents "$file" "$bare"
	done
}

# in_root ROOT [NAME=VALUE]... COMMAND...: as root who has just logged in
in_root() {
	local root=$1 given

	shift
	mapfile -d '' -t given < <(env -0 | grep -zEi \
		'^((https?|ftp|all|no)_proxy|pip_.*|ssl_cert_.*)=')
	chroot "$root" env -i -C /root HOME=/root TERM=linux \
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
		"${given[@]}" "$@" </dev/null
}
