#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Writes once more what is written elsewhere: `make docs`.

Counters are in net/prp/see/mib.h, the fields of struct prp_info in
include/uapi/linux/prp.h, options, errors and reasons in the tables of prp.rst.
The options of SOL_SOCKET that sockopt.c has its own word for are in that table.
Between the marks in prp.rst, in prp(7) and in meaning.c of prpctl stands what
this makes of them.

With --check it only says what is not so, one finding a line.
"""
import re
import sys
import textwrap

MIB = "net/prp/see/mib.h"
UAPI = "include/uapi/linux/prp.h"
RST = "Documentation/networking/prp.rst"
MAN = "tools/man/prp.7"
CODE = "tools/prpctl/show/meaning.c"
SOCKOPT = "net/prp/socket/sockopt.c"
README = "README.md"
README_LINES = 90  # before the table of pages: what a newcomer reads


def read(path):
    """The whole file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- what there is -----------------------------------------------------------

def counters():
    """Names and meanings, in the order of prpctl stats."""
    return re.findall(r'\bX\(\w+, "(\w+)",[\s\\]*"([^"]*)"\)', read(MIB))


def counter_rows():
    """How many rows the lists have, however they are written."""
    return len(re.findall(r"\bX\([A-Z]", read(MIB)))


def fields(struct):
    """Fields of a struct and their descriptions."""
    comment = re.search(rf"\* struct {struct} - .*?\*/", read(UAPI), re.S)[0]
    return [(name, " ".join(re.sub(r"\n \*", " ", text).split()))
            for name, text in re.findall(
                r"^ \* @(\w+): (.*?)(?=\n \* @|\n \*/)", comment,
                re.M | re.S)]


def options_of_header():
    """Those of level SOL_PRP that programs can name."""
    part = read(UAPI).split("/* Socket options at level SOL_PRP", 1)[1]
    return re.findall(r"^#define (PRP_\w+) \d+", part.split("\n\n", 1)[0],
                      re.M)


def table(page, head):
    """Rows of a simple table, each cell one string. A first cell that ends
    with a comma goes on in the next line.
    """
    lines = page.split("\n")
    at = next(i for i, line in enumerate(lines)
              if re.fullmatch(head, line))
    starts = [m.start() for m in re.finditer("=+", lines[at - 1])]
    ends = [*starts[1:], None]
    rows = []
    for line in lines[at + 2:]:
        if line.startswith("==="):
            break
        cells = [line[a:b].strip() for a, b in zip(starts, ends)]
        if cells[0] and not (rows and rows[-1][0].endswith(",")):
            rows.append(cells)
        else:
            rows[-1] = [f"{old} {new}".strip()
                        for old, new in zip(rows[-1], cells)]
    return rows


# --- reStructuredText --------------------------------------------------------

def counters_rst():
    """The table of counters."""
    rule = "=" * 24 + "  " + "=" * 50
    lines = [rule, f"{'Counter':26}Meaning", rule]
    for name, text in counters():
        text = re.sub(r"\b(\w+\(\))", r"``\1``", text)
        first, *more = textwrap.wrap(text, 50)
        lines.append(f"{name:26}{first}")
        lines += [" " * 26 + line for line in more]
    return [*lines, rule]


# --- manual ------------------------------------------------------------------

# What a section of prp.rst is called in the manual, where that differs
SECTIONS = {"Calls": "Streams"}


def roff(text):
    """Lines of running text."""
    text = re.sub(r"`([^`]+)`_", lambda link: SECTIONS.get(link[1], link[1]),
                  text.replace("\\", r"\e"))
    text = text.replace("-", r"\-")
    text = re.sub(r"``([^`]*)\(\)``", r"\\fB\1\\fP()", text)
    text = re.sub(r"``([^`]*)``", r"\\fB\1\\fP", text)
    text = re.sub(r"(\d) (ms|s|MiB|KiB)\b", r"\1\\~\2", text)
    return [r"\&" + line if line[0] in ".'" else line
            for line in textwrap.wrap(text, 79, break_on_hyphens=False,
                                      break_long_words=False)]


def item(names, text):
    """An entry of a list."""
    return [".TP", ".B " + re.sub("``", "", names), *roff(text)]


