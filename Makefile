# SPDX-License-Identifier: GPL-2.0
#
# Builds, installs, shows and tests PRP. `make help` lists the targets.

BUILD ?= $(CURDIR)/build

# The kernel to build for and to boot: the running one when it is a stock
# kernel with headers here, else the newest such in /boot. Cloud flavours
# lack what the virtual machine needs. What is set but empty is looked for,
# too: an inner make has it so when the outer one found nothing.
root :=
headers := $(patsubst $(root)/lib/modules/%/build/Makefile,%,\
	$(wildcard $(root)/lib/modules/*/build/Makefile))
processors := amd64 arm64
stock := $(patsubst $(root)/boot/vmlinuz-%,%,\
	$(wildcard $(addprefix $(root)/boot/vmlinuz-*-,$(processors))))
stock := $(filter-out $(foreach p,$(processors),%-cloud-$p %-rt-$p),\
	$(filter $(headers),$(stock)))
here := $(shell uname -r)
running := $(filter $(here),$(stock))
newest := $(lastword $(shell printf '%s\n' $(stock) | sort -V))
# Headers that are named say themselves which kernel they are of.
release := $(if $(strip $(KDIR)),$(shell \
	cat '$(strip $(KDIR))/include/config/kernel.release' 2>/dev/null))
override KVER := $(or $(strip $(KVER)),$(release),$(running),$(newest))
override KDIR := $(or $(strip $(KDIR)),\
	$(if $(KVER),$(root)/lib/modules/$(KVER)/build))

TOOLS := $(patsubst %/Makefile,%,$(wildcard tools/*/Makefile))
PREFIX ?= /usr/local
# Where modules_install puts what is not of the kernel
MODULEDIR := /lib/modules/$(KVER)/extra
MPIPR := $(BUILD)/mpipr/libprp-fi.so
export BUILD KVER KDIR PREFIX

# Several of these build in the same folders: `make -j` is for what each of them
# does, one after the other.
.NOTPARALLEL:

all: modules tools

help:
	@echo 'What to make:'
	@echo '  all          the module and the tools (default)'
	@echo '  modules      net/prp/prp.ko'
	@echo '  tools        prpctl, prprun, prpperf'
	@echo '  mpipr        the libfabric provider for MPI'
	@echo '  install      module, headers, tools, unit, and mpipr if it is built'
	@echo '  uninstall    removes all of that; both know PREFIX and DESTDIR'
	@echo '  deb, rpm     packages of all that, the module by DKMS, in BUILD'
	@echo '  demo         a file through two nodes in a virtual machine'
	@echo '  check        unit tests, lint, selftests in virtual machines'
	@echo '  bars         what is measured: check only guards it'
	@echo '  bench        the papers'"'"' experiments, PRP and its peers, figures'
	@echo '  profile      where instructions go, by room of the module'
	@echo '  lines        which cache lines two connections both write'
	@echo '  check-all    check and bars, long, lines, then bare Debian, debug'
	@echo '               kernels and all releases; again: what is left of it'
	@echo '  check-fresh  demo and check on a bare Debian 12 and 13, as root'
	@echo '  check-installed   the packages on a bare Debian 12, two machines'
	@echo '  matrix       builds and selftests on all releases supported'
	@echo '  matrix-build   only builds there, with W=1 and sparse'
	@echo '  check-kasan  selftests on a kernel with KASAN, lockdep, kmemleak ...'
	@echo '  check-uml    most of them on such a kernel that is a process'
	@echo '  check-kcsan  most of them on a kernel that finds data races'
	@echo '  experiment   MPI: the table and the figure of the paper, anew'
	@echo '  oracle       what TCP does and PRP does: the table, anew'
	@echo '  docs         pages: what is written elsewhere, once more'
	@echo '  unit         only the unit tests, no virtual machine'
	@echo '  lint         the gate: W=1, sparse, checkpatch, kernel-doc, ...'
	@echo '  check-model  spin looks at the models of selftests/model'
	@echo '  fuzz         FUZZ_SECONDS (60) of each fuzzing target'
	@echo '  fuzz-coverage   what the kept corpus reaches'
	@echo '  deps         install the packages that the above need (root)'
	@echo '  clean        remove what was built; distclean: the cache too'
	@echo 'Variables:'
	@echo '  KVER=$(KVER)   the kernel to build for and boot'
	@echo '  KDIR=$(KDIR)   its headers'
	@echo '  BUILD=$(BUILD)   cache and results'
	@echo '  PREFIX=$(PREFIX)   where the tools are installed'
	@echo '  TESTS="prp:loss.sh ..."   check: only these'
	@echo '  CASES="loss__*"   check: only cases that match'
	@echo '  EXPERIMENTS="spray ..."   bench: only these'
	@echo '  RELEASE=6.12   matrix: only this one'
	@echo '  MODULE=FILE   check, demo: this module instead of prp.ko'

modules: kdir
	$(MAKE) -C $(KDIR) M=$(CURDIR)/net/prp W=1 modules

kdir:
	@test -n '$(KDIR)' || { \
		echo 'No stock kernel of Debian with headers here: make deps,' \
			'or for the kernel that runs: make KVER=$(here)' >&2; \
		exit 1; }
	@test -e '$(KDIR)/Makefile' || { \
		echo 'No headers of Linux $(KVER) in $(KDIR):' \
			'install linux-headers-$(KVER)' >&2; \
		exit 1; }

# For scripts that are called by hand
kver:
	@echo $(KVER)

tools:
	$(foreach t,$(TOOLS),$(MAKE) -C $(t) &&) true

mpipr:
	$(MAKE) -C mpipr

