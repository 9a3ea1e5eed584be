#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Says where instructions go, by room of the module and part of the kernel.

usage: rooms.py FOLDER MODULE

FOLDER has what rooms.sh left: kallsyms, insns.0 and so on, and output, whose
lines "count NAME COUNT" name them; MODULE is net/prp, with its objects. Of
NAME.FAMILY.less and .more the difference is told, divided by COUNT: tables in
Markdown.
"""
import bisect
import collections
import pathlib
import re
import subprocess
import sys

# The first that a function's name matches
PARTS = [
    ("copies", r"^(rep_movs|copy_|_copy_|csum_|memcpy|__memcpy|memset|__memset|"
               r"clear_page|iov_iter|_?copyin|_?copyout|simple_copy|"
               r"skb_copy_datagram|__skb_datagram|skb_copy_bits)"),
    ("system calls", r"^(entry_|do_syscall|syscall_|__x64_sys|__sys_|"
                     r"exit_to_user|sys_|sockfd_|__fget|__fdget|fput|"
                     r"security_|apparmor|aa_|sock_sendmsg|sock_recvmsg|"
                     r"import_|move_addr|__get_user|__put_user|x64_sys|"
                     r"vfs_|ksys_|pipe_|do_(sys_)?poll|poll_|ep_|new_sync|"
                     r"rw_verify|fsnotify|__fsnotify|audit_|bpf_lsm)"),
    ("scheduler", r"sched|^(__?schedule|try_to_wake|wake_|__wake|autoremove|"
                  r"ttwu|enqueue_|dequeue_|pick_next|put_prev|set_next|"
                  r"update_(curr|load|rq|cfs|min)|__update_load|select_task|"
                  r"switch_|__switch|finish_task|prepare_to_wait|finish_wait|"
                  r"check_preempt|place_entity|reweight|native_load|"
                  r"default_wake|sock_def|__calc_delta|cpuacct|psi_|"
                  r"load_new_mm|resched|rb_|cgroup_rstat|perf_|hrtick|"
                  r"wait_woken|woken_|add_wait|remove_wait|sk_wait)"),
    ("buffers", r"skb|^(kmem_|kmalloc|kfree|__kmalloc|__kmem|__slab|slab_|"
                r"page_frag|__page_frag|napi_alloc|get_page|put_page|"
                r"__alloc_pages|free_|__free|rmqueue|get_partial|"
                r"___slab|__pkmalloc|__build|allocate_slab|"
                r"__unfreeze|cmpxchg_double|mod_node|memcg_|obj_cgroup|"
                r"refill_|try_charge|__mod_|sock_(w|r)free|sk_)"),
    ("devices", r"^(dev_|__dev_|netif_|__netif|net_rx|process_backlog|"
                r"napi_|__napi|veth|netdev_|sch_|validate_xmit|"
                r"eth_|enqueue_to|__do_softirq|do_softirq|irq_|"
                r"__local_bh|local_bh|raise_softirq|ktime|br_|gro_|inet_gro)"),
    ("TCP and IP", r"tcp|^(ip_|__ip_|inet_|__inet|ipv4|rt_|dst_|fib_|nf_|"
                   r"sk_stream|__sk_|bictcp|cubic|lock_sock|release_sock|"
                   r"sock_)"),
    ("locks, timers", r"lock|rcu|timer|clock|ktime|mutex|^(__preempt|preempt|"
                      r"hrtimer|mod_|jiffies|read_tsc|enqueue_hr|lapic|"
                      r"sysvec|asm_|apic|native_|pv_|tick_|update_wall)"),
]


def symbols(path):
    """Addresses and names of all functions; a module's with its own."""
    table = []
    with open(path, encoding="ascii") as file:
        for line in file:
            field = line.split()
            if field[1] in "tTwW":
                module = field[3][1:-1] if len(field) > 3 else ""
                table.append((int(field[0], 16), field[2], module))
    table.sort()
    return [row[0] for row in table], table


def rooms(module):
    """{function: file of the module}; of one that is in several, all"""
    found = collections.defaultdict(set)
    for path in pathlib.Path(module).glob("*/*.o"):
        said = subprocess.run(["nm", path], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        for line in said.splitlines():
            field = line.split()
            if len(field) == 3 and field[1] in "tT":
                found[field[2]].add(f"{path.parent.name}/{path.stem}")
    return {name: " or ".join(sorted(files)) for name, files in found.items()}


def part_of(name, module, files):
    """The room or the part of the kernel that a function is of"""
    if module == "prp":
        # what the compiler has split off is of the same file
        room = files.get(name) or files.get(name.split(".")[0])
        return "prp " + (room or "several")
    for part, pattern in PARTS:
        if re.search(pattern, name):
            return part
    return "other"


def load(path, starts, table, files):
    """{part: instructions}"""
    counts = collections.Counter()
    with open(path, encoding="ascii") as file:
        for line in file:
            address, count = line.split()
            address = int(address, 16)
            if not address:
                counts["user space"] += int(count)
                continue
            row = table[bisect.bisect_right(starts, address) - 1]
            counts[part_of(row[1], row[2], files)] += int(count)
    return counts


def differences(folder, files):
    """{(what, family): {part: instructions of one}}"""
    starts, table = symbols(folder / "kallsyms")
    names = re.findall(r"^(?:# )*count (\S+) (\d+)$",
                       (folder / "output").read_text(encoding="utf-8"), re.M)
    counts, result = {}, {}
    for nr, (name, count) in enumerate(names):
        what, family, which = name.split(".")
        counts[what, family, which] = load(folder / f"insns.{nr}", starts,
                                           table, files)
        if which == "more":
            less = counts[what, family, "less"]
            more = counts[what, family, "more"]
            result[what, family] = {
                part: (more[part] - less[part]) / int(count)
                for part in set(more) | set(less)}
    return result


def print_table(head, rows):
    """In Markdown, the largest first"""
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for name, values in sorted(rows.items(), key=lambda row: -max(row[1])):
        if max(values) >= 1:
            print(f"| {name} | " +
                  " | ".join(f"{value:.0f}" for value in values) + " |")
    print()


def print_all(what, title, prp, tcp):
    """Parts of both, then the rooms of ours"""
    parts = collections.defaultdict(lambda: [0, 0])
    for nr, counts in enumerate((prp, tcp)):
        for part, count in counts.items():
            parts["PRP" if part.startswith("prp ") else part][nr] += count
    total = [sum(column) for column in zip(*parts.values())]
    print(f"## {title}\n")
    print_table(["", f"PRP, {total[0]:.0f}", f"TCP, {total[1]:.0f}"], parts)
    print_table([f"of PRP, {what}", "instructions"],
                {part[4:]: [count] for part, count in prp.items()
                 if part.startswith("prp ")})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = differences(pathlib.Path(sys.argv[1]), rooms(sys.argv[2]))
    print("<!-- Written by `make profile`; see ../performance.md. -->")
    print("# Where the instructions go (004 fig. 3)\n")
    for what, title in (("trip", "A round trip of 4 bytes"),
                        ("bulk", "A KB in bulk, of 64 KiB pieces"),
                        ("connect", "A connection, opened and closed")):
        if (what, "tcp") in found:
            print_all(what, title, found[what, "prp"], found[what, "tcp"])


if __name__ == "__main__":
    main()
