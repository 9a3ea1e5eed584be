#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is Documentation/networking/prp-internals.rst true of net/prp?

Rooms are files. Locks are fields, every one of them is in the table, and is
asserted in the files that the page names. Functions that expect a lock to be
held assert it. What the page names exists.
"""
import glob
import os
import re
import sys

PAGE = "Documentation/networking/prp-internals.rst"

LOCK_FIELD = re.compile(r"^\t(?:spinlock_t|struct mutex) (\w+)\b.*;", re.M)
STRUCT = re.compile(r"^(?:struct|union) (\w+) \{\n(.*?)^\}", re.M | re.S)
FUNCTION = re.compile(r"^(?!\s)[^;{}#/]*?\b(\w+)\([^;{}]*?\)\n\{\n(.*?)^\}",
                      re.M | re.S)
ASSERT = re.compile(r"lockdep_(?:assert|is)_held(?:_once)?\(&([\w>.-]+)\)")
OTHER_ASSERTS = {
    "RTNL": r"ASSERT_RTNL\(|rtnl_dereference\(",
    "sk_lock (lock_sock)": r"sock_owned_by_me\(|lockdep_sock_is_held\(",
}
# Objects by the names that their pointers have
OBJECTS = {"conn": "prp_conn", "nl": "prp_netlink_net", "pn": "prp_net",
           "inet": "prp_inet", "wheel": "prp_wheel", "psk": "prp_sock",
           "listener": "prp_sock", "backlog": "prp_backlog",
           "confirm": "prp_confirm", "cutters": "prp_cutters",
           "fault": "prp_fault"}
NOWHERE = "nowhere"


def code_of(path):
    """The source without comments, its lines where they were."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                  flags=re.S)


def table_below(page, head):
    """Rows of the table whose head line begins so: first cell -> last cell."""
    lines = page.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(head))
    starts = [m.start() for m in re.finditer("=+", lines[at - 1])]
    rows, key = {}, ""
    for line in lines[at + 2:]:
        if line.startswith("="):
            break
        key = line[:starts[1]].strip() or key
        rows[key] = f"{rows.get(key, '')} {line[starts[-1]:].strip()}".strip()
    return rows


def lock_of(expression):
    """The table's name of a lock that an assert names."""
    *_, owner, field = re.split(r"->|\.", expression)
    if field == "xa_lock":
        return f"prp_net.{owner} lock"
    return f"{OBJECTS.get(owner, owner)}.{field}"


class Checker:
    """Collects what is not true."""

    def __init__(self):
        with open(PAGE, encoding="utf-8") as file:
            self.page = file.read()
        paths = [path for path in glob.glob("net/prp/**/*.[ch]",
                                            recursive=True)
                 if not path.endswith(".mod.c")]
        self.code = {path: code_of(path) for path in sorted(paths)}
        self.all_code = "\n".join(self.code.values())
        self.structs = {m[1]: m[2] for m in STRUCT.finditer(self.all_code)}
        # What programs call is not in the module, but in its tests.
        self.programs = "\n".join(map(code_of, glob.glob(
            "selftests/**/*.[ch]", recursive=True)))
        self.findings = []

    def say(self, text, word):
        """Note a finding, at the first line of the page with the word."""
        line = self.page.count("\n", 0, max(self.page.find(word), 0)) + 1
        self.findings.append(f"{PAGE}:{line}: INTERNALS: {text}")

    def rooms(self):
        """Every file has a room, every room is a file."""
        rows = table_below(self.page, "Room ")
        named = {word for key, cell in rows.items()
                 for word in [key, *re.findall(r"\binet_\w+", cell)]}
        files = {os.path.basename(path)[:-2] for path in self.code
                 if path.endswith(".c")}
        for room in sorted(files - named):
            self.say(f"no room {room}", "Room ")
        headers = {os.path.basename(path) for path in self.code
                   if path.endswith(".h")}
        for room in sorted(named - files - headers - {"compat/"}):
            self.say(f"room {room} is no file", room)

    def locks(self):
        """The table has all locks, and no other."""
        rows = table_below(self.page, "Lock   ")
        fields = {f"{name}.{field}" for name, body in self.structs.items()
                  for field in LOCK_FIELD.findall(body)}
        fields |= {f"prp_net.{name} lock" for name in re.findall(
            r"xa_init_flags\(&pn->(\w+)", self.all_code)}
        for lock in sorted(fields - rows.keys()):
            self.say(f"{lock} is not in the table of locks", "Locks\n")
        for lock in sorted(rows.keys() - fields - OTHER_ASSERTS.keys()):
            self.say(f"there is no {lock}", lock)
        return rows.keys()

    def asserts(self, locks):
        """Each lock is asserted in the files that the page names."""
        rows = table_below(self.page, "Asserted  ")
        found = {lock: set() for lock in locks}
        for path, code in self.code.items():
            for match in ASSERT.finditer(code):
                found.setdefault(lock_of(match[1]), set()).add(path)
            for lock, pattern in OTHER_ASSERTS.items():
                if re.search(pattern, code):
                    found[lock].add(path)
        for lock, paths in found.items():
            if lock not in locks:
                self.say(f"{lock}, asserted in {sorted(paths)}, is not in "
                         "the table of locks", "Locks\n")
                continue
            told = rows.get(lock, "missing")
            files = ", ".join(sorted(os.path.basename(p) for p in paths))
            if told != files and (files or not told.startswith(NOWHERE)):
                self.say(f"{lock} is asserted in: {files or NOWHERE}", lock)

    def underscores(self):
        """Two underscores: the lock is held, and that is asserted."""
        for path, code in self.code.items():
            for match in FUNCTION.finditer(code):
                if match[1].startswith("__prp_") and not re.search(
                        "|".join([ASSERT.pattern, *OTHER_ASSERTS.values()]),
                        match[2]):
                    line = code.count("\n", 0, match.start(1)) + 1
                    self.findings.append(f"{path}:{line}: INTERNALS: "
                                         f"{match[1]}() asserts no lock")

    def names(self):
        """What is set in ``literals`` exists."""
        for literal in sorted(set(re.findall("``(.*?)``", self.page))):
            if not self.exists(literal):
                self.say(f"``{literal}`` is not there", f"``{literal}``")

    def exists(self, literal):
        """Is a literal of the page a file, a field, or in the code?"""
        if re.search(r"\.(c|h|sh|yaml|rst)$|/", literal):
            return any(glob.glob(where + literal) for where in
                       ("", "net/prp/", "net/prp/*/", "Documentation/networking/",
                        "selftests/unit/"))
        if literal.startswith("make ") or os.path.isdir("tools/" + literal):
            return True
        field = re.fullmatch(r"(\w+)\.(\w+)", literal)
        if field and field[1] in self.structs:
            return re.search(rf"\b{field[2]}\b", self.structs[field[1]])
        words = re.findall(r"\w+", literal)
        if literal.endswith(")"):
            words = words[:1]
        return all(re.search(rf"\b{word}\b", self.all_code + self.programs)
                   for word in words)


def main():
    checker = Checker()
    checker.rooms()
    checker.asserts(checker.locks())
    checker.underscores()
    checker.names()
    for finding in checker.findings:
        print(finding)
    return bool(checker.findings)


if __name__ == "__main__":
    sys.exit(main())
