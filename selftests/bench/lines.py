#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Says which cache lines of ours are written by two processors.

usage: lines.py FOLDER

FOLDER has what pairs.sh left: kallsyms, lines.0 and so on, and output, whose
lines "count NAME FRAMES MS" name them: how many frames came, and how long it
took. A line is ours if the module stores into it, or a variable of it begins
there. What counts is how often the module and the kernel's locks do, and of
variables all, on the processor that does so less. Fails if that is more than
SETUP and what is known to be common. A lock that is alone in its line, and was
allocated, is not seen.

A stack or a buffer is ours for as long as it is in our hands; it goes to the
other processor with its task, or when its page is given back and taken again,
and others write it first then. So a line is common only if we took it over more
than SETUP times.
"""
import bisect
import collections
import pathlib
import re
import sys

import rooms

# Stores of a processor for a connection that begins and ends, and of times that
# a line goes over meanwhile: the most that were seen are 10 and 8.
SETUP = 32
# A store for each frame has to be more than that many times SETUP.
CLEAR = 10

LOCKS = re.compile(r"^(_raw_(spin|read|write)_|native_queued_spin|queued_|"
                   r"mutex_|__mutex_)")

# What is common for a reason: functions, most stores of a processor a ms, and
# most for each of its frames. crowd.c begins a period each 2 ms and counts in
# it, with five stores. A connection takes from the pool, and gives back, by
# 64 KiB, which are 46 frames, and both of its ends are here.
KNOWN = [(re.compile("crowd"), 5 / 2, 0),
         (re.compile("^pool_add$"), 0, 4 / 46)]

CPUS = 2
LINE_SHIFT = 6


class Line:
    """Stores into it, by processor and function, and times it went over"""

    def __init__(self):
        self.stores = [collections.Counter() for _ in range(CPUS)]
        self.moves = 0
        self.ours = False
        self.names = []

    def __str__(self):
        """The functions that store into it, who does most first; variables"""
        total = sum(self.stores, collections.Counter())
        return ", ".join(name for name, _ in total.most_common()) + (
            f" ({', '.join(self.names)})" if self.names else "")

    def unknown(self, cpu, frames, time_ms):
        """Stores of a processor beyond what is known to be common"""
        left = self.stores[cpu].total()
        for pattern, by_ms, by_frame in KNOWN:
            known = sum(count for name, count in self.stores[cpu].items()
                        if pattern.search(name))
            left -= min(known, by_ms * time_ms + by_frame * frames / CPUS)
        return left

    def is_common(self, frames, time_ms):
        """Do both store into it, in turns?"""
        return self.moves > SETUP and min(
            self.unknown(cpu, frames, time_ms) for cpu in range(CPUS)) > SETUP


def variables(path):
    """{line: names} of the module's variables that begin there"""
    found = collections.defaultdict(list)
    for address, name in re.findall(r"^(\w+) [bBdD] (\S+)\s+\[prp\]$",
                                    path.read_text(encoding="ascii"), re.M):
        found[int(address, 16) >> LINE_SHIFT].append(name)
    return found


def load(path, starts, table, own):
    """([Line], stores that the plugin had no room for)"""
    lines = collections.defaultdict(Line)
    with open(path, encoding="ascii") as file:
        lost = int(file.readline().split()[1])
        for row in file:
            address, cpu, place, count, moves = row.split()
            _, name, module = table[
                bisect.bisect_right(starts, int(place, 16)) - 1]
            ours = module == "prp" or int(address, 16) in own
            if ours or LOCKS.match(name):
                line = lines[int(address, 16)]
                line.stores[int(cpu)][name] += int(count)
                line.moves += int(moves)
                line.ours |= ours
    for address, line in lines.items():
        line.names = own.get(address, [])
    return [line for line in lines.values()
            if line.ours and all(line.stores)], lost


def print_table(name, lines, frames, time_ms):
    """Those that both write by more than SETUP, who goes over most first"""
    print(f"## {name}: {frames} frames in {time_ms} ms\n")
    print("| functions | processor 0 | 1 | a second | a frame | went over | |")
    print("|---|---|---|---|---|---|---|")
    for line in sorted(lines, key=lambda line: -line.moves):
        counts = [stores.total() for stores in line.stores]
        if min(counts) <= SETUP:
            continue
        said = "COMMON" if line.is_common(frames, time_ms) else "known"
        if line.moves <= SETUP:
            said = "went over seldom"
        print(f"| {line} | {counts[0]} | {counts[1]} | "
              f"{min(counts) * 1000 / time_ms:.0f} | "
              f"{min(counts) * CPUS / frames:.3f} | {line.moves} | {said} |")
    print()


def faults(lines, lost, frames, time_ms):
    """What is wrong with a count"""
    if lost:
        yield f"{lost} stores found no room in the plugin's tables"
    if not lines:
        yield "no line of ours is written by both: the trace sees nothing"
    if frames / CPUS < CLEAR * SETUP:
        yield f"{frames} frames are too few to tell"
    for line in lines:
        if line.is_common(frames, time_ms):
            yield f"both write a line: {line}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    starts, table = rooms.symbols(folder / "kallsyms")
    own = variables(folder / "kallsyms")
    counts = re.findall(r"^(?:# )*count (\S+) (\d+) (\d+)$",
                        (folder / "output").read_text(encoding="utf-8"), re.M)
    wrong = [] if counts else ["nothing was counted"]
    for nr, (name, frames, time_ms) in enumerate(counts):
        frames, time_ms = int(frames), int(time_ms)
        lines, lost = load(folder / f"lines.{nr}", starts, table, own)
        print_table(name, lines, frames, time_ms)
        wrong += [f"FAIL: {name}: {fault}"
                  for fault in faults(lines, lost, frames, time_ms)]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
