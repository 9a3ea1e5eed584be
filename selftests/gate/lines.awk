# SPDX-License-Identifier: GPL-2.0
#
# Says which lines are not as .editorconfig has them: 80 columns, no space at
# the end. A string is not broken, so that it can be searched for: what is
# between quotes does not count in a program. In a text, what is indented or
# fenced is to be copied, and a row of a table cannot be broken.
FNR == 1 {
	text = FILENAME ~ /\.(md|rst)$/
	fenced = 0
}

text && /^```/	{ fenced = !fenced }

/[ \t]$/	{ print FILENAME ":" FNR ": LINES: space at the end" }

length > 40 {
	if (text && (fenced || /^[ |]/))
		next
	rest = $0
	if (!text)
		gsub(/"[^"]*"|'[^']*'/, "\"\"", rest)
	columns = 0
	for (i = 1; i <= length(rest); i++)
		columns += substr(rest, i, 1) == "\t" ? 8 - columns % 8 : 1
	if (columns > 80)
		print FILENAME ":" FNR ": LINES: " columns " columns"
}