# The kernel's modules_install would do the same, and complain: it signs with a
# key that only those have who built the kernel, and looks for their System.map
# before it calls depmod. Neither can be said to be left out.
install: modules known install-tools
	install -D -m 644 net/prp/prp.ko $(DESTDIR)$(MODULEDIR)/prp.ko
	$(if $(DESTDIR),,depmod $(KVER))
	$(if $(DESTDIR),,@found=$$(modinfo -k $(KVER) -n prp); \
		[ "$$found" -ef $(MODULEDIR)/prp.ko ] || \
		echo "$$found is what modprobe takes, and not this one:" \
			"remove the package prp-dkms first" >&2)
	$(if $(DESTDIR)$(filter $(here),$(KVER)),,@echo 'The module is there' \
		'for Linux $(KVER). $(here) runs: make KVER=$(here) install')

known:
	@test -n '$(KVER)' || { \
		echo 'Nothing says which kernel this is of: make KVER=... install' \
			>&2; \
		exit 1; }

# All but the module, which packages have DKMS build
install-tools: tools
	$(foreach t,include $(TOOLS),$(MAKE) -C $(t) install &&) true
	$(if $(wildcard $(MPIPR)),$(MAKE) -C mpipr install)

# Of all kernels that it was installed for, which need not be there any more
uninstall:
	set -e; for ko in $(DESTDIR)/lib/modules/*/extra/prp.ko; do \
		[ -e "$$ko" ] || continue; \
		extra=$${ko%/prp.ko}; kernel=$${extra%/extra}; \
		rm "$$ko"; \
		rmdir --ignore-fail-on-non-empty "$$extra"; \
		$(if $(DESTDIR),,depmod "$${kernel##*/}";) \
	done
	$(foreach t,include $(TOOLS) mpipr,$(MAKE) -C $(t) uninstall &&) true

# Needs what deps installs
deb:
	@packaging/deb.sh

rpm:
	@packaging/rpm.sh

deps:
	@selftests/vm/deps.sh

unit:
	$(MAKE) -C selftests/unit run
	$(MAKE) -C selftests/fuzz replay

# Needs what deps installs
check-model:
	@selftests/model/model.py $(if $(PRP_LONG),long)

fuzz fuzz-minimize:
	$(MAKE) -C selftests/fuzz $@

fuzz-coverage:
	$(MAKE) -C selftests/fuzz coverage

# deps first, in a make of its own: KVER is read when the Makefile is.
demo: deps
	@$(MAKE) --no-print-directory demo-run

demo-run: all selftests
	@selftests/vm/demo.sh

check: deps
	@$(MAKE) --no-print-directory check-run

bars: deps
	@$(MAKE) --no-print-directory bars-run

bars-run:
	@selftests/vm/check.sh bars

bench: deps
	@$(MAKE) --no-print-directory bench-run

bench-run: all selftests
	@selftests/bench/bench.sh

profile: deps
	@$(MAKE) --no-print-directory profile-run

profile-run: all selftests
	@selftests/bench/profile.sh

lines: deps
	@$(MAKE) --no-print-directory lines-run

lines-run: all selftests
	@selftests/bench/lines.sh

check-all: deps
	@selftests/vm/all.sh

check-fresh: deps
	@selftests/vm/fresh.sh

check-installed: deps
	@selftests/vm/installed.sh

check-kasan check-uml check-kcsan: deps
	@$(MAKE) --no-print-directory $@-run

check-kasan-run check-uml-run check-kcsan-run:
	@selftests/kernels/check.sh $(@:check-%-run=%)

check-run:
	@selftests/vm/check.sh

# The other releases' kernels are downloaded: some hundred MB the first time.
matrix: deps
	@$(MAKE) --no-print-directory matrix-run

matrix-build: deps
	@$(MAKE) --no-print-directory matrix-run BUILD_ONLY=-b

experiment: deps
	@$(MAKE) --no-print-directory experiment-run

experiment-run: all selftests
	@selftests/mpi/experiment.sh

oracle: deps
	@$(MAKE) --no-print-directory oracle-run

# The run fails where the table is not what it should be, which is why it is
# made.
oracle-run: table := Documentation/results/sockets.rst
oracle-run:
	-@$(MAKE) --no-print-directory check-run TESTS=prp/oracle:oracle CASES=
	@selftests/oracle/table.sh $(BUILD)/logs/all.tap $(KVER) >$(table).new
	@mv $(table).new $(table)

matrix-run:
	@selftests/kernels/matrix.sh $(BUILD_ONLY)

selftests: tools
	@$(MAKE) --no-print-directory -C selftests install

lint: kdir
	@$(MAKE) -s --no-print-directory -C selftests gate

# Counters, options and errors are written once; see generate.py.
docs:
	@Documentation/generate.py

clean:
	-$(if $(wildcard $(KDIR)),\
		$(MAKE) -C $(KDIR) M=$(CURDIR)/net/prp clean)
	$(foreach t,$(TOOLS) mpipr,$(MAKE) -C $(t) clean &&) true
	rm -rf $(addprefix $(BUILD)/,kselftest selftests unit fuzz logs)

distclean: clean
	rm -rf $(BUILD)

.PHONY: all help modules kdir kver known tools mpipr install install-tools \
	uninstall deb rpm deps unit demo demo-run bars bars-run bench \
	bench-run profile profile-run lines lines-run check check-all \
	check-fresh check-installed check-run check-model \
	check-kasan check-uml check-kcsan check-kasan-run check-uml-run \
	check-kcsan-run matrix matrix-build matrix-run oracle oracle-run \
	experiment \
	experiment-run selftests fuzz fuzz-coverage fuzz-minimize lint docs \
	clean \
	distclean
