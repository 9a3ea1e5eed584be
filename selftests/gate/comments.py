#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does each function exist that a comment names, as in "see frob()"?

    comments.py PLACE... -- FILE...

It does if the code of FILEs calls it, defines it or gives it another name, or
if a file below one of the PLACEs, which are the kernel's and the libraries'
headers, has that word.
"""
import re
import subprocess
import sys

# A string before a comment: "//" in it begins none.
PIECE = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|(/\*.*?\*/|//[^\n]*)", re.S)
NAMED = re.compile(r"(?<![\w.>])([a-zA-Z_]\w+)\(\)")


def split(path):
    """Comments of a file, and its code without them; lines stay."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    comments = [(text.count("\n", 0, m.start()) + 1, m[1])
                for m in PIECE.finditer(text) if m[1]]
    return comments, PIECE.sub(lambda m: " " if m[1] else m[0], text)


def elsewhere(names, places):
    """Which of the names are words there?"""
    said = subprocess.run(
        ["grep", "-rhowF", "-f", "-", *places], input="\n".join(names),
        capture_output=True, text=True, check=False).stdout
    return set(said.split("\n"))


def main():
    at = sys.argv.index("--")
    places, files = sys.argv[1:at], sys.argv[at + 1:]
    named, words = [], set()
    for path in files:
        comments, code = split(path)
        words.update(re.findall(r"(\w+)\)?\s*\(", code))
        words.update(re.findall(r"^#define \w+ (\w+)$", code, re.M))
        named += [(path, line + comment.count("\n", 0, match.start()),
                   match[1])
                  for line, comment in comments
                  for match in NAMED.finditer(comment)]
    unknown = {name for _, _, name in named} - words
    if unknown:
        unknown -= elsewhere(unknown, places)
    for path, line, name in named:
        if name in unknown:
            print(f"{path}:{line}: COMMENTS: there is no {name}()")
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
