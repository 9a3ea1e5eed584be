// SPDX-License-Identifier: GPL-2.0
/*
 * Puts wire.bpf.c on a device's ingress, tells it what to do and reads
 * what it counted:
 *
 *	wire NETNS DEV load [KEY=VALUE]...	starts counting afresh
 *	wire NETNS DEV show
 *	wire NETNS DEV frame KIND		the first of that kind, in hex
 *
 * KEY is seed, pad (to so many bytes, as Ethernet does to 60), list (of numbers
 * with commas: segments to be lost, each as often as it is named), or one of
 * drop, first and twice with the kind of frame: drop_seg=100 drops one segment
 * in a hundred, first_ans=1 the first answer, twice_req=2 duplicates two
 * requests. mark_seg=5 sets the congestion mark of the first five segments.
 * drop=N stands for drop_seg, drop_ack, drop_req and drop_ans.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/socket.h>
#include <linux/prp.h>
#include <net/if.h>
#include <stdlib.h>

#include "bpf.h"
#include "wire.h"
#include "netns.h"

static const char *const kinds[WIRE_KINDS] = {
	[WIRE_OTHER] = "other", [WIRE_REQ] = "req",	  [WIRE_ANS] = "ans",
	[WIRE_RST] = "rst",	[WIRE_SEG] = "seg",	  [WIRE_CON] = "con",
	[WIRE_ACK] = "ack",	[WIRE_NOTICE] = "notice",
};

static int map_by_name(__u32 prog_id, const char *name)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	__u32 ids[8];
	int fd;

	fd = bpf_prog_get_fd_by_id(prog_id);
	info.nr_map_ids = 8;
	info.map_ids = (unsigned long)ids;
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		err(1, "program %u", prog_id);
	close(fd);

	for (__u32 i = 0; i < info.nr_map_ids && i < 8; i++) {
		struct bpf_map_info map = {};

		len = sizeof(map);
		fd = bpf_map_get_fd_by_id(ids[i]);
		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &map, &len))
			err(1, "map %u", ids[i]);
		if (!strcmp(map.name, name))
			return fd;
		close(fd);
	}
	errx(1, "no map %s", name);
}

static __u32 load(int ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1,
		    .flags = BPF_TC_F_REPLACE);
	struct bpf_program *prog;
	struct bpf_object *obj;
	int ret;

	obj = bpf_beside("wire.bpf.o");
	if (!obj)
		err(1, "wire.bpf.o");
	prog = bpf_object__next_program(obj, NULL);

	ret = bpf_tc_hook_create(&hook);
	if (ret && ret != -EEXIST)
		errx(1, "clsact: %s", strerror(-ret));
	opts.prog_fd = bpf_program__fd(prog);
	ret = bpf_tc_attach(&hook, &opts);
	if (ret)
		errx(1, "attach: %s", strerror(-ret));
	return opts.prog_id;
}

static __u32 find(int ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1);

	if (bpf_tc_query(&hook, &opts))
		errx(1, "not loaded there");
	return opts.prog_id;
}

static void parse_list(struct wire_config *cfg, char *value)
{
	for (char *one = strtok(value, ","); one; one = strtok(NULL, ",")) {
		if (cfg->listed == WIRE_LIST)
			errx(1, "more than %u numbers", WIRE_LIST);
		cfg->list[cfg->listed++] = atoi(one);
	}
}

static void parse(struct wire_config *cfg, char *word)
{
	char *value = strchr(word, '=');
	char name[32];

	if (!value)
		errx(1, "%s: no value", word);
	*value++ = 0;
	if (!strcmp(word, "seed")) {
		cfg->seed = strtoull(value, NULL, 0);
		return;
	}
	if (!strcmp(word, "pad")) {
		cfg->pad = strtoul(value, NULL, 0);
		return;
	}
	if (!strcmp(word, "list")) {
		parse_list(cfg, value);
		return;
	}
	if (!strcmp(word, "drop")) {
		for (int i = WIRE_REQ; i < WIRE_KINDS; i++)
			cfg->chance[i] = atoi(value);
		return;
	}
	for (int i = 0; i < WIRE_KINDS; i++) {
		__u32 *where = NULL;

		snprintf(name, sizeof(name), "drop_%s", kinds[i]);
		if (!strcmp(word, name))
			where = &cfg->chance[i];
		snprintf(name, sizeof(name), "first_%s", kinds[i]);
		if (!strcmp(word, name))
			where = &cfg->first[i];
		snprintf(name, sizeof(name), "twice_%s", kinds[i]);
		if (!strcmp(word, name))
			where = &cfg->twice[i];
		snprintf(name, sizeof(name), "mark_%s", kinds[i]);
		if (!strcmp(word, name))
			where = &cfg->mark[i];
		if (where) {
			*where = atoi(value);
			return;
		}
	}
	errx(1, "%s: unknown", word);
}

static void set(__u32 prog, char **words)
{
	struct wire_config cfg = { .ethertype = PRP_ETHERTYPE, .seed = 1 };
	__u32 zero = 0;

	for (; *words; words++)
		parse(&cfg, *words);
	if (bpf_map_update_elem(map_by_name(prog, "config"), &zero, &cfg, 0))
		err(1, "set");
}

static void show(__u32 prog)
{
	struct wire_count cnt;
	__u64 drops = 0, frames = 0, bytes = 0;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(map_by_name(prog, "count"), &zero, &cnt))
		err(1, "show");
	for (int i = 0; i < WIRE_KINDS; i++) {
		printf("%s_frames=%llu %s_bytes=%llu %s_dropped=%llu\n",
		       kinds[i], cnt.frames[i], kinds[i], cnt.bytes[i],
		       kinds[i], cnt.dropped[i]);
		if (i == WIRE_OTHER)
			continue;
		drops += cnt.dropped[i];
		frames += cnt.frames[i];
		bytes += cnt.bytes[i];
	}
	printf("frames=%llu bytes=%llu dropped=%llu payload=%llu\n", frames,
	       bytes, drops, cnt.payload);
	printf("segments=%llu repeats=%llu super=%llu parts=%llu most=%llu\n",
	       cnt.segments, cnt.repeats, cnt.super, cnt.parts, cnt.most);
}

static int show_frame(__u32 prog, const char *kind)
{
	struct wire_frame frame;

	for (__u32 i = 0; i < WIRE_KINDS; i++) {
		if (strcmp(kinds[i], kind))
			continue;
		if (bpf_map_lookup_elem(map_by_name(prog, "frames"), &i,
					&frame))
			err(1, "frame");
		for (__u32 j = 0; j < frame.len; j++)
			printf("%02x", frame.data[j]);
		printf("\n");
		return frame.len ? 0 : 1;
	}
	errx(1, "%s: unknown", kind);
}

int main(int argc, char **argv)
{
	int ifindex, status = 0;

	libbpf_set_print(NULL);
	if (argc < 4)
		errx(2, "usage: wire NETNS DEV load|show|frame [KEY=VALUE]...");
	netns_enter(argv[1]);
	ifindex = if_nametoindex(argv[2]);
	if (!ifindex)
		err(1, "%s", argv[2]);

	if (!strcmp(argv[3], "load"))
		set(load(ifindex), argv + 4);
	else if (!strcmp(argv[3], "show"))
		show(find(ifindex));
	else if (!strcmp(argv[3], "frame") && argc > 4)
		status = show_frame(find(ifindex), argv[4]);
	else
		errx(2, "%s: unknown", argv[3]);
	return status;
}
