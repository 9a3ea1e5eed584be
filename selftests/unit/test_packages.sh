#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is installed, by make install and by packages, is what
# packaging/contents says, and make uninstall leaves nothing of it. The
# packages are made here as make deb makes them. That they work is
# ../vm/installed.sh's.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
top=$(cd "$here/../.." && pwd)
. "$top/selftests/unit/contents.sh"
export BUILD

# quiet LOG: fails if anything in it sounds as if something were wrong
quiet() {
	! grep -iE 'warn|error|fail|missing|cannot|skip|no such' "$1" ||
		fail "that was said"
}

# units: where this debhelper puts them
units() {
	perl -ne 'print "$1\n" if m|install_unit.*tmpdir/([a-z/]*systemd/system)|' \
		/usr/bin/dh_installsystemd | head -n 1
}

LIBDIR=usr/lib/$(cc -print-multiarch) UNITS=$(units)

# --- make install ------------------------------------------------------------

# of FOLDER: all that is no folder, the empty ones of our own
left() {
	find "$1" ! -type d -o -empty -name '*prp*'
}

make_install() {
	make -s --no-print-directory -C "$top" "$1" DESTDIR="$DIR/root" \
		"${@:2}" >"$DIR/said" 2>&1 ||
		fail "make $1: $(tail -n 5 "$DIR/said")"
	quiet "$DIR/said"
}

# not_for_all: what was installed and not every user can read
not_for_all() {
	find "$DIR/root" ! -type d ! -perm -444
}

# installs PREFIX PACKAGE...: what they have is there after make install, and
# nothing after make uninstall
installs() {
	local prefix=$1 kver

	shift
	kver=$(make -s --no-print-directory -C "$top" kver)
	# What the build itself says is not install's.
	make -s -C "$top" modules tools >"$DIR/said" 2>&1 ||
		fail "make modules tools: $(tail -n 5 "$DIR/said")"
	(umask 077; make_install install "PREFIX=$prefix")
	(cd "$DIR/root" && find . ! -type d -printf '%P\n') >"$DIR/got"
	{
		contents "$@" |
			sed -E "s|^(usr/lib/[^/]*/wireshark)|/\1|
				s|^usr/|$prefix/|
				s|^lib/|$prefix/lib/|; s|^/||"
		echo "lib/modules/$kver/extra/prp.ko"
	} >"$DIR/wanted"
	same "make install PREFIX=$prefix"
	[ -z "$(not_for_all)" ] || fail "not for all: $(not_for_all)"
	make_install uninstall "PREFIX=$prefix"
	[ -z "$(left "$DIR/root")" ] || fail "left: $(left "$DIR/root")"
	# There is nothing left to remove, and nothing wrong with that.
	make_install uninstall "PREFIX=$prefix"
	rm -rf "$DIR/root"
}

# It is not built there.
packages__make_install_and_uninstall_without_mpipr() {
	BUILD=$DIR/build
	installs /usr/local libprp-dev prp-tools
}

packages__make_install_and_uninstall() {
	make -s --no-print-directory -C "$top" mpipr
	installs /opt/prp libprp-dev prp-tools mpipr
}

# stub NAME LINE: a program of this name, that does this
stub() {
	mkdir -p "$DIR/stubs"
	printf '#!/bin/sh\n%s\n' "$2" >"$DIR/stubs/$1"
	chmod +x "$DIR/stubs/$1"
}

# beside_packages TARGET: make without DESTDIR, in folders of the test's own,
# what it says in $DIR/said
beside_packages() {
	PATH=$DIR/stubs:$PATH make -s --no-print-directory -C "$top" "$1" \
		BUILD="$DIR/build" PREFIX="$DIR/usr" \
		MODULEDIR="$DIR/modules/extra" WIRESHARKDIR="$DIR/plugins" \
		>"$DIR/said" 2>&1 || fail "make $1: $(tail -n 5 "$DIR/said")"
}

# What packages have is theirs, and what is in the way of this is named.
packages__make_install_beside_the_packages() {
	local lua=$DIR/plugins/prp.lua

	stub depmod :
	stub dpkg "[ \"\$*\" = \"-S $lua\" ]"
	stub modinfo "echo /lib/modules/updates/dkms/prp.ko"
	mkdir "$DIR/plugins"
	echo theirs >"$lua"
	beside_packages install
	grep -q "updates/dkms/prp.ko is what modprobe takes" "$DIR/said" ||
		fail "no word of the other module: $(cat "$DIR/said")"
	[ "$(cat "$lua")" = theirs ] || fail "the package's is written over"
	PATH=$DIR/stubs:$PATH make -s -C "$top/tools/dissector" uninstall \
		WIRESHARKDIR="$DIR/plugins" >"$DIR/said" 2>&1 ||
		fail "make uninstall: $(cat "$DIR/said")"
	[ -e "$lua" ] || fail "the package's is removed"
	stub dpkg false
	stub modinfo "echo $DIR/modules/extra/prp.ko"
	beside_packages install
	! grep -q modprobe "$DIR/said" || fail "said: $(cat "$DIR/said")"
	cmp "$top/tools/dissector/prp.lua" "$lua" || fail "no dissector"
	rm -r "${DIR:?}"/{stubs,plugins,modules,usr}
}

