#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws the papers' figures from what prpperf printed, and writes their tables.

usage: plot.py MEASURED FOLDER

MEASURED has files EXPERIMENT.DEVICE.FAMILY.json; FOLDER gets a figure for each
experiment that is there, bench-EXPERIMENT.svg, and bench.md. Times are in
thousand instructions, for the machine that counts them has a clock that goes
one nanosecond an instruction.
"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.fonttype"] = "none"  # letters, not their outlines
matplotlib.rcParams["svg.hashsalt"] = "prp"  # the same names in each run
from matplotlib import pyplot  # noqa: E402 (the backend is chosen first)

FAMILIES = ["prp", "prp-seq", "tcp", "tcp-nagle", "udp", "sctp", "packet",
            "unix"]
DEVICES = {"shipped": "veth as shipped", "off": "offloads off"}
LOGP = {"o_send_us": "o, send", "o_recv_us": "o, receive", "gap_us": "gap",
        "rtt_us": "round trip"}
COLOURS = dict(zip(FAMILIES, pyplot.get_cmap("tab10").colors))


def read(folder):
    """{(experiment, device, family): what prpperf printed}"""
    runs = {}
    for name in sorted(os.listdir(folder)):
        parts = name.split(".")
        if len(parts) != 4 or parts[3] != "json":
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            runs[tuple(parts[:3])] = json.load(file)
    return runs


def points(run, x, y, **where):
    """Of the rows that are so, those that have values."""
    rows = [row for row in run["rows"]
            if all(row[key] == value for key, value in where.items())]
    pairs = [(row[x], row[y]) for row in rows if row[y] and row[x]]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


class Figure:
    """Two devices beside each other, a row for each of what is drawn."""

    def __init__(self, runs, experiment, title, rows, sharey="row"):
        self.runs, self.experiment = runs, experiment
        self.figure, self.axes = pyplot.subplots(
            rows, 2, figsize=(11, 4 * rows), squeeze=False, sharey=sharey)
        self.figure.suptitle(title)

    def row(self, nr, x, y, labels, **where):
        """A line for each family."""
        for axes, device in zip(self.axes[nr], DEVICES):
            for family in FAMILIES:
                run = self.runs.get((self.experiment, device, family))
                if not run:
                    continue
                line = points(run, x, y, **where)
                if line[0]:
                    axes.plot(*line, marker=".", label=family,
                              color=COLOURS[family])
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xlabel(labels[0])
            axes.set_title(DEVICES[device] + labels[2], fontsize="medium")
            axes.grid(alpha=0.3)
            if axes.lines:
                axes.legend(fontsize="small")
        self.axes[nr][0].set_ylabel(labels[1])

    def pair(self, x, ys, label_x, **scales):
        """Two measures beside each other, of the device as shipped."""
        for axes, (y, label) in zip(self.axes[0], ys.items()):
            for _, family, run in families(self.runs, self.experiment):
                axes.plot(*points(run, x, y), marker=".", label=family,
                          color=COLOURS[family])
            axes.set_xscale("log")
            axes.set_yscale(scales.get(y, "linear"))
            axes.set_xlabel(label_x)
            axes.set_ylabel(label)
            axes.grid(alpha=0.3)
            axes.legend(fontsize="small")

    def bars(self, nr, groups, labels, **where):
        """A group for each of some columns, in it a bar for each family."""
        for axes, device in zip(self.axes[nr], DEVICES):
            drawn = [(family, row) for dev, family, run in
                     families(self.runs, self.experiment) if dev == device
                     for row in run["rows"]
                     if all(row[key] == value for key, value in where.items())]
            wide = 0.8 / max(len(drawn), 1)
            for place, (family, row) in enumerate(drawn):
                axes.bar([group + place * wide - 0.4 for group in
                          range(len(groups))],
                         [row[key] or 0 for key in groups], wide,
                         align="edge", label=family, color=COLOURS[family])
            axes.set_xticks(range(len(groups)), groups.values())
            axes.set_yscale("log")
            axes.set_title(DEVICES[device] + labels[1], fontsize="medium")
            axes.grid(alpha=0.3, axis="y")
            if drawn:
                axes.legend(fontsize="small")
        self.axes[nr][0].set_ylabel(labels[0])

    def save(self, folder):
        """Without the date, so that equal figures are equal files."""
        self.figure.tight_layout()
        self.figure.savefig(
            os.path.join(folder, f"bench-{self.experiment}.svg"),
            metadata={"Date": None})
        pyplot.close(self.figure)


