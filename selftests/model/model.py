#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Has spin look at the models, see README:
#
#	model.py [long]	TAP: each model holds, each planted error is found
#	model.py names	the gate: what the models name is in net/prp
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
WHO = re.compile(r"\b(?:channel|program)\b")
MEMORY_MB = 8000

# What each run has of everything; frames is what a way holds
OPEN = dict(LIVES=2, ROUNDS=12, LOSE=1, TWICE=1, EARLY=0, FRAMES=2)
MOVE = dict(ROUNDS=8, LOSE=1, TWICE=1, EARLY=0, DIE=0, FRAMES=2,
            SEGMENTS=4, ROOM=2)
SHORT = [
    ("open", OPEN),
    ("move", MOVE),
    ("move", dict(MOVE, EARLY=1, SEGMENTS=3)),
    ("move", dict(MOVE, DIE=1, SEGMENTS=3)),
]
LONG = SHORT + [
    ("open", dict(OPEN, LOSE=2)),
    ("move", dict(MOVE, EARLY=1, ROOM=3)),
    ("move", dict(MOVE, FRAMES=3, SEGMENTS=5)),
    ("move", dict(MOVE, LOSE=2, DIE=1)),
]


def errors():
    """Those planted: name, model, text, what takes its place."""
    name = model = None
    old = []
    for line in (HERE / "planted").read_text().splitlines():
        if line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            yield name, model, old.pop(), line[1:]
        elif line and not line.startswith("#"):
            name, model = line.split()


def run(model, sizes, old=None, new=None):
    """What the verifier says; with an error, if a text is given for one."""
    # What looks at all takes a while. An error is found before a compiler
    # could have made up for what it takes to optimise.
    level = "-O0" if old else "-O1"
    with tempfile.TemporaryDirectory() as folder:
        text = (HERE / f"{model}.pml").read_text()
        if old:
            if text.count(old) != 1:
                return f"{old}: not there once"
            text = text.replace(old, new)
        (Path(folder) / "model.pml").write_text(text)
        shutil.copy(HERE / "channel.pml", folder)
        said = ""
        for command in (
            ["spin", *(f"-D{k}={v}" for k, v in sizes.items()), "-a",
             "model.pml"],
            ["gcc", "-w", level, "-DSAFETY", "-DCOLLAPSE", "-DNOFAIR",
             f"-DMEMLIM={MEMORY_MB}", "-o", "pan", "pan.c"],
            ["./pan", "-m10000", "-n"],
        ):
            done = subprocess.run(command, cwd=folder, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            said += done.stdout
            if done.returncode:
                break
        if "errors: 1" in said:
            # how it came to that, frame by frame
            said += subprocess.run(
                ["spin", "-t", "-r", "-s", "-g",
                 *(f"-D{k}={v}" for k, v in sizes.items()), "model.pml"],
                cwd=folder, text=True, stdout=subprocess.PIPE,
                check=False).stdout
        return said


def holds(said):
    """Everything was looked at, and nothing was wrong."""
    return "errors: 0" in said and "Search not completed" not in said and \
        "max search depth" not in said and "out of memory" not in said


def main_runs(runs):
    planted = list(errors())
    print("TAP version 13")
    print(f"1..{len(runs) + len(planted)}")
    nr = failed = 0

    def result(name, good, said):
        nonlocal nr, failed
        nr += 1
        if not good:
            failed = 1
            print("".join(f"# {line}\n" for line in said.splitlines()), end="")
        print(f"{'ok' if good else 'not ok'} {nr} {name}", flush=True)

    for model, sizes in runs:
        said = run(model, sizes)
        states = re.search(r"(\d+) states, stored", said)
        print(f"# {states.group(1) if states else 'no'} states")
        result(f"{model} " + " ".join(f"{k}={v}" for k, v in sizes.items()),
               holds(said), said)
    for name, model, old, new in planted:
        # in any of the short runs: an error needs what it is an error with
        for _, sizes in (r for r in SHORT if r[0] == model):
            said = run(model, sizes, old, new)
            found = "errors: 1" in said
            if found:
                break
        result(f"finds that {name}", found, said)
    return failed


def main_names():
    """Each rule is somebody's, and that one exists."""
    code = "".join(f.read_text() for f in (TOP / "net/prp").rglob("*.[ch]")
                   if not f.name.endswith(".mod.c"))
    defined = set(re.findall(r"^(?:[a-z][\w ]*[ *])?(\w+)\([^;]*?\)\n\{", code,
                             re.M))
    failed = 0
    for path in sorted(HERE.glob("*.pml")):
        text = path.read_text()
        name = path.relative_to(TOP)

        def complain(at, what):
            nonlocal failed
            failed = 1
            print(f"{name}:{text.count(chr(10), 0, at) + 1}: MODEL: {what}")

        for comment in re.finditer(r"/\*.*?\*/", text, re.S):
            for word in re.finditer(r"(\w+)\(\)", comment.group()):
                if word.group(1) not in defined:
                    complain(comment.start(), f"no {word.group()} in net/prp")
        for rule in re.finditer(r"^inline (\w+)", text, re.M):
            before = re.search(r"/\*((?:(?!\*/).)*)\*/\n$", text[:rule.start()],
                               re.S)
            if rule.group(1) != "clear" and not (
                    before and (re.search(r"\w\(\)", before.group(1)) or
                                WHO.search(before.group(1)))):
                complain(rule.start(), f"{rule.group(1)} is nobody's rule")
    return failed


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    if sys.argv[1:] == ["names"]:
        sys.exit(main_names())
    sys.exit(main_runs(LONG if sys.argv[1:] == ["long"] else SHORT))
