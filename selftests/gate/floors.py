#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does each file of net/prp stand on its floor?

What was built is asked, not the sources: objects for the names that they call
and the functions whose address they take, dependency files for the headers.
ALLOWED has the floors, and what is allowed across them.

    floors.py MODULE ALLOWED             findings, for the gate
    floors.py MODULE ALLOWED --picture   the floors, as the page has them
"""
import collections
import fnmatch
import os
import re
import subprocess
import sys

CIRCLE_MAX = 3
# What the kernel's macros and the compiler make of a name
MADE = re.compile(r"^(__SC[TK]__|__traceiter_|__tracepoint_|__bpf_trace_|"
                  r"__pfx_|init_module|cleanup_module|__this_module|_note_)"
                  r"|\.(part|constprop|isra|cold)\b")
# Sections whose pointers are not there to be called through
NO_CALLS = re.compile(
    r"^\.(orc|eh_frame|discard|return|retpoline|static_call|altinstr|comment|"
    r"call_sites|debug|ibt|smp_locks|parainstr|modinfo|gnu|init\.rodata|BTF)|"
    r"^(__(mcount|jump|bug|ex_table|patchable|tracepoint|bpf)|_ftrace|___k)")


def run(*command):
    """Lines that a command prints."""
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def symbols(path):
    """What an object file defines and needs: (name, type of nm)."""
    for line in run("nm", path):
        kind, name = line.split()[-2:]
        if not MADE.search(name):
            yield name, kind


def circles(calls):
    """Files that call each other, in circles: from whom each one calls."""
    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for name in calls[todo.pop()]:
                if name not in seen:
                    seen.add(name)
                    todo.append(name)
        return seen

    reach = {name: reached(name) for name in list(calls)}
    for name in sorted(reach):
        circle = sorted(n for n in reach[name] if name in reach.get(n, ()))
        if circle and circle[0] == name:
            yield circle


class Allowed:
    """The file of what is allowed. A row is used, or is a finding."""

    def __init__(self, path):
        self.path = path
        self.settings = collections.defaultdict(list)
        self.rows = {}  # (kind, where, what) -> [line, used]
        kind = where = ""
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith(("#", "\t")) or not line.strip():
                    continue
                head, _, names = line.partition(":")
                if names:
                    kind, _, where = head.partition(" ")
                words = (names or line).split()
                if not where:
                    self.settings[kind] = words
                else:
                    for place in where.split():
                        for word in words:
                            self.rows[kind, place, word] = [number, False]

    def has(self, kind, where, what):
        """Whether it is allowed; it is then used."""
        for (k, w, pattern), row in self.rows.items():
            if k == kind and fnmatch.fnmatch(where, w) and \
                    fnmatch.fnmatch(what, pattern):
                row[1] = True
                return True
        return False

    def circle(self, files):
        """Whether they may call each other in a circle."""
        return all([self.has("circle", files[0], os.path.basename(name))
                    for name in files[1:]])

    def unused(self):
        """Rows that nothing needs."""
        return [(row[0], *key) for key, row in self.rows.items() if not row[1]]


class Object:
    """An object file: what it defines, needs, and takes the address of."""

    def __init__(self, root, path):
        self.path = path
        self.name = os.path.relpath(path, root)[:-2]  # transport/xmit
        self.room = os.path.basename(self.name)
        self.floor = os.path.dirname(self.name) or "main"
        self.defines, self.functions, self.needs = set(), set(), set()
        for name, kind in symbols(path):
            if kind == "U":
                self.needs.add(name)
            elif kind.isupper():
                self.defines.add(name)
                if kind == "T":
                    self.functions.add(name)
        directory, base = os.path.split(path)
        with open(f"{directory}/.{base}.cmd", encoding="utf-8") as file:
            self.headers = {os.path.relpath(word, root) for word in
                            file.read().split() if word.endswith(".h") and
                            word.startswith(root)}
        self.headers = {h for h in self.headers if not h.startswith("..")}

    def symbols(self):
        """Symbols of a section, by its number: (offset, size, name, type)."""
        found = collections.defaultdict(list)
        for line in run("readelf", "-sW", self.path):
            word = line.split()
            if len(word) >= 8 and word[3] in ("FUNC", "OBJECT") and \
                    word[6].isdigit():
                found[int(word[6])].append((int(word[1], 16), int(word[2], 0),
                                            word[7], word[3]))
        return found

    def pointers(self, functions):
        """(holder, function): the table, or FUNCTION if code takes it."""
        symbols, sections, found = self.symbols(), {}, set()
        for line in run("readelf", "-SW", self.path):
            match = re.match(r"\s*\[\s*(\d+)\]\s+(\S+)", line)
            if match:
                sections[match[2]] = int(match[1])

        def at(section, offset):
            for start, size, name, kind in symbols[sections.get(section, -1)]:
                if start <= offset < start + max(size, 1):
                    return start, name, kind
            return -1, "", ""

        section = ""
        for line in run("readelf", "-rW", self.path):
            match = re.match(r"Relocation section '\.rela(\S+)'", line)
            if match:
                section = match[1]
                continue
            word = line.split()
            if len(word) < 5 or not re.fullmatch("[0-9a-f]+", word[0]) or \
                    word[2] == "R_X86_64_PLT32" or NO_CALLS.search(section):
                continue
            target = word[4]
            if target.startswith((".text", ".init.text", ".exit.text")):
                offset = int(word[5] + word[6], 16) if len(word) > 6 else 0
                offset += 4 * (word[2] == "R_X86_64_PC32")
                start, target, kind = at(target, offset)
                if start != offset or kind != "FUNC":
                    continue
            elif target not in functions:
                continue
            if MADE.search(target):
                continue
            holder = at(section, int(word[0], 16))
            found.add((holder[1] if holder[2] == "OBJECT" else "", target))
        return found


class Checker:
    """Collects what does not stand where it should."""

    def __init__(self, module, allowed):
        self.root = os.path.abspath(module)
        paths = [os.path.join(directory, name)
                 for directory, _, names in os.walk(self.root)
                 for name in names if name.endswith(".o") and
                 os.path.exists(os.path.join(directory, name[:-2] + ".c"))]
        self.objects = [Object(self.root, path) for path in sorted(paths)]
        self.objects = [o for o in self.objects if not o.room.endswith(".mod")]
        self.allowed = Allowed(allowed)
        self.floors = self.allowed.settings["floors"]
        self.order = {f: i for i, f in enumerate(self.floors)}
        self.owner = {n: o for o in self.objects for n in o.defines}
        self.findings = []

    def say(self, where, text):
        """Note a finding."""
        self.findings.append(f"{where}:0: FLOORS: {text}")

    def is_up(self, low, high):
        """Does who is on the one floor look up to the other one?"""
        if low not in self.order or high not in self.order:
            return False
        return self.order[high] > self.order[low]

    def calls(self):
        """No call goes up, but for those allowed. Return: the other ones."""
        down = collections.defaultdict(set)
        for obj in self.objects:
            for name in sorted(obj.needs):
                to = self.owner.get(name)
                if not to or to is obj:
                    continue
                if self.is_up(obj.floor, to.floor):
                    if self.allowed.has("up", obj.floor, name):
                        continue
                    self.say(f"net/prp/{obj.name}.c", f"{name}() is called, "
                             f"up in {to.name}.c")
                down[obj.name].add(to.name)
        return down

    def circles(self, down):
        """No circle of calls is longer than it may be."""
        for circle in circles(down):
            if len(circle) > CIRCLE_MAX and not self.allowed.circle(circle):
                self.say(f"net/prp/{circle[0]}.c", "a circle of "
                         f"{len(circle)}: {' '.join(circle)}")

    def headers(self):
        """No header of an upper floor is included, but for those allowed."""
        for obj in self.objects:
            for header in sorted(obj.headers):
                floor = os.path.dirname(header)
                if self.is_up(obj.floor, floor) and \
                        not self.allowed.has("include", obj.floor, header):
                    self.say(f"net/prp/{obj.name}.c", f"{header} is included, "
                             "which is up")

    def pointers(self):
        """No pointer hides a call: each has a row."""
        functions = {n for o in self.objects for n in o.functions}
        for obj in self.objects:
            for table, function in sorted(obj.pointers(functions)):
                if table:
                    if not self.allowed.has("table", obj.name, table):
                        self.say(f"net/prp/{obj.name}.c", f"{table}, a table "
                                 f"that has {function}()")
                elif not self.allowed.has("pointer", obj.name, function):
                    self.say(f"net/prp/{obj.name}.c",
                             f"a pointer to {function}() is taken")

    def names(self):
        """An exported name is its room's."""
        for obj in self.objects:
            for name in sorted(obj.defines):
                room = obj.room
                if re.match(rf"_*prp_{room}(_|$)", name) or \
                        self.allowed.has("name", obj.name, name):
                    continue
                self.say(f"net/prp/{obj.name}.c", f"{name} is not the "
                         "room's")

    def rooms(self):
        """Base names are unique, and each is on a floor."""
        seen = {}
        for obj in self.objects:
            if obj.floor not in self.order:
                self.say(f"net/prp/{obj.name}.c", f"{obj.floor} is no floor")
            if obj.room in seen:
                self.say(f"net/prp/{obj.name}.c", f"{seen[obj.room]} has the "
                         "same name")
            seen[obj.room] = obj.name

    def picture(self):
        """The floors from above, each with its rooms and whom it calls up."""
        lines = []
        for floor in self.floors[::-1]:
            rooms = sorted(o.room for o in self.objects if o.floor == floor)
            if not rooms:
                continue
            text = ""
            for room in rooms:
                if len(text) + len(room) > 60:
                    lines.append((floor, text))
                    floor, text = "", ""
                text += room + " "
            lines.append((floor, text))
        return [f"   {floor:<10} {text}".rstrip() for floor, text in lines]

    def page(self):
        """The page has the picture."""
        for page in self.allowed.settings["page"]:
            with open(page, encoding="utf-8") as file:
                if "\n".join(self.picture()) not in file.read():
                    self.say(page, "the picture of the floors is another one: "
                             "floors.py --picture")

    def check(self):
        """All of it."""
        self.circles(self.calls())
        self.headers()
        self.pointers()
        self.names()
        self.rooms()
        self.page()
        counts = len(self.objects), len(self.owner)
        for count, least in zip(counts, self.allowed.settings["least"]):
            if count < int(least):
                self.say(self.allowed.path, f"only {counts[0]} files and "
                         f"{counts[1]} names were looked at")
        for line, kind, where, what in self.allowed.unused():
            self.findings.append(f"{self.allowed.path}:{line}: FLOORS: nobody needs "
                                 f"{kind} {where}: {what}")
        return counts


def main():
    checker = Checker(*sys.argv[1:3])
    if sys.argv[3:] == ["--picture"]:
        print("\n".join(checker.picture()))
        return
    files, names = checker.check()
    print(f"# {files} files, {names} exported names")
    for finding in checker.findings:
        print(finding)


if __name__ == "__main__":
    main()