def draw(runs, folder):
    """A figure for each experiment that was run."""
    size, cost = "bytes of a message", "thousand instructions"
    have = {key[0] for key in runs}
    if "pingpong" in have:
        figure = Figure(runs, "pingpong", "Round trip (000 fig. 1, 004 fig. 1)",
                        1)
        figure.row(0, "bytes", "p50_us", (size, cost, ", median"))
        figure.save(folder)
    if "bandwidth" in have:
        figure = Figure(runs, "bandwidth", "Bandwidth (000 fig. 2)", 1)
        figure.row(0, "bytes", "us_KB", (size, cost + " a KB", ""))
        figure.save(folder)
    if "spray" in have:
        figure = Figure(runs, "spray", "Spray (000 figs 3 and 4)", 2)
        for nr, bytes_ in enumerate((4, 1400)):
            figure.row(nr, "messages", "us_msg",
                       ("messages", cost + " a message", f", {bytes_} bytes"),
                       bytes=bytes_)
        figure.save(folder)
    if "logp" in have:
        figure = Figure(runs, "logp", "LogP (001 fig. 5)", 2)
        for nr, bytes_ in enumerate((4, 1400)):
            figure.bars(nr, LOGP, (cost, f", {bytes_} bytes"), bytes=bytes_)
        figure.save(folder)
    if "clients" in have:
        figure = Figure(runs, "clients", "Clients of one server "
                        "(001 figs 7 to 9)", 3)
        figure.row(0, "clients", "rounds_s",
                   ("clients", "rounds per 10⁹ instr.", ", 4 bytes"), bytes=4)
        figure.row(1, "clients", "MB_s",
                   ("clients", "KB per 10⁶ instr.", ", 1024 bytes"),
                   bytes=1024)
        figure.row(2, "clients", "p50_us",
                   ("clients", cost, ", 4 bytes, round trip"), bytes=4)
        figure.save(folder)
    if "many" in have:
        figure = Figure(runs, "many", "Connections that are open, and idle", 1,
                        sharey="none")
        figure.pair("conns", {"us": cost + " to open one more",
                              "slab": "bytes of slab, an end"},
                    "connections", us="log")
        figure.save(folder)
    if "scale" in have:
        figure = Figure(runs, "scale", "Pairs of nodes (004 section 4)", 2)
        for nr, bytes_ in enumerate((4, 65536)):
            figure.row(nr, "nodes", "rounds_s",
                       ("nodes", "rounds per 10⁹ instr.", f", {bytes_} bytes"),
                       bytes=bytes_)
        figure.save(folder)


def number(value, digits=2):
    """As a cell of a table"""
    return "–" if value is None else f"{value:.{digits}f}"


