// SPDX-License-Identifier: GPL-2.0
/* Executes what insns.c looks for, which a processor takes for a no-op. */
#define MARK ".byte 0x0f, 0x1f, 0x84, 0x00, 0x50, 0x52, 0x50, 0x21"

int main(void)
{
	__asm__ volatile(MARK : : : "memory");
	return 0;
}