# --- make deb ----------------------------------------------------------------

packages__debian_packages_are_built() {
	BUILD=$DIR/build
	"$top/packaging/deb.sh" >"$DIR/said" || fail "$(tail "$DIR/said")"
	[ "$(wc -l <"$DIR/said")" = 6 ] || fail "$(cat "$DIR/said")"
	for package in libprp-dev mpipr prp-dkms prp-tools; do
		dpkg-deb -x "$DIR/build/deb/${package}_"*.deb "$DIR/$package"
	done
}

packages__lintian_has_nothing_to_say() {
	local said

	said=$(lintian --allow-root --fail-on error,warning \
		"$DIR"/build/deb/*.changes 2>&1) || fail "$said"
	[ -z "$said" ] || echo "# $said"
}

# files PACKAGE: without the papers that each package has, and .gz
files() {
	(cd "$DIR/$1" && find . ! -type d -printf '%P\n') |
		grep -v ^usr/share/doc/ | sed 's/\.gz$//'
}

packages__have_what_the_list_says() {
	local package

	for package in libprp-dev mpipr prp-tools; do
		contents $package >"$DIR/wanted"
		files $package >"$DIR/got"
		same $package
	done
}

packages__dkms_has_all_of_the_module() {
	dkms_contents >"$DIR/wanted"
	files prp-dkms >"$DIR/got"
	same prp-dkms
}

# As DKMS reads them: a module of `make install`, whose version is the same, is
# replaced, and a kernel that was not tried is left out.
packages__dkms_knows_what_it_may_do() {
	local BUILD_EXCLUSIVE_KERNEL kver

	[ "$(cat "$DIR/prp-dkms/usr/share/dkms/modules_to_force_install/prp"
		)" = prp_version-override ] || fail "the same version is refused"
	eval "$(grep ^BUILD_EXCLUSIVE_KERNEL= "$DIR"/prp-dkms/usr/src/*/dkms.conf)"
	for kver in $(sed -n 's/^RELEASES="\(.*\)"/\1/p' \
			"$top/selftests/kernels/release.sh") \
			6.1.0-44-amd64 6.12.41+deb13-cloud-amd64 6.19.2; do
		[[ $kver =~ $BUILD_EXCLUSIVE_KERNEL ]] || fail "not for $kver"
	done
	for kver in 5.19.0 6.0.1 7.3 7.3.1-amd64 7.20.1 8.0; do
		[[ ! $kver =~ $BUILD_EXCLUSIVE_KERNEL ]] || fail "for $kver"
	done
}

packages__name_the_release() {
	local release tool

	release=$("$DIR/prp-tools/usr/sbin/prpctl" -V)
	release=${release#prpctl }
	[[ $("$top/packaging/version") == "$release"* ]] ||
		fail "version $("$top/packaging/version") of release $release"
	for tool in prprun prpperf; do
		[ "$("$DIR/prp-tools/usr/bin/$tool" -V)" = "$tool $release" ] ||
			fail "$tool is none of $release"
	done
	[ "$(PKG_CONFIG_PATH=$DIR/libprp-dev/usr/share/pkgconfig \
		pkg-config --modversion prp)" = "$release" ] ||
		fail "prp.pc is none of $release"
}

# systemd itself reads the unit, where the tools are in place
packages__the_service_is_understood() {
	local root=$DIR/prp-tools

	mkdir -p "$root/usr/sbin"
	cp /bin/kmod "$root/usr/sbin/modprobe"
	cp -a /lib/systemd/. "$root/$(dirname "$(units)")/"
	systemd-analyze verify --root="$root" --man=no prp.service ||
		fail "systemd-analyze verify"
	systemd-analyze security --offline=true --root="$root" --threshold=15 \
		prp.service >"$DIR/said" || fail "$(tail -n 1 "$DIR/said")"
	echo "# $(tail -n 1 "$DIR/said" | grep -o 'Overall.*[0-9]')"
}

# Nothing is started, and an upgrade ends no connection.
packages__the_service_waits_to_be_asked_for() {
	local scripts=$DIR/scripts

	dpkg-deb -e "$DIR/build/deb/prp-tools_"*.deb "$scripts"
	grep -q "update-state 'prp.service'" "$scripts/postinst" ||
		fail "postinst does not know the service"
	! grep "deb-systemd-invoke" "$scripts"/post* || fail "it is started"
	! grep -s "deb-systemd-invoke" "$scripts/preinst" ||
		fail "an upgrade stops it"
	grep -B 1 "deb-systemd-invoke stop prp.service" "$scripts/prerm" |
		grep -q '= remove ' || fail "it is not stopped at the end"
	grep -q "deb-systemd-invoke stop prp.service || :" \
		"$scripts/prerm" || fail "what does not stop stays for ever"
	grep -q "systemctl --system daemon-reload" "$scripts/postinst" ||
		fail "a restart runs what the unit was before"
}

# --- the run -----------------------------------------------------------------

# Later cases look at what earlier ones have built: none is left out.
CASES='' run_cases packages
