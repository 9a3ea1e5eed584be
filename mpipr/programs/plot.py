#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws what cnn prints as the paper's figure 2: M-Flop/s over the lattice's
length, one line for each stack.

usage: plot.py IMAGE LABEL=FILE...
"""
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.fonttype"] = "none"  # letters, not their outlines
from matplotlib import pyplot  # noqa: E402 (the backend is chosen first)


def read(path):
    """Lattice lengths and M-Flop/s of a file that cnn has written."""
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file
                if line.strip() and not line.startswith("#")]
    return [int(row[0]) for row in rows], [float(row[3]) for row in rows]


def main():
    if len(sys.argv) < 3 or not all("=" in arg for arg in sys.argv[2:]):
        sys.exit(__doc__)
    _, axes = pyplot.subplots(figsize=(7, 5))
    for argument in sys.argv[2:]:
        label, path = argument.split("=", 1)
        axes.plot(*read(path), marker="o", label=label)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.set_xlabel("L, of a lattice of L × L cells")
    axes.set_ylabel("M-Flop/s")
    axes.set_title("Cellular neural network, 100 iterations")
    axes.grid(alpha=0.3)
    axes.legend()
    pyplot.savefig(sys.argv[1], bbox_inches="tight")


if __name__ == "__main__":
    main()
