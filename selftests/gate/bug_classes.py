#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is Documentation/networking/prp-bug-classes.rst true of the tests?

What it names as a test is a case, or the beginning of some, or a file of
them, or a target of make, and each class has some, of which those of other
families, from 1 on, are all there.
"""
import fnmatch
import glob
import re
import sys

PAGE = "Documentation/networking/prp-bug-classes.rst"
CLASSES = 32 # of other families

# Cases in shell, with kselftest's harness, and of the unit tests
CASE = re.compile(r"^(\w+__\w+)\(\) *[{(]"
                  r"|^TEST(?:_F(?:_TIMEOUT)?)?\((?:\w+, )?(\w+__\w+)"
                  r"|^(?:CASE(?:_OF_IP)?|UNIT)\((\w+__\w+)\)"
                  r"|^\t{ \"(\w+__\w+)\",", re.M)
LITERAL = re.compile(r"``([^`]+)``")


def all_cases():
    """Names of all cases there are."""
    found = set()
    for path in glob.glob("selftests/**/*.[ch]", recursive=True) + glob.glob(
            "selftests/**/*.sh", recursive=True):
        with open(path, encoding="utf-8") as file:
            for match in CASE.finditer(file.read()):
                found.update(filter(None, match.groups()))
    return found


def is_test(name, cases, targets):
    """Does a name stand for a test?"""
    if name.startswith("make "):
        return name.removeprefix("make ") in targets
    if name.endswith(".c"):
        return glob.glob("selftests/**/" + name, recursive=True)
    return fnmatch.filter(cases, name)


def main():
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    with open("Makefile", encoding="utf-8") as file:
        targets = set(re.split(r"[\s:\\]+", file.read()))
    cases = all_cases()
    findings, row, cell, tests = [], 0, 0, {}
    for at, line in enumerate(lines, 1):
        if number := re.match(r"   \* - (\d+)$", line):
            row, cell = int(number[1]), 0
            tests[row] = 0
        elif line.startswith("     - "):
            cell += 1
        for name in LITERAL.findall(line):
            if not (cell == 3 and row) and "__" not in name:
                continue
            if is_test(name, cases, targets):
                tests[row] = tests.get(row, 0) + 1
            else:
                findings.append(f"{PAGE}:{at}: BUG_CLASSES: {name} is no test")
    for number in sorted({*range(1, CLASSES + 1), *tests}):
        if not tests.get(number):
            findings.append(f"{PAGE}:1: BUG_CLASSES: no test of {number}")
    print("\n".join(findings), end="\n" if findings else "")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
