#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl stats: of all and of one host, since the last call, and as metrics.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

# value NAME: of a counter that was printed
value() {
	sed -n "s/^$1 *//p" <<<"$OUT"
}

# stats [OPTION]...: at node 1
stats() {
	OUT=$(ctl stats "$@") || fail "stats $*: exit status $?"
}

stats__options_stand_anywhere() {
	two_nodes
	ctl stats -a -j | json '["stats"]["drop_short"] == 0'
	ctl stats show -j -a | json '["stats"]["drop_short"] == 0'
	stats --all
	expect "a counter that is 0" "$(value drop_short)" = 0
	stats
	expect "a counter that is 0" "$(value drop_short)" = ""
	expect "brothers" "$(status_of ctl stats -x)" -eq 1
	expect "no host" "$(status_of ctl stats n77)" -eq 1
	expect "two hosts" "$(status_of ctl stats n1 n2)" -eq 1
}

stats__of_a_host() {
	hub_of_three
	stats n2
	expect "before" "$OUT" = ""
	stats n2 -a
	expect "before" "$(value bytes_out)" -eq 0
	connected_pair 4000
	told_ok client send 100000
	told_ok server recv 100000
	stats n2
	expect "connections" "$(value live_conns)" -eq 1
	expect "bytes" "$(value bytes_out)" -eq 100000
	expect "segments" "$(value segs_out)" -ge 69
	stats show 10.9.0.3
	expect "another host" "$OUT" = ""
	stats n3 -a
	expect "another host" "$(value bytes_out)" -eq 0
	ctl stats 2 -j | json '["stats"]["bytes_out"] == 100000'
	ctl stats 2 -j | json '["stats"]["rails_left"] == 0'
	# what has ended is not forgotten, nor counted twice
	release client
	release server
	xfer -z 5000
	ctl stats 2 -j | json '["stats"]["bytes_out"] == 105000'
	prpctl -n "$NODE-2" stats n1 -j | json '["stats"]["bytes_in"] == 105000'
	ctl stats 2 -j | json '["stats"]["live_conns"] == 0'
	ctl node show n2 -s | grep -q '^ .*, bytes_out 105000' ||
		fail "$(ctl node show n2 -s)"
	ctl node show n2 -j | json '["nodes"][0]["counters"]["bytes_out"] == 105000'
	# another machine under the same number
	hosts 3 | sed "s/$(mac 2)/$(mac 9)/" | ctl hosts setup -f - >/dev/null
	stats n2
	expect "of another machine" "$OUT" = ""
}

# Whatever ends meanwhile, what was counted once stays so.
stats__of_a_host_only_grow() {
	local was=0 is xfer stop

	two_nodes
	stop=$(mktemp -u)
	(until [ -e "$stop" ]; do
		prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -z 20000 -n 4
	done >/dev/null) &
	xfer=$!
	for _ in {1..20}; do
		stats n2 -a
		is=$(value bytes_out)
		[ "$is" -ge "$was" ] || fail "$was bytes, and then $is"
		was=$is
	done
	touch "$stop"
	wait "$xfer" || fail "a transfer failed"
	rm "$stop"
	expect "bytes" "$was" -gt 0
}

# Three hosts in the table, of which two are there
hub_of_three() {
	two_nodes
	hosts 3 | ctl hosts setup -f - >/dev/null
}

# --- since the last call ---------------------------------------------------

own_folder() {
	XDG_RUNTIME_DIR=$(mktemp -d)
	export XDG_RUNTIME_DIR
}

stats__since_the_last_call() {
	local before

	own_folder
	two_nodes
	xfer -z 1000
	stats -d
	[[ $OUT == "# since the counters began"* ]] || fail "$OUT"
	expect "connections" "$(value conns_opened)" -eq 1
	before=$(value live_tables)
	stats -d
	[[ $OUT =~ ^"# since "[0-9]+\.[0-9]{3}" s ago" ]] || fail "$OUT"
	expect "no connection" "$(value conns_opened)" = ""
	expect "what is no counter" "$(value live_tables)" -eq "$before"
	xfer -z 1000
	xfer -z 1000
	ctl stats --difference -j | json '["stats"]["conns_opened"] == 2'
	ctl stats -d -j | json '["since_ms"] >= 0'
	# of another namespace, and of a host, they are others
	prpctl -n "$NODE-2" -j stats -d | json '["since_ms"] is None'
	ctl -j stats -d n2 | json '["since_ms"] is None'
	ctl -j stats -d n2 | json '["since_ms"] >= 0'
	rm -r "$XDG_RUNTIME_DIR"
}

