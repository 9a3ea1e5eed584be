/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Doubly linked lists whose links lie in what they link. */
#ifndef MPIPR_LIST_H
#define MPIPR_LIST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct mpipr_list - head of a list, or a link in one
 * @next: following link; the head itself at the end
 * @prev: preceding link; the head itself at the beginning
 */
struct mpipr_list {
	struct mpipr_list *next;
	struct mpipr_list *prev;
};

#define mpipr_list_entry(link, type, member) \
	((type *)((char *)(link)-offsetof(type, member)))

/* Walks a list; what @link points at may be removed on the way. */
#define mpipr_list_for_each(link, after, head) \
	for ((link) = (head)->next, (after) = (link)->next; (link) != (head); \
	     (link) = (after), (after) = (link)->next)

/**
 * mpipr_list_init() - make an empty list, or a link that is in none
 * @head: list or link
 */
static inline void mpipr_list_init(struct mpipr_list *head)
{
	head->next = head;
	head->prev = head;
}

/**
 * mpipr_list_empty() - whether a list has no links
 * @head: list
 *
 * Return: whether it has none.
 */
static inline bool mpipr_list_empty(const struct mpipr_list *head)
{
	return head->next == head;
}

/**
 * mpipr_list_add_tail() - add to the end of a list
 * @link: link, in no list
 * @head: list
 */
static inline void mpipr_list_add_tail(struct mpipr_list *link,
				       struct mpipr_list *head)
{
	link->next = head;
	link->prev = head->prev;
	head->prev->next = link;
	head->prev = link;
}

/**
 * mpipr_list_del() - remove from a list
 * @link: link; in no list afterwards, so that it can be removed again
 */
static inline void mpipr_list_del(struct mpipr_list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	mpipr_list_init(link);
}

#endif