def table(head, rows):
    """Lines of a table, without those that have no values"""
    return (["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
            ["| " + " | ".join(row) + " |" for row in rows] + [""])


def families(runs, experiment):
    """(device, family, run) of an experiment, in the order of the figures"""
    for device in DEVICES:
        for family in FAMILIES:
            run = runs.get((experiment, device, family))
            if run and run["rows"]:
                yield device, family, run


def at(run, y, **where):
    """The value of the one row that is so"""
    _, values = points(run, "bytes", y, **where)
    return values[0] if values else None


def fit_lines(runs):
    """004 table 1"""
    keys = ("L_us", "B0_MB_s", "L1_us", "B1_MB_s", "bandwidth_MB_s")
    rows = [[device, family] +
            [number(at(run, "p50_us", bytes=size)) for size in (4, 1400)] +
            [number(run["fit"][key]) for key in keys]
            for device, family, run in families(runs, "pingpong")]
    return table(["device", "over", "4 B", "1400 B", "L", "B0", "L'", "B1",
                  "at 200 KB"], rows)


def bandwidth_lines(runs):
    """000 figure 2, in numbers"""
    sizes = (4, 64, 1400, 65536)
    rows = [[device, family] +
            [number(at(run, "us_KB", bytes=size), 3) for size in sizes]
            for device, family, run in families(runs, "bandwidth")]
    return table(["device", "over"] + [f"{size} B" for size in sizes], rows)


def spray_lines(runs):
    """000 figures 3 and 4, in numbers"""
    counts = (1, 64, 8192)
    rows = [[device, family] +
            [number(at(run, "us_msg", bytes=size, messages=count))
             for size in (4, 1400) for count in counts]
            for device, family, run in families(runs, "spray")]
    return table(["device", "over"] +
                 [f"{size} B × {count}" for size in (4, 1400)
                  for count in counts], rows)


def logp_lines(runs):
    """001 figure 5"""
    rows = [[device, family, number(row["bytes"], 0)] +
            [number(row[key]) for key in
             ("rtt_us", "o_send_us", "o_recv_us", "gap_us")]
            for device, family, run in families(runs, "logp")
            for row in run["rows"]]
    return table(["device", "over", "bytes", "round trip", "o, send",
                  "o, receive", "gap"], rows)


def crowd_lines(runs, experiment, first):
    """001 table 1 and figures 7 to 9, 004 section 4"""
    rows = [[device, family, str(row[first]), number(row["bytes"], 0),
             number(row["rounds_s"], 0), number(row["MB_s"]),
             number(row["p50_us"]), number(row["least_s"], 0),
             number(row["most_s"], 0)]
            for device, family, run in families(runs, experiment)
            for row in run["rows"]]
    return table(["device", "over", first, "bytes", "rounds", "MB",
                  "round trip", "slowest", "fastest"], rows)


def many_lines(runs):
    """What connections take that do nothing"""
    rows = [[family, str(row["conns"]), number(row["us"]),
             number(row["slab"], 0), number(row["all"], 0)]
            for _, family, run in families(runs, "many")
            for row in run["rows"]]
    return table(["over", "connections", "to open one more",
                  "bytes of slab, an end", "of all memory"], rows)


def old_parts(path):
    """{title: lines} of bench.md as it was"""
    parts, lines = {}, []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file.read().split("\n"):
                if line.startswith("## "):
                    lines = parts[line[3:]] = []
                lines.append(line)
    return {title: "\n".join(lines).rstrip("\n").split("\n") + [""]
            for title, lines in parts.items()}


def write_tables(runs, folder):
    """bench.md: all tables; those that were not measured stay as they were"""
    path = os.path.join(folder, "bench.md")
    have = {key[0] for key in runs}
    old = old_parts(path)
    lines = ["<!-- Written by `make bench`; see ../performance.md. -->",
             "# What make bench measured", "",
             "Times in thousand instructions, or in µs where both ends wait for a",
             "timer; rates per 10⁹ or in a second.", ""]
    parts = (
        ("pingpong", "Round trip; one way T = L + N/B", fit_lines),
        ("bandwidth", "Bandwidth, a KB", bandwidth_lines),
        ("spray", "Spray, a message", spray_lines),
        ("logp", "LogP", logp_lines),
        ("permute", "Permutations of 16 nodes",
         lambda runs: crowd_lines(runs, "permute", "pattern")),
        ("clients", "Clients of one server",
         lambda runs: crowd_lines(runs, "clients", "clients")),
        ("scale", "Pairs of nodes",
         lambda runs: crowd_lines(runs, "scale", "nodes")),
        ("many", "Connections that are open, and idle", many_lines),
    )
    for experiment, title, make in parts:
        if experiment in have:
            lines += [f"## {title}", "",
                      f"`EXPERIMENTS={experiment} make bench`", ""]
            lines += make(runs)
        else:
            lines += old.get(title, [])
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    runs = read(sys.argv[1])
    if not runs:
        sys.exit(f"{sys.argv[1]}: nothing was measured")
    draw(runs, sys.argv[2])
    write_tables(runs, sys.argv[2])


if __name__ == "__main__":
    main()