# Where the module was loaded anew the counters begin again.
stats__since_a_larger_value() {
	local file

	own_folder
	two_nodes
	xfer -z 1000
	stats -d
	file=$(echo "$XDG_RUNTIME_DIR"/*)
	sed -i 's/^conns_opened .*/conns_opened 1000/' "$file"
	stats -d
	expect "connections" "$(value conns_opened)" -eq 1
	echo nonsense >"$file"
	stats -d
	[[ $OUT == "# since the counters began"* ]] || fail "$OUT"
	rm -r "$XDG_RUNTIME_DIR"
}

# Nobody but the user reads what was kept, nor has it written elsewhere.
stats__since_is_the_users_own() {
	local file

	own_folder
	two_nodes
	stats -d
	file=$(echo "$XDG_RUNTIME_DIR"/*)
	expect "mode and owner" "$(stat -c '%a %u' "$file")" = "600 0"
	rm "$file"
	echo precious >"$XDG_RUNTIME_DIR/victim"
	ln -s victim "$file"
	refused "a link" "$file" ctl stats -d
	rm "$file"
	ln "$XDG_RUNTIME_DIR/victim" "$file"
	refused "another name" "not a file of this user alone" ctl stats -d
	rm "$file"
	mkfifo "$file"
	refused "a pipe" "not a file of this user alone" ctl stats -d
	rm "$file"
	touch "$file"
	chown 65534 "$file"
	refused "another owner" "not a file of this user alone" ctl stats -d
	expect "the victim" "$(<"$XDG_RUNTIME_DIR/victim")" = precious
	XDG_RUNTIME_DIR=/none refused "no folder" "/none/prpctl-stats" \
		ctl stats -d
	rm -r "$XDG_RUNTIME_DIR"
}

# --- metrics ---------------------------------------------------------------

# Standard input is what Prometheus reads: HELP and TYPE once and before all
# samples of a name, counters and no others end with _total, each sample once
good_metrics() {
	awk '
	function bad(why) { print why ": " $0; wrong = 1 }
	/^# HELP / {
		if (NF < 4) bad("no text")
		if (helped[$3]++) bad("helped twice")
		next
	}
	/^# TYPE / {
		if (!helped[$3]) bad("no HELP before")
		if (type[$3]) bad("typed twice")
		if ($4 !~ /^(counter|gauge)$/) bad("type")
		if (($4 == "counter") != ($3 ~ /_total$/)) bad("_total")
		if ($3 !~ /^prp_[a-z0-9_]+$/) bad("name")
		if ($3 ~ /_(count|sum|bucket)$/) bad("suffix")
		type[$3] = $4
		now = $3
		next
	}
	{
		name = $1
		sub(/{.*/, "", name)
		if (name != now) bad("not below its TYPE")
		if ($0 !~ /^[a-z0-9_]+({[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*})? [0-9.]+$/)
			bad("form")
		if (seen[substr($0, 1, length($0) - length($NF))]++)
			bad("twice")
		samples++
	}
	END { exit wrong || samples < 50 }' >"$DIR/said" || fail "$(<"$DIR/said")"
}

stats__metrics() {
	DIR=$(mktemp -d)
	linked_nodes 3 1-2-0 2-3-1
	xfer -z 1000
	ctl stats --metrics >"$DIR/metrics"
	good_metrics <"$DIR/metrics"
	while read -r line; do
		grep -qxF "$line" "$DIR/metrics" ||
			fail "no $line in: $(<"$DIR/metrics")"
	done <<-EOF2
	# HELP prp_conns_opened_total connections created
	# TYPE prp_conns_opened_total counter
	prp_conns_opened_total{netns="$NODE-1"} 1
	# TYPE prp_pool_bytes gauge
	prp_rail_up{netns="$NODE-1",rail="0",device="p0"} 1
	# TYPE prp_rail_bytes_out_total counter
	prp_rail_lost_total{netns="$NODE-1",rail="0",device="p0"} 0
	prp_node_connections{netns="$NODE-1",node="2",name="n2"} 0
	prp_node_bytes_out_total{netns="$NODE-1",node="2",name="n2"} 1000
	prp_node_table_differs{netns="$NODE-1",node="2",name="n2"} 0
	prp_node_rails_left_total{netns="$NODE-1",node="2",name="n2"} 0
	EOF2
	ip -n "$NODE-1" link set p0 down
	ctl stats -m | grep -qx "prp_rail_up{.*rail=\"0\".*} 0" ||
		fail "$(ctl stats -m | grep rail_up)"
	in_node 1 prpctl stats -m | good_metrics
	in_node 1 prpctl stats -m | grep -qx "prp_conns_opened_total 1" ||
		fail "$(in_node 1 prpctl stats -m | grep conns_opened)"
	# all counters that there are have a text
	! ctl stats -m | grep "that this prpctl does not know" ||
		fail "a counter without a meaning"
	rm -r "$DIR"
}

stats__metrics_of_no_hosts() {
	DIR=$(mktemp -d)
	two_nodes
	ctl hosts flush >/dev/null
	ctl stats -m | good_metrics
	expect "of a host" "$(status_of ctl stats -m n2)" -eq 1
	expect "since" "$(status_of ctl stats -m -d)" -eq 1
	expect "JSON" "$(status_of ctl stats -m -j)" -eq 1
	rm -r "$DIR"
}

run_cases
