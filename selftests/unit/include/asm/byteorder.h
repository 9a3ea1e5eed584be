/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_ASM_BYTEORDER_H
#define _UNIT_ASM_BYTEORDER_H

#include <endian.h>
#include <linux/types.h>

#define cpu_to_be16(x) ((__be16)htobe16(x))
#define cpu_to_be32(x) ((__be32)htobe32(x))
#define cpu_to_be64(x) ((__be64)htobe64(x))
#define be16_to_cpu(x) be16toh((u16)(x))
#define be32_to_cpu(x) be32toh((u32)(x))
#define be64_to_cpu(x) be64toh((u64)(x))
#define ntohs(x) be16_to_cpu(x)
#define ntohl(x) be32_to_cpu(x)
#define htons(x) cpu_to_be16(x)
#define htonl(x) cpu_to_be32(x)

#endif
