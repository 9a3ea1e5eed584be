/* SPDX-License-Identifier: GPL-2.0 */
int prp_high_do(void);
int prp_high_told(void);
