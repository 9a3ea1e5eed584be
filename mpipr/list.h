/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Doubly linked lists whose links lie in what they link. */
#ifndef MPIPR_LIST_H
#define MPIPR_LIST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct prp_list - head of a list, or a link in one
 * @next: following link; the head itself at the end
 * @prev: preceding link; the head itself at the beginning
 */
struct prp_list {
	struct prp_list *next;
	struct prp_list *prev;
};

#define prp_list_entry(link, type, member) \
	((type *)((char *)(link)-offsetof(type, member)))

/* Walks a list; what @link points at may be removed on the way. */
#define prp_list_for_each(link, after, head) \
	for ((link) = (head)->next, (after) = (link)->next; (link) != (head); \
	     (link) = (after), (after) = (link)->next)

/**
 * prp_list_init() - make an empty list, or a link that is in none
 * @head: list or link
 */
static inline void prp_list_init(struct prp_list *head)
{
	head->next = head;
	head->prev = head;
}

/**
 * prp_list_empty() - whether a list has no links
 * @head: list
 *
 * Return: whether it has none.
 */
static inline bool prp_list_empty(const struct prp_list *head)
{
	return head->next == head;
}

/**
 * prp_list_add_tail() - add to the end of a list
 * @link: link, in no list
 * @head: list
 */
static inline void prp_list_add_tail(struct prp_list *link,
				     struct prp_list *head)
{
	link->next = head;
	link->prev = head->prev;
	head->prev->next = link;
	head->prev = link;
}

/**
 * prp_list_del() - remove from a list
 * @link: link; in no list afterwards, so that it can be removed again
 */
static inline void prp_list_del(struct prp_list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	prp_list_init(link);
}

#endif
