#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Which files of a program call each other in a circle that is too large?

The objects are asked, not the sources.

    circles.py FOLDER MOST LEAST OBJECT...

FOLDER has the sources, a circle has MOST files at most, and LEAST objects have
to be given.
"""
import collections
import os
import sys

from floors import circles, symbols


def calls(objects):
    """Whom each file calls, by their paths below the folder of all of them."""
    owner, needs = {}, collections.defaultdict(set)
    top = os.path.commonpath([os.path.dirname(path) for path in objects])
    for path in objects:
        file = os.path.relpath(path, top).removesuffix(".o")
        for name, kind in symbols(path):
            if kind == "U":
                needs[file].add(name)
            elif kind.isupper():
                owner[name] = file
    return collections.defaultdict(
        set, {file: {owner[name] for name in names if name in owner} - {file}
              for file, names in needs.items()})


def main():
    folder, most, least, *objects = sys.argv[1:]
    if len(objects) < int(least):
        print(f"{folder}:0: CIRCLES: only {len(objects)} objects were "
              "looked at")
    for circle in circles(calls(objects)):
        if len(circle) > int(most):
            print(f"{folder}/{circle[0]}.c:0: CIRCLES: {len(circle)} files "
                  f"call each other: {' '.join(circle)}")


main()
