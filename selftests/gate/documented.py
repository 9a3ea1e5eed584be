#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Which functions and structs leave their file without kernel-doc?

What is in a header leaves it, and what is not static in a C file. kernel-doc
itself says what is wrong with a description, not that one is missing.
"""
import re
import sys

# A definition begins in the first column and ends at its brace.
FUNCTION = re.compile(r"^(?!static_assert|typedef|else|do\b)"
                      r"[a-zA-Z_][\w \t*]*?\b(\w+)\((?:[^;{}]|\n)*?\)\s*\n\{",
                      re.M)
STRUCT = re.compile(r"^(?:struct|union) (\w+) \{", re.M)


def description(text, at):
    """The kernel-doc comment that ends right before a definition, or ''."""
    before = text[:at].rstrip()
    if not before.endswith("*/"):
        return ""
    comment = before[before.rindex("/*"):]
    return comment if comment.startswith("/**") else ""


def missing(path):
    """What of a file should have a description and has none."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    header = path.endswith(".h")
    found = [(m, "function", f"{m[1]}()") for m in FUNCTION.finditer(text)
             if header or not m[0].startswith("static")]
    if header:
        found += [(m, "struct", m[1]) for m in STRUCT.finditer(text)]
    for match, kind, name in found:
        doc = description(text, match.start())
        if not re.search(rf"^ \* (\w+ )?{re.escape(name)} - ", doc, re.M):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: NO_KERNEL_DOC: of {kind} {name}"


def main():
    findings = [f for path in sys.argv[1:] for f in missing(path)]
    for finding in findings:
        print(finding)
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
