#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Writes the table of the oracle, of which the rows are in the results of a
# whole run: `make oracle`.
#
#	table.sh RESULTS KERNEL
set -eu

grep -q ' lists__name_cases$' "$1" || {
	echo "The oracle has not run to its end" >&2
	exit 1
}
if grep '# row: .* differs: ' "$1" >&2; then
	echo "These are neither same nor listed" >&2
	exit 1
fi
cat <<'EOF'
.. SPDX-License-Identifier: GPL-2.0

=========================
What TCP does, PRP has to
=========================

The cases of ``selftests/oracle`` make the same calls on sockets of TCP, of
PRP's IP mode and of native ones, and note what they saw: results of calls,
errors, events of poll(), bytes. "same" is what TCP gave in the same run; what
differs is listed, with the reason, in ``selftests/oracle/differences``; - is a
case that makes no sense with native addresses. ``make check`` runs them, and
fails if a verdict is not the one here. ``make oracle`` writes this page, here
EOF
echo "with Linux $2."
cat <<'EOF'

.. csv-table::
   :delim: |
   :quote: `
   :header: Case | TCP | IP mode | native

EOF
sed -n 's/^[# ]*# row: /   /p' "$1"
