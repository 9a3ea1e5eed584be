// SPDX-License-Identifier: GPL-2.0
/*
 * Both files have a line for each entry, whose fields are separated by " | ".
 * differences: case, what PRP gives, the reason. In the table, sockets.rst:
 * case, TCP, IP mode, native, as one kernel gave it.
 */
#include "differences.h"

#include <sys/utsname.h>

#define FIELDS 4

struct row {
	char *field[FIELDS];
	bool known;
	struct row *next;
};

static struct difference *differences;
static struct row *rows;
static bool table_is_of_this_kernel;

/* Splits a line. Return: how many fields there are. */
static int split(char *line, char **field)
{
	int count = 0;
	char *end;

	line[strcspn(line, "\n")] = 0;
	while (count < FIELDS) {
		field[count++] = line;
		end = strstr(line, " | ");
		if (!end)
			break;
		*end = 0;
		line = end + 3;
	}
	return count;
}

/* How old is the running kernel, beside "6.7"? Return: below 0 if it is older,
 * 0 if it is of that series.
 */
static int kernel_compared(const char *version)
{
	int major, minor, of_major, of_minor;
	struct utsname name;

	uname(&name);
	if (sscanf(name.release, "%d.%d", &major, &minor) != 2 ||
	    sscanf(version, "%d.%d", &of_major, &of_minor) != 2)
		return 1;
	return major == of_major ? minor - of_minor : major - of_major;
}

static int difference_add(char *line)
{
	struct difference *one = calloc(1, sizeof(*one)), **at = &differences;
	char *field[FIELDS], *version;

	if (split(line, field) != 3) {
		printf("# differences: not three fields: %s\n", line);
		errno = EINVAL;
		return -1;
	}
	version = strpbrk(field[0], "=>");
	if (version && (*version == '=' ? kernel_compared(version + 1) :
					  kernel_compared(version + 1) <= 0)) {
		free(one);
		return 0;
	}
	if (!version)
		version = strchr(field[0], '<');
	one->applies = !version || *version != '<' ||
		       kernel_compared(version + 1) < 0;
	if (version)
		*version = 0;
	one->name = field[0];
	one->answer = field[1];
	one->reason = field[2];
	while (*at)
		at = &(*at)->next;
	*at = one;
	return 0;
}

static int row_add(char *line)
{
	static const char kernel[] = "with Linux ";
	struct row *one = calloc(1, sizeof(*one));
	const char *version = strstr(line, kernel);

	if (version && !kernel_compared(version + strlen(kernel)))
		table_is_of_this_kernel = true;
	line += strspn(line, " ");
	if (*line == ':' || split(line, one->field) != FIELDS) {
		free(one);
		return 0; /* a line of text */
	}
	one->next = rows;
	rows = one;
	return 0;
}

static int read_lines(const char *folder, const char *name,
		      int (*add)(char *line))
{
	char path[4096], line[2048];
	int err = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	while (!err && fgets(line, sizeof(line), file))
		if (*line != '#' && *line != '\n')
			err = add(strdup(line));
	fclose(file);
	return err;
}

/* Reads both files. */
int differences_read(const char *folder)
{
	return read_lines(folder, "sockets.rst", row_add) ||
	       read_lines(folder, "differences", difference_add);
}

/* Is a line about this case? If so, *of is set to what follows its name. */
static bool is_about(const struct difference *one, const char *name,
		     const char **of)
{
	size_t len = strlen(name);

	*of = one->name + len;
	return !strncmp(one->name, name, len) && (!**of || **of == '/');
}

/* Return: what the list has of a case with a flavour for this kernel, or else
 * for others, or NULL.
 */
struct difference *difference_find(const char *name, enum flavour of)
{
	const char *suffix = of == IP ? "/ip" : "/native", *is;
	struct difference *other = NULL;

	for (struct difference *one = differences; one; one = one->next) {
		if (!is_about(one, name, &is) || (*is && strcmp(is, suffix)))
			continue;
		if (one->applies)
			return one;
		other = one;
	}
	return other;
}

/* There is such a case. */
void difference_known(const char *name)
{
	const char *is;

	for (struct difference *one = differences; one; one = one->next)
		one->known |= is_about(one, name, &is);
}

bool differences_all_known(void)
{
	bool ok = true;

	for (struct difference *one = differences; one; one = one->next)
		if (!one->known) {
			printf("# differences: no such case: %s\n", one->name);
			ok = false;
		}
	return ok;
}

/* What a cell says before the colon is the verdict. */
static bool same_verdict(const char *one, const char *two)
{
	size_t len = strcspn(one, ":");

	return len == strcspn(two, ":") && !strncmp(one, two, len);
}

/* Does the table say the same of a case? One of another kernel has nothing to
 * say: there the list of differences has to do.
 */
bool table_has(const char *name, const char *ip, const char *native)
{
	if (!table_is_of_this_kernel)
		return true;
	for (struct row *one = rows; one; one = one->next)
		if (!strcmp(one->field[0], name) &&
		    same_verdict(one->field[2], ip) &&
		    same_verdict(one->field[3], native))
			return true;
	printf("# not so in the table, make oracle: %s\n", name);
	return false;
}

void table_known(const char *name)
{
	for (struct row *one = rows; one; one = one->next)
		one->known |= !strcmp(one->field[0], name);
}

bool table_all_known(void)
{
	bool ok = true;

	for (struct row *one = rows; one; one = one->next)
		if (!one->known) {
			printf("# the table has no such case: %s\n",
			       one->field[0]);
			ok = false;
		}
	return ok;
}