def options_man(prp):
    """Options, of level SOL_PRP or of the others."""
    lines = []
    for names, text in table(read(RST), r"Option +Meaning"):
        level = "level ``SOL_PRP``, "
        if text.startswith(level) == prp:
            lines += item(names, text.removeprefix(level))
    return lines


def errors_man():
    """Each errno, and what it means from which calls."""
    causes, call = {}, ""
    for first, errnos, cause in table(read(RST), r"Call +errno +Cause"):
        if first != "..":
            call = first.replace("both", "``send()`` and ``recv()``")
        for errno in errnos.split(", "):
            causes.setdefault(errno, []).append(f"{call}: {cause}")
    return [line for errno in sorted(causes)
            for line in item(errno, ". ".join(causes[errno]) + ".")]


def reasons_man():
    """Why TCP carries a connection."""
    return [line for row in table(read(RST), r"Reason +TCP carries.*")
            for line in item(*row)]


def require_man():
    """What connect() fails with where TCP is not wanted."""
    return [line for row in table(read(RST), r"errno +Cause")
            for line in item(*row)]


def info_man():
    """The fields of struct prp_info."""
    return [line for name, text in fields("prp_info")
            for line in [".TP", ".I " + name,
                         *roff(re.sub(r"@(\w+)", r"``\1``", text))]]


# --- C ------------------------------------------------------------------------

def counters_code():
    """Rows of a table."""
    return [line for name, text in counters()
            for line in [f'\t{{ "{name}",', f'\t  "{text}" }},']]


# --- pages -------------------------------------------------------------------

PARTS = [
    (RST, "counters", MIB, counters_rst),
    (CODE, "counters", MIB, counters_code),
    (MAN, "options of SOL_PRP", RST, lambda: options_man(True)),
    (MAN, "options of SOL_SOCKET", RST, lambda: options_man(False)),
    (MAN, "reasons", RST, reasons_man),
    (MAN, "errors with PRP_REQUIRE", RST, require_man),
    (MAN, "struct prp_info", UAPI, info_man),
    (MAN, "errors", RST, errors_man),
]


# How a comment begins and ends, and what is between it and other lines
COMMENTS = {
    RST: (".. ", "", "\n\n"),
    MAN: ('.\\" ', "", "\n"),
    CODE: ("\t/* ", " */", "\n"),
}


def put_in(page, name, source, path, lines):
    """The page with these lines between the marks of a part."""
    dots, stop, gap = COMMENTS[path]
    begin = f"{dots}{name}: by make docs, from {source}{stop}"
    end = f"{dots}end of {name}{stop}"
    before, rest = page.split(begin + "\n", 1)
    after = rest.split("\n" + end, 1)[1]
    return before + begin + gap + "\n".join(lines) + gap + end + after


def missing():
    """What is in the code and not where it would be written."""
    if len(counters()) != counter_rows():
        yield f"{MIB}:1: GENERATED: a row without a name and a meaning"
    known = {name for names, _ in table(read(RST), r"Option +Meaning")
             for name in re.findall(r"``(\w+)``", names)}
    for name in sorted(set(options_of_header()) ^
                       {name for name in known if name.startswith("PRP_")}):
        yield f"{RST}:1: GENERATED: {name}: in {UAPI} or in Options, not both"
    for name in sorted(set(re.findall(r"case (SO_\w+):", read(SOCKOPT))) -
                       known):
        yield f"{RST}:1: GENERATED: {name}: in {SOCKOPT}, not in Options"
    before = read(README).split("## Pages\n\n", 1)[0].count("\n") + 2
    if before > README_LINES:
        yield f"{README}:{before}: GENERATED: more than {README_LINES} lines"


def main():
    check = sys.argv[1:] == ["--check"]
    findings = list(missing())
    for path in COMMENTS:
        page = old = read(path)
        for where, name, source, make in PARTS:
            if where == path:
                page = put_in(page, name, source, path, make())
        if page != old and check:
            line = next(i for i, pair in enumerate(
                zip(page.split("\n"), old.split("\n")), 1)
                if pair[0] != pair[1])
            findings.append(f"{path}:{line}: GENERATED: not what make docs "
                            "writes")
        elif page != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
    for finding in findings:
        print(finding)
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
