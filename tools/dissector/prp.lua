-- SPDX-License-Identifier: GPL-2.0
--
-- Wireshark's dissector for PRP, the PaRma Protocol: what the frames say, by
-- the names of net/prp/pure/wire.h, what is wrong with them, by the reasons
-- under which the kernel drops them, and what can be concluded from a capture.
-- Documentation/networking/prp-protocol.rst specifies the wire.
--
-- The filter is `parma`: `prp` is Wireshark's name for the protocol of IEC
-- 62439-3. For Wireshark 4.0, whose Lua knows no conversations: parma.stream
-- numbers the connections of a capture.

local ETHERTYPE = "0x88b5"
local NOTICE, VERSION = 0, 2		-- byte 0
local HEADER, NOTICE_LEN, UNIT = 36, 40, 8
local WORDS_MAX, SEG_SIZE_MIN = 8, 32
local OPEN, SACK, QUOTE, ERROR, FRAGMENT, CHECKSUM, IP = 1, 3, 4, 5, 6, 7, 8
local MESSAGES, COOKIE, CROWD, RAILS, QUERY, REPLY = 9, 10, 11, 12, 13, 14
local TOO_BIG, FEATURES = 3, 5		-- codes of ERROR and QUOTE
local FLAGS_ZERO = 0x1800
local TWO32 = 4294967296

local parma = Proto("parma", "PRP, the PaRma Protocol")

parma.prefs.ethertype = Pref.range("EtherType", ETHERTYPE,
	"EtherType of the frames; all nodes have the same", 0xffff)
parma.prefs.relative = Pref.bool("Relative sequence numbers", true,
	"Count the segments of each direction from 0")
parma.prefs.checksum = Pref.bool("Verify checksums", true,
	"Compute the CRC32C of frames that bear one")

local data = Dissector.get("data")

-- --- fields ---------------------------------------------------------------

local TYPES = { "Request", "Answer", "Selective acknowledgment", "Quote",
		"Error", "Fragment", "Checksum", "IP", "Messages",
		"Cookie", "Crowd", "Rails", "Query", "Reply" }
local RESETS = { [0] = "ABORTED", "NO_CONN", "NO_LISTENER", "DENIED", "TYPE",
		 "FEATURES", "EXPIRED" }
local ERRORS = { "NO_ROUTE", "HOPS", "TOO_BIG" }
local STATUS = { [0] = "bad", "good", "not verified" }

local PORTS = { [0] = "not asked", "LISTENS", "NOBODY", "DENIED", "TYPE" }

-- The first seven are the kinds of frames.
local FLAGS = {
	{ "SEG", 0x0001, "Numbered segment" },
	{ "REQ", 0x0002, "Request" },
	{ "ANS", 0x0004, "Answer" },
	{ "CON", 0x0200, "Confirmation" },
	{ "RST", 0x0080, "Reset" },
	{ "ERROR", 0x0010, "Error of a forwarder" },
	{ "QUERY", 0x0400, "Query, or reply to one" },
	{ "ACKNOW", 0x0008, "Acknowledge at once" },
	{ "END", 0x0040, "End of the stream" },
	{ "EOM", 0x0020, "End of a message, or of what there is" },
	{ "OVERRUN", 0x0100, "A segment was dropped for memory" },
}
local KINDS = 7

local F = {}

local function field(kind, name, ...)
	F[name] = ProtoField[kind]("parma." .. name, ...)
end

field("uint32", "stream", "Stream")
field("uint8", "version", "Version")
field("bool", "mark", "Met congestion on its way", 8, nil, 0x80)
field("uint8", "hops", "Hops left", base.DEC, nil, 0x7f)
field("uint16", "vnet", "Virtual network")
field("uint16", "dnode", "Destination node")
field("uint16", "snode", "Source node")
field("uint16", "node", "Node")
field("uint16", "sport", "Source port")
field("uint16", "dport", "Destination port")
field("uint16", "port", "Port")
field("uint32", "seq", "Sequence number")
field("uint32", "seq_raw", "Sequence number (raw)")
field("uint32", "ack", "Acknowledgment")
field("uint32", "ack_raw", "Acknowledgment (raw)")
field("uint16", "len", "Payload length")
field("uint16", "flags", "Flags", base.HEX)
field("uint16", "rail", "Rail", base.DEC, nil, 0xe000)
for _, flag in ipairs(FLAGS) do
	field("bool", "flags." .. flag[1]:lower(), flag[1], 16, nil, flag[2],
	      flag[3])
end
field("uint16", "flags.zero", "In no use", base.HEX, nil, FLAGS_ZERO)
field("uint32", "txno", "Transmission number")
field("uint16", "window", "Window")
field("uint8", "ext_units", "Extensions, units of 8 bytes")
field("uint8", "marks", "Frames received that met congestion, modulo 256")
field("uint32", "tag", "Tag", base.HEX)
field("bytes", "payload", "Payload")
field("bytes", "padding", "Padding")

field("bytes", "ext", "Extension")
field("uint8", "ext.type", "Type", base.DEC, TYPES)
field("uint8", "ext.units", "Length, units of 8 bytes")
field("bytes", "zero", "Zero")

field("uint8", "open.sock_type", "Socket type", base.DEC, { "stream",
								  "messages" })
field("uint16", "open.seg_size", "Segment size")
field("uint32", "open.tag", "Sender's tag", base.HEX)
field("uint16", "open.can", "Features it knows", base.HEX)
field("bool", "open.can.checksum", "Checksum", 16, nil, 0x1)
field("bool", "open.can.crowd", "Crowd", 16, nil, 0x2)
field("uint16", "open.must", "Features it insists upon", base.HEX)
field("bool", "open.must.checksum", "Checksum", 16, nil, 0x1)
field("bool", "open.must.crowd", "Crowd", 16, nil, 0x2)
field("uint32", "open.table_hash", "Hash of the host table", base.HEX)
field("uint32", "open.first", "Number of the first segment (raw)")

field("uint8", "sack.rails", "Rails", base.HEX)
field("uint8", "sack.words", "Words of the bitmap")
field("uint16", "sack.offset", "Segments of which nothing is said")
field("uint8", "sack.rail", "Rail")
field("uint32", "sack.newest", "Newest transmission number")
field("uint64", "sack.map", "Bitmap", base.HEX)
field("uint32", "sack.first", "From segment")
field("uint32", "sack.last", "To segment")
field("uint16", "sack.segments", "Segments received beyond the gap")

field("uint8", "quote.code", "Reason", base.DEC, RESETS)
field("uint32", "quote.tag", "Tag of the quoted frame", base.HEX)
field("uint32", "quote.seq", "Its sequence number")
field("uint32", "quote.seq_raw", "Its sequence number (raw)")
field("uint16", "quote.features", "Features that are not known", base.HEX)
field("bool", "quote.features.checksum", "Checksum", 16, nil, 0x1)
field("bool", "quote.features.crowd", "Crowd", 16, nil, 0x2)

field("uint8", "error.code", "Reason", base.DEC, ERRORS)
field("uint16", "error.dnode", "Node that the quoted frame was for")
field("uint16", "error.mtu", "Largest frame that can go on")
field("uint32", "error.tag", "Its tag", base.HEX)
field("uint32", "error.seq", "Its sequence number")
field("uint32", "error.seq_raw", "Its sequence number (raw)")

field("uint16", "fragment.offset", "Offset in the segment's payload")
field("uint16", "fragment.total", "Payload of the whole segment")

field("uint16", "messages.first_end", "End of the first message")

field("uint32", "checksum", "CRC32C", base.HEX)
field("uint32", "checksum.computed", "Computed", base.HEX)
field("uint8", "checksum.status", "Status", base.DEC, STATUS)

field("ipv6", "ip.source", "Client")
field("ipv6", "ip.dest", "Wanted")
field("ipv4", "ip.source_v4", "Client")
field("ipv4", "ip.dest_v4", "Wanted")

field("uint8", "cookie.slot", "Time slot of the secret")
field("uint32", "cookie.first", "Number of the server's first segment (raw)")
field("uint64", "cookie.mac", "Keyed hash", base.HEX)
field("uint16", "crowd.among", "Begin as one of so many")
field("uint16", "crowd.active", "Connections that have just sent")
field("uint8", "rails.left", "Rails that the sender uses no more", base.HEX)

field("uint8", "query.sock_type", "Socket type", base.DEC,
      { [0] = "no port", "stream", "messages" })
field("uint32", "query.cookie", "Cookie", base.HEX)
field("uint16", "query.back", "Payload wanted in the reply")
field("uint16", "query.low", "Hash of the nodes from")
field("uint16", "query.high", "Hash of the nodes to")
field("uint8", "reply.port", "Port", base.DEC, PORTS)
field("uint8", "reply.knows", "What it knows", base.HEX)
field("bool", "reply.knows.table", "This node is in its host table", 8, nil, 1)
field("bool", "reply.knows.mine", "The query was for it", 8, nil, 2)
field("bool", "reply.knows.believes", "The query's source is as it says", 8,
      nil, 4)
field("bool", "reply.knows.ip", "So are its IP addresses", 8, nil, 8)
field("uint16", "reply.node", "Node by its own host table")
field("uint16", "reply.high", "Hash of the nodes to")
field("uint32", "reply.table_hash", "Hash of the host table", base.HEX)
field("uint32", "reply.lines", "Hash of the nodes", base.HEX)
field("uint16", "reply.can", "Features it knows", base.HEX)
field("uint16", "reply.mtu", "Largest frame that it can send back")
field("uint8", "reply.rails", "Rails that both have", base.HEX)
field("uint8", "reply.up", "Of these, those that work", base.HEX)

field("uint8", "notice.low", "Lowest version spoken")
field("uint8", "notice.high", "Highest version spoken")
field("uint8", "notice.got", "Version that was not understood")
field("bytes", "notice.quote", "Beginning of the frame with it")

field("framenum", "analysis.retransmission_of", "Sent before in", base.NONE,
      frametype.RETRANS_PREV)
field("relative_time", "analysis.retransmission_time", "Time since then")
field("uint32", "analysis.gap_segments", "Segments missing before")
field("framenum", "analysis.acks_frame", "Acknowledges the segment in",
      base.NONE, frametype.ACK)
field("relative_time", "analysis.ack_time", "Time since that segment")
field("framenum", "analysis.request_in", "Answers the request in", base.NONE,
      frametype.REQUEST)
field("relative_time", "analysis.answer_time", "Time since that request")
parma.fields = F

-- The first four are called as the kernel's counters of dropped frames are.
local E = {}

local function expert_info(name, text, group, severity)
	E[name] = ProtoExpert.new("parma." .. name, text,
				  expert.group[group],
				  expert.severity[severity])
end

expert_info("drop_short", "Lengths beyond the frame", "MALFORMED", "ERROR")
expert_info("drop_extension", "Malformed extension", "MALFORMED", "ERROR")
expert_info("drop_flags", "Flags that exclude each other", "PROTOCOL", "ERROR")
expert_info("drop_version", "Unknown version", "UNDECODED", "WARN")
expert_info("cut", "Frame was cut when it was captured", "UNDECODED", "NOTE")
expert_info("checksum.bad", "Bad checksum", "CHECKSUM", "ERROR")
expert_info("reset", "Connection reset", "SEQUENCE", "WARN")
expert_info("forwarder", "A frame could not be passed on", "SEQUENCE", "WARN")
expert_info("notice", "Version not spoken", "SEQUENCE", "WARN")
expert_info("analysis.retransmission", "Retransmission", "SEQUENCE", "NOTE")
expert_info("analysis.duplicate", "The same transmission again", "SEQUENCE",
	    "NOTE")
expert_info("analysis.overtaken", "Overtaken by later segments", "SEQUENCE",
	    "NOTE")
expert_info("analysis.gap", "Segments before this one were not captured",
	    "SEQUENCE", "WARN")
expert_info("analysis.other_tag", "Tag of another connection", "SEQUENCE",
	    "WARN")
parma.experts = E

-- --- reading --------------------------------------------------------------

local function uint(tvb, at, len)
	return tvb(at, len):uint()
end

local function is_zero(tvb, at, len)
	return not tvb:raw(at, len):find("[^%z]")
end

-- Difference of two sequence or transmission numbers
local function after(a, b)
	local diff = (a - b) % TWO32

	return diff < TWO32 / 2 and diff or diff - TWO32
end

-- Bytes of a selective acknowledgment before its bitmap
local function sack_head(rails)
	local len = 8

	for rail = 0, 7 do
		len = len + 4 * bit.band(bit.rshift(rails, rail), 1)
	end
	return len, math.ceil(len / UNIT) * UNIT
end

-- By type, as net/prp/pure/wire.c judges it: the length, what must be 0, and a
-- function that says what else is wrong. `at` is where the extension is.
local RULES = {
	[OPEN] = { len = 24, zero = { { 3, 1 }, { 6, 2 } },
		fault = function(tvb, at)
			if uint(tvb, at + 4, 2) < SEG_SIZE_MIN then
				return "segment size is too small"
			elseif is_zero(tvb, at + 8, 4) then
				return "tag is 0"
			elseif bit.band(uint(tvb, at + 14, 2),
					bit.bnot(uint(tvb, at + 12, 2))) ~= 0
			then
				return "insists on a feature unknown to it"
			end
		end },
	[SACK] = { zero = { { 6, 2 } },
		fault = function(tvb, at, len)
			local pad, head = sack_head(uint(tvb, at + 2, 1))
			local words = uint(tvb, at + 3, 1)

			if words > WORDS_MAX or
			   head + words * 8 ~= len then
				return "rails and words do not make its length"
			elseif head > pad and
			       not is_zero(tvb, at + pad, head - pad) then
				return "padding is not 0"
			end
		end },
	[QUOTE] = { len = 16, zero = { { 3, 1 }, { 14, 2 } },
		fault = function(tvb, at)
			local code = uint(tvb, at + 2, 1)

			if not RESETS[code] then
				return "unknown reason"
			elseif (code == FEATURES) ==
			       is_zero(tvb, at + 12, 2) then
				return "features do not fit the reason"
			end
		end },
	[ERROR] = { len = 16, zero = { { 3, 1 } },
		fault = function(tvb, at)
			local code = uint(tvb, at + 2, 1)

			if not ERRORS[code] then
				return "unknown reason"
			elseif (code == TOO_BIG) == is_zero(tvb, at + 6, 2) then
				return "MTU does not fit the reason"
			end
		end },
	[FRAGMENT] = { len = 8, zero = { { 6, 2 } },
		fault = function(tvb, at, _, frame)
			local total = uint(tvb, at + 4, 2)

			if frame.len == 0 or frame.len >= total or
			   uint(tvb, at + 2, 2) + frame.len > total then
				return "not a part of that segment"
			end
		end },
	[CHECKSUM] = { len = 8, zero = { { 2, 2 } },
		fault = function(_, at)
			if at ~= HEADER then
				return "not the first extension"
			end
		end },
	[IP] = { len = 40, zero = { { 2, 2 }, { 4, 4 } } },
	[MESSAGES] = { len = 8, zero = { { 4, 4 } } },
	[CROWD] = { len = 8, zero = { { 6, 2 } },
		fault = function(tvb, at)
			if uint(tvb, at + 2, 2) < 2 or
			   is_zero(tvb, at + 4, 2) then
				return "too few for a crowd"
			end
		end },
	[RAILS] = { len = 8, zero = { { 3, 1 }, { 4, 4 } },
		fault = function(tvb, at, _, frame)
			local left = uint(tvb, at + 2, 1)

			if left == 0 or
			   bit.band(left, bit.lshift(1, frame.rail)) ~= 0 then
				return "no rail, or that of the frame"
			end
		end },
	[COOKIE] = { len = 16, zero = { { 3, 1 } },
		fault = function(tvb, at, _, frame)
			if frame.flag.REQ and not is_zero(tvb, at + 2, 14) then
				return "not empty, but in a request"
			end
		end },
	[QUERY] = { len = 32, zero = { { 3, 1 }, { 14, 18 } },
		fault = function(tvb, at, _, frame)
			local low = uint(tvb, at + 10, 2)
			local high = uint(tvb, at + 12, 2)

			if uint(tvb, at + 8, 2) > frame.len then
				return "more is wanted back than came"
			elseif (low == 0) ~= (high == 0) or high < low then
				return "nodes end before they begin"
			end
		end },
	[REPLY] = { len = 32, zero = { { 26, 6 } },
		fault = function(tvb, at)
			if not PORTS[uint(tvb, at + 2, 1)] then
				return "unknown state of a port"
			elseif uint(tvb, at + 3, 1) > 15 then
				return "knows what nobody knows"
			elseif bit.band(uint(tvb, at + 25, 1),
					bit.bnot(uint(tvb, at + 24, 1))) ~= 0
			then
				return "rails work that are not there"
			end
		end },
}
RULES[2] = RULES[OPEN]

local function extension_fault(tvb, ext, frame)
	local rule = RULES[ext.type]

	if not rule then
		return "unknown type"
	elseif rule.len and rule.len ~= ext.len then
		return "wrong length"
	end
	for _, zero in ipairs(rule.zero or {}) do
		if not is_zero(tvb, ext.at + zero[1], zero[2]) then
			return "a field that is to be 0 is not"
		end
	end
	if frame.ext[ext.type == 2 and OPEN or ext.type] then
		return "occurs twice"
	end
	return rule.fault and rule.fault(tvb, ext.at, ext.len, frame)
end

-- Leaves the extensions in frame.exts, the good ones by type in frame.ext
local function read_extensions(tvb, frame)
	local at = HEADER
	local ends = math.min(frame.hdr_len, frame.all)
	local ext, fault

	while at + 2 <= math.min(ends, frame.have) do
		ext = { at = at, type = uint(tvb, at, 1),
			len = uint(tvb, at + 1, 1) * UNIT }
		if ext.len == 0 or at + ext.len > frame.hdr_len then
			fault = "extension at " .. at .. ": length " .. ext.len
			frame.faults.drop_extension = fault
			return
		elseif at + ext.len > math.min(ends, frame.have) then
			return		-- missing, as drop_short or cut says
		end
		ext.fault = extension_fault(tvb, ext, frame)
		frame.exts[#frame.exts + 1] = ext
		if ext.fault then
			frame.faults.drop_extension = string.format(
				"extension at %d, type %d: %s", at, ext.type,
				ext.fault)
		else
			frame.ext[ext.type == 2 and OPEN or ext.type] = ext
		end
		at = at + ext.len
	end
end

-- What a query and its reply exclude
local function query_fault(frame)
	local query, reply = frame.ext[QUERY], frame.ext[REPLY]

	if not query == not reply then
		return "neither query nor reply, or both"
	elseif frame.ext[SACK] or frame.tag ~= 0 or frame.names ~= "QUERY" then
		return "QUERY with what is a connection's"
	elseif query and frame.sport ~= 0 or reply and frame.dport ~= 0 or
	       reply and frame.ext[IP] then
		return "a port or addresses where there are none"
	end
end

-- What the kinds of frames need and exclude
local function flag_fault(frame)
	local needs = { REQ = 1, ANS = 2, CON = 1, RST = QUOTE, ERROR = ERROR }
	local flags, kind = frame.flag, frame.kind
	local needed, got = needs[kind]
	local probe = frame.kinds == 0 and flags.ACKNOW

	if frame.kinds > 1 then
		return "more than one of SEG, REQ, ANS, CON, RST, ERROR, QUERY"
	elseif bit.band(frame.word, FLAGS_ZERO) ~= 0 then
		return "a flag that is in no use"
	elseif kind == "SEG" and frame.len == 0 and not flags.END and
	       not flags.EOM then
		return "a segment with neither payload, END nor EOM"
	elseif kind ~= "SEG" and (frame.len > 0 and not probe and
				  kind ~= "QUERY" or
				  flags.END or flags.EOM or
				  frame.ext[FRAGMENT] or
				  frame.ext[MESSAGES]) then
		return "payload, END, EOM, a fragment or messages, " ..
		       "but no segment"
	elseif frame.ext[RAILS] and not probe then
		return "Rails extension, but no probe"
	elseif frame.ext[CROWD] and (frame.kinds > 0 or probe) then
		return "Crowd extension, but no acknowledgment"
	elseif frame.ext[IP] and kind ~= "REQ" and kind ~= "CON" and
	       kind ~= "QUERY" then
		return "IP extension, but neither request nor confirmation"
	elseif kind == "QUERY" then
		return query_fault(frame)
	elseif frame.ext[QUERY] or frame.ext[REPLY] then
		return "Query or reply extension on another kind"
	elseif frame.ext[COOKIE] and needed ~= 1 and needed ~= 2 then
		return "Cookie extension on another kind"
	elseif kind == "CON" and not frame.ext[COOKIE] then
		return "Cookie extension is missing"
	end
	for _, type in ipairs({ OPEN, QUOTE, ERROR }) do
		got = frame.ext[type] and frame.ext[type].type
		if got and got ~= needed then
			return TYPES[got] .. " extension on another kind"
		elseif needed == type or type == OPEN and needed == 2 then
			if not got then
				return TYPES[needed] .. " extension is missing"
			end
		end
	end
	if kind == "REQ" or kind == "ERROR" then
		if frame.ext[SACK] then
			return "selective acknowledgment on another kind"
		elseif frame.tag ~= 0 then
			return "a tag, where none can be known"
		end
	end
	if kind == "ERROR" and frame.names ~= "ERROR" then
		return "ERROR with other flags"
	elseif (needed == 1 or needed == 2) and
	       (frame.sport == 0 or frame.dport == 0) then
		return "a port 0, which nobody has"
	end
end

local PLACES = {
	{ "version", 0, 1 }, { "hops", 1, 1 }, { "vnet", 2, 2 },
	{ "dnode", 4, 2 }, { "snode", 6, 2 }, { "sport", 8, 2 },
	{ "dport", 10, 2 }, { "seq", 12, 4 }, { "ack", 16, 4 },
	{ "len", 20, 2 }, { "word", 22, 2 }, { "txno", 24, 4 },
	{ "window", 28, 2 }, { "ext_units", 30, 1 }, { "marks", 31, 1 },
	{ "tag", 32, 4 },
}

local function read_flags(frame)
	local names = {}

	frame.flag, frame.kind, frame.kinds = {}, "ACK", 0
	for i, flag in ipairs(FLAGS) do
		if bit.band(frame.word, flag[2]) ~= 0 then
			frame.flag[flag[1]] = true
			names[#names + 1] = flag[1]
			if i <= KINDS then
				frame.kinds = frame.kinds + 1
				frame.kind = flag[1]
			end
		end
	end
	if frame.kinds == 0 then
		table.insert(names, 1, "ACK")
	end
	frame.names = table.concat(names, ", ")
	frame.rail = bit.rshift(frame.word, 13)
	frame.hdr_len = HEADER + frame.ext_units * UNIT
end

-- A frame of our version, of which at least the header is there
local function read(tvb)
	local frame = { have = tvb:captured_len(), all = tvb:reported_len(),
			faults = {}, exts = {}, ext = {} }
	local open, part, cookie

	for _, place in ipairs(PLACES) do
		frame[place[1]] = uint(tvb, place[2], place[3])
	end
	read_flags(frame)
	read_extensions(tvb, frame)
	open, part = frame.ext[OPEN], frame.ext[FRAGMENT]
	cookie = frame.ext[COOKIE]
	if open then
		frame.open_tag = uint(tvb, open.at + 8, 4)
		frame.first = uint(tvb, open.at + 20, 4)
	end
	if part then
		frame.offset = uint(tvb, part.at + 2, 2)
	end
	if cookie then
		frame.cookie_first = uint(tvb, cookie.at + 4, 4)
		-- nothing of it is true unless it is confirmed
		frame.is_offer = frame.kind == "ANS"
	end
	if frame.hdr_len + frame.len > frame.all then
		frame.faults.drop_short = string.format(
			"header and extensions %d, payload %d: more than %d",
			frame.hdr_len, frame.len, frame.all)
	elseif frame.hdr_len > frame.have then
		frame.faults.cut = "extensions are missing"
	elseif not frame.faults.drop_extension then
		frame.faults.drop_flags = flag_fault(frame)
	end
	return frame
end

-- --- analysis -------------------------------------------------------------

-- Frames are analysed once, in their order; what was found is kept by number.
local found, conversations, streams

function parma.init()
	found, conversations, streams = {}, {}, 0
end

-- The two ends, in an order that both directions share, and which of them
-- sends. An error stands for the node that the quoted frame was for.
local function get_ends(tvb, frame)
	local error = frame.ext[ERROR]
	local snode = error and uint(tvb, error.at + 4, 2) or frame.snode
	local from = snode * 65536 + frame.sport
	local to = frame.dnode * 65536 + frame.dport
	local low, high = math.min(from, to), math.max(from, to)

	return string.format("%d/%d/%d", frame.vnet, low, high),
	       from == low and 1 or 2
end

local function new_stream(conv)
	conv.stream = { nr = streams,
			{ seen = {}, newest = {}, opened = {} },
			{ seen = {}, newest = {}, opened = {} } }
	streams = streams + 1
	return conv.stream
end

local function set_tag(conv, stream, side, tag)
	stream[side].tag = tag
	conv.tags[side][tag] = stream
end

-- The stream of a frame, and whether its tags fit. A request with a new tag
-- begins a stream, if it is not that of a simultaneous connect.
local function find_stream(conv, side, frame)
	local other = 3 - side
	local stream = conv.stream

	if frame.kind == "REQ" then
		stream = conv.tags[side][frame.open_tag] or stream
		if not stream or (stream[side].tag or frame.open_tag) ~=
				 frame.open_tag or
		   not stream[side].tag and stream.open then
			stream = new_stream(conv)
		end
	else
		stream = conv.tags[other][frame.tag] or
			 conv.tags[side][frame.open_tag or 0] or stream or
			 new_stream(conv)
		if frame.tag ~= 0 then
			if not stream[other].tag then
				set_tag(conv, stream, other, frame.tag)
			elseif stream[other].tag ~= frame.tag then
				return stream, false
			end
		end
		stream.open = true
	end
	if frame.open_tag then
		if (stream[side].tag or frame.open_tag) ~= frame.open_tag then
			return stream, false
		elseif not frame.is_offer then
			set_tag(conv, stream, side, frame.open_tag)
		end
	end
	return stream, true
end

-- A segment, or a part of one, may have been here before.
local function judge_segment(mine, frame, result, now)
	local key = frame.offset and frame.seq .. "+" .. frame.offset or
		    frame.seq
	local seen = mine.seen[key]
	local newest = mine.newest[frame.rail]

	if seen then
		result.note = seen.txno == frame.txno and
			      seen.rail == frame.rail and "duplicate" or
			      "retransmission"
		result.retransmission_of = seen.nr
		result.retransmission_time = now - seen.time
	elseif mine.next and not mine.seen[frame.seq] and
	       after(frame.seq, mine.next) < 0 then
		result.note = newest and
			      after(frame.txno, newest) > 0 and
			      "retransmission" or "overtaken"
	end
	seen = { nr = result.nr, time = now, txno = frame.txno,
		 rail = frame.rail }
	mine.seen[key], mine.seen[frame.seq] = seen, seen
end

-- Requests, answers and confirmations. Offers of other tags are other ones.
local function judge_open(mine, theirs, frame, result, now)
	local last = mine.opened[frame.kind]

	if last and last.tag == frame.open_tag then
		result.note = last.txno == frame.txno and "duplicate" or
			      "retransmission"
		result.retransmission_of = last.nr
		result.retransmission_time = now - last.time
	end
	mine.opened[frame.kind] = { nr = result.nr, time = now,
				    txno = frame.txno, tag = frame.open_tag }
	if frame.kind == "ANS" and theirs.opened.REQ then
		result.request_in = theirs.opened.REQ.nr
		result.answer_time = now - theirs.opened.REQ.time
	elseif frame.kind == "CON" then
		theirs.base = theirs.base or frame.cookie_first
		theirs.next = theirs.next or frame.cookie_first
	end
end

local function judge_ack(mine, theirs, frame, result, now)
	local seen

	theirs.base = theirs.base or frame.ack
	if mine.acked and after(frame.ack, mine.acked) <= 0 then
		return
	end
	mine.acked = frame.ack
	seen = theirs.seen[(frame.ack - 1) % TWO32]
	if seen then
		result.acks_frame, result.ack_time = seen.nr, now - seen.time
	end
end

-- seq tells what was sent before: a frame that was lost on its way to where
-- the capture was made is missed even if only acknowledgments follow.
local function judge_order(mine, frame, result)
	local next = mine.next or frame.first or frame.seq
	local gap = after(frame.seq, next)
	local newest = mine.newest[frame.rail]

	if gap > 0 then
		result.gap = gap
	end
	if gap >= 0 then
		next = frame.kind == "SEG" and frame.seq + 1 or frame.seq
	end
	mine.next = next % TWO32
	if not newest or after(frame.txno, newest) > 0 then
		mine.newest[frame.rail] = frame.txno
	end
end

local function analyse(tvb, pinfo, frame)
	local key, side = get_ends(tvb, frame)
	local conv = conversations[key] or { tags = { {}, {} } }
	local stream, ours = find_stream(conv, side, frame)
	local mine, theirs = stream[side], stream[3 - side]
	local result = { nr = pinfo.number, stream = stream, side = side }
	local now = pinfo.rel_ts

	conversations[key] = conv
	if not ours then
		result.note = "other_tag"
	elseif frame.kind ~= "RST" and frame.kind ~= "ERROR" then
		if not frame.is_offer then
			mine.base = mine.base or frame.first or frame.seq
		end
		if frame.kind == "SEG" then
			judge_segment(mine, frame, result, now)
		elseif frame.first then
			judge_open(mine, theirs, frame, result, now)
		end
		if frame.kind ~= "REQ" then
			judge_ack(mine, theirs, frame, result, now)
		end
		if not frame.is_offer then
			judge_order(mine, frame, result)
		end
	end
	return result
end

local function is_malformed(frame)
	return frame.faults.drop_short or frame.faults.drop_extension or
	       frame.faults.drop_flags or frame.faults.cut
end

-- What is subtracted from the numbers that are shown, those of the sender's
-- segments and those of the other side's. A request acknowledges nothing; who
-- reports an error or knows no connection has no numbers of his own.
local function set_bases(frame, result)
	local stream, side = result and result.stream, result and result.side
	local kind = frame.kind
	local foreign = kind == "ERROR" or kind == "RST" and frame.txno == 0

	frame.seq_base, frame.ack_base, frame.quote_base = 0, 0, 0
	if not stream or not parma.prefs.relative then
		return
	end
	frame.quote_base = stream[3 - side].base or 0
	if not foreign then
		frame.seq_base = frame.is_offer and frame.first or
				 stream[side].base or 0
		frame.ack_base = kind == "REQ" and 0 or frame.quote_base
	end
end

local function relative(seq, base_seq)
	return (seq - base_seq) % TWO32
end

-- --- checksum -------------------------------------------------------------

local crc_table = {}
for i = 0, 255 do
	local crc = i

	for _ = 1, 8 do
		crc = bit.bxor(bit.rshift(crc, 1),
			       bit.band(crc, 1) * 0x82f63b78)
	end
	crc_table[i] = crc
end

local function crc32c(bytes)
	local bxor, band, rshift = bit.bxor, bit.band, bit.rshift
	local crc = 0xffffffff

	for i = 1, #bytes do
		crc = bxor(crc_table[band(bxor(crc, bytes:byte(i)), 255)],
			   rshift(crc, 8))
	end
	return bit.bnot(crc) % TWO32
end

-- Hop limit with mark, and checksum, count as 0.
local function frame_crc(tvb, frame, at)
	local bytes = tvb:raw(0, frame.hdr_len + frame.len)

	return crc32c(bytes:sub(1, 1) .. "\0" .. bytes:sub(3, at) ..
		      "\0\0\0\0" .. bytes:sub(at + 5))
end

-- --- the tree -------------------------------------------------------------

local function add_relative(tree, name, range, seq, base_seq)
	local item = tree:add(F[name], range, relative(seq, base_seq))

	if base_seq ~= 0 then
		item:append_text(" (relative)")
		tree:add(F[name .. "_raw"], range, seq)
	else
		tree:add(F[name .. "_raw"], range, seq):set_hidden()
	end
end

local function add_zero(tree, tvb, at, len)
	tree:add(F.zero, tvb(at, len))
end

local function add_features(tree, tvb, at, name)
	local sub = tree:add(F[name], tvb(at, 2))

	sub:add(F[name .. ".checksum"], tvb(at, 2))
	sub:add(F[name .. ".crowd"], tvb(at, 2))
end

local SHOW = {}

SHOW[OPEN] = function(tree, tvb, at, frame)
	tree:add(F["open.sock_type"], tvb(at + 2, 1))
	add_zero(tree, tvb, at + 3, 1)
	tree:add(F["open.seg_size"], tvb(at + 4, 2))
	add_zero(tree, tvb, at + 6, 2)
	tree:add(F["open.tag"], tvb(at + 8, 4))
	add_features(tree, tvb, at + 12, "open.can")
	add_features(tree, tvb, at + 14, "open.must")
	tree:add(F["open.table_hash"], tvb(at + 16, 4))
	tree:add(F["open.first"], tvb(at + 20, 4))
	frame.more = string.format(" Size=%d Tag=0x%08x",
				   uint(tvb, at + 4, 2), frame.open_tag)
end
SHOW[2] = SHOW[OPEN]

-- Runs of ones in the bitmap, as segments behind `ack`
local function sack_runs(tvb, at, words, offset)
	local runs, run, half = {}, nil, 0

	for i = 0, words * 64 - 1 do
		if i % 32 == 0 then	-- the lower half of a word comes last
			half = uint(tvb, at + math.floor(i / 64) * 8 +
				    (i % 64 == 0 and 4 or 0), 4)
		end
		if bit.band(bit.rshift(half, i % 32), 1) == 0 then
			run = nil
		elseif run then
			run.last = offset + i + 1
		else
			run = { first = offset + i + 1, last = offset + i + 1 }
			runs[#runs + 1] = run
		end
	end
	return runs
end

local function run_text(first, last)
	return first == last and tostring(first) or first .. "-" .. last
end

-- A question mark is behind those of which nothing is said.
local function show_runs(tree, tvb, at, words, offset, frame)
	local base_ack = frame.ack - frame.ack_base
	local count, texts = 0, {}

	if offset > 0 then
		texts[1] = run_text((base_ack + 1) % TWO32,
				    (base_ack + offset) % TWO32) .. "?"
	end
	for _, run in ipairs(sack_runs(tvb, at, words, offset)) do
		local first = (base_ack + run.first) % TWO32
		local last = (base_ack + run.last) % TWO32
		local map = tvb(at, words * 8)

		tree:add(F["sack.first"], map, first):set_generated()
		tree:add(F["sack.last"], map, last):set_generated()
		count = count + run.last - run.first + 1
		texts[#texts + 1] = run_text(first, last)
	end
	tree:add(F["sack.segments"], count):set_generated()
	frame.sack = " SACK=" .. (#texts > 0 and table.concat(texts, ",") or
				  "none")
end

SHOW[SACK] = function(tree, tvb, at, frame)
	local rails, words = uint(tvb, at + 2, 1), uint(tvb, at + 3, 1)
	local offset = uint(tvb, at + 4, 2)
	local pad, head = sack_head(rails)
	local place = at + 8

	tree:add(F["sack.rails"], tvb(at + 2, 1))
	tree:add(F["sack.words"], tvb(at + 3, 1))
	tree:add(F["sack.offset"], tvb(at + 4, 2))
	add_zero(tree, tvb, at + 6, 2)
	for rail = 0, 7 do
		if bit.band(bit.rshift(rails, rail), 1) == 1 then
			tree:add(F["sack.rail"], tvb(at + 2, 1), rail)
			tree:add(F["sack.newest"], tvb(place, 4))
			place = place + 4
		end
	end
	if head > pad then
		add_zero(tree, tvb, at + pad, head - pad)
	end
	for word = 0, words - 1 do
		tree:add(F["sack.map"], tvb(at + head + word * 8, 8))
	end
	show_runs(tree, tvb, at + head, words, offset, frame)
end

SHOW[QUOTE] = function(tree, tvb, at, frame)
	local code = uint(tvb, at + 2, 1)

	tree:add(F["quote.code"], tvb(at + 2, 1))
	add_zero(tree, tvb, at + 3, 1)
	tree:add(F["quote.tag"], tvb(at + 4, 4))
	add_relative(tree, "quote.seq", tvb(at + 8, 4), uint(tvb, at + 8, 4),
		     frame.quote_base)
	add_features(tree, tvb, at + 12, "quote.features")
	add_zero(tree, tvb, at + 14, 2)
	tree:add_proto_expert_info(E.reset, "Reset: " .. RESETS[code])
	frame.more = " " .. RESETS[code]
	if code == FEATURES then
		frame.more = string.format("%s=0x%04x", frame.more,
					   uint(tvb, at + 12, 2))
	end
end

SHOW[ERROR] = function(tree, tvb, at, frame)
	local code = uint(tvb, at + 2, 1)

	tree:add(F["error.code"], tvb(at + 2, 1))
	add_zero(tree, tvb, at + 3, 1)
	tree:add(F["error.dnode"], tvb(at + 4, 2))
	tree:add(F["error.mtu"], tvb(at + 6, 2))
	tree:add(F["error.tag"], tvb(at + 8, 4))
	add_relative(tree, "error.seq", tvb(at + 12, 4),
		     uint(tvb, at + 12, 4), frame.quote_base)
	frame.more = string.format(" %s Node=%d", ERRORS[code],
				   uint(tvb, at + 4, 2))
	if code == TOO_BIG then
		frame.more = frame.more .. " MTU=" .. uint(tvb, at + 6, 2)
	end
	tree:add_proto_expert_info(E.forwarder,
				   "Not passed on: " .. ERRORS[code])
end

SHOW[FRAGMENT] = function(tree, tvb, at, frame)
	tree:add(F["fragment.offset"], tvb(at + 2, 2))
	tree:add(F["fragment.total"], tvb(at + 4, 2))
	add_zero(tree, tvb, at + 6, 2)
	frame.more = string.format(" Part=%d+%d/%d", uint(tvb, at + 2, 2),
				   frame.len, uint(tvb, at + 4, 2))
end

-- What is longer than it says has not been cut into frames yet: whoever does
-- that fills it in.
SHOW[CHECKSUM] = function(tree, tvb, at, frame)
	local status, crc = 2, tvb(at + 4, 4):le_uint()
	local ends = frame.hdr_len + frame.len
	local computed

	add_zero(tree, tvb, at + 2, 2)
	tree:add_le(F.checksum, tvb(at + 4, 4))
	if parma.prefs.checksum and not frame.faults.drop_short and
	   (ends == frame.have or ends < frame.have and crc ~= 0) then
		computed = frame_crc(tvb, frame, at + 4)
		status = computed == crc and 1 or 0
		tree:add(F["checksum.computed"], tvb(at + 4, 4), computed)
			:set_generated()
	end
	tree:add(F["checksum.status"], tvb(at + 4, 4), status):set_generated()
	if status == 0 then
		tree:add_proto_expert_info(E["checksum.bad"])
		frame.bad = true
	end
end

SHOW[IP] = function(tree, tvb, at, frame)
	local mapped = ("\0"):rep(10) .. "\255\255"
	local texts = {}

	add_zero(tree, tvb, at + 2, 6)
	for i, name in ipairs({ "ip.source", "ip.dest" }) do
		local place = at + 8 + (i - 1) * 16

		tree:add(F[name], tvb(place, 16))
		if tvb:raw(place, 12) == mapped then
			tree:add(F[name .. "_v4"], tvb(place + 12, 4))
			texts[i] = tostring(tvb(place + 12, 4):ipv4())
		else
			texts[i] = tostring(tvb(place, 16):ipv6())
		end
	end
	frame.ip = " IP=" .. texts[1] .. "->" .. texts[2]
end

SHOW[MESSAGES] = function(tree, tvb, at, frame)
	tree:add(F["messages.first_end"], tvb(at + 2, 2))
	add_zero(tree, tvb, at + 4, 4)
	frame.more = (frame.more or "") ..
		     " FirstEnd=" .. uint(tvb, at + 2, 2)
end

SHOW[CROWD] = function(tree, tvb, at, frame)
	tree:add(F["crowd.among"], tvb(at + 2, 2))
	tree:add(F["crowd.active"], tvb(at + 4, 2))
	add_zero(tree, tvb, at + 6, 2)
	frame.more = (frame.more or "") ..
		     " Among=" .. uint(tvb, at + 2, 2) ..
		     " Active=" .. uint(tvb, at + 4, 2)
end

SHOW[RAILS] = function(tree, tvb, at, frame)
	tree:add(F["rails.left"], tvb(at + 2, 1))
	add_zero(tree, tvb, at + 3, 1)
	add_zero(tree, tvb, at + 4, 4)
	frame.more = (frame.more or "") ..
		     string.format(" Left=%#x", uint(tvb, at + 2, 1))
end

SHOW[QUERY] = function(tree, tvb, at, frame)
	tree:add(F["query.sock_type"], tvb(at + 2, 1))
	add_zero(tree, tvb, at + 3, 1)
	tree:add(F["query.cookie"], tvb(at + 4, 4))
	tree:add(F["query.back"], tvb(at + 8, 2))
	tree:add(F["query.low"], tvb(at + 10, 2))
	tree:add(F["query.high"], tvb(at + 12, 2))
	add_zero(tree, tvb, at + 14, 18)
	frame.more = string.format(" Query=%08x", uint(tvb, at + 4, 4))
end

SHOW[REPLY] = function(tree, tvb, at, frame)
	local knows = tvb(at + 3, 1)

	tree:add(F["reply.port"], tvb(at + 2, 1))
	tree:add(F["reply.knows"], knows)
	for _, name in ipairs({ "table", "mine", "believes", "ip" }) do
		tree:add(F["reply.knows." .. name], knows)
	end
	tree:add(F["query.cookie"], tvb(at + 4, 4))
	tree:add(F["reply.node"], tvb(at + 8, 2))
	tree:add(F["reply.high"], tvb(at + 10, 2))
	tree:add(F["reply.table_hash"], tvb(at + 12, 4))
	tree:add(F["reply.lines"], tvb(at + 16, 4))
	tree:add(F["reply.can"], tvb(at + 20, 2))
	tree:add(F["reply.mtu"], tvb(at + 22, 2))
	tree:add(F["reply.rails"], tvb(at + 24, 1))
	tree:add(F["reply.up"], tvb(at + 25, 1))
	add_zero(tree, tvb, at + 26, 6)
	frame.more = string.format(" Reply=%08x Node=%d",
				   uint(tvb, at + 4, 4), uint(tvb, at + 8, 2))
end

SHOW[COOKIE] = function(tree, tvb, at, frame)
	tree:add(F["cookie.slot"], tvb(at + 2, 1))
	add_zero(tree, tvb, at + 3, 1)
	tree:add(F["cookie.first"], tvb(at + 4, 4))
	tree:add(F["cookie.mac"], tvb(at + 8, 8))
	if frame.kind ~= "REQ" then	-- which only has room for one
		frame.cookie = " Cookie"
	end
end

local function show_extensions(tree, tvb, frame)
	for _, ext in ipairs(frame.exts) do
		local sub = tree:add(F.ext, tvb(ext.at, ext.len))

		sub:set_text((TYPES[ext.type] or "Unknown extension") ..
			     ", " .. ext.len .. " bytes")
		sub:add(F["ext.type"], tvb(ext.at, 1))
		sub:add(F["ext.units"], tvb(ext.at + 1, 1))
		if not ext.fault then
			SHOW[ext.type](sub, tvb, ext.at, frame)
		end
	end
end

local function show_flags(tree, tvb, frame)
	local range = tvb(22, 2)
	local sub = tree:add(F.flags, range)

	sub:append_text(" (" .. frame.names .. ")")
	sub:add(F.rail, range)
	for _, flag in ipairs(FLAGS) do
		sub:add(F["flags." .. flag[1]:lower()], range)
	end
	sub:add(F["flags.zero"], range)
end

local function show_header(tree, tvb, frame)
	for _, place in ipairs(PLACES) do
		local name, range = place[1], tvb(place[2], place[3])

		if name == "seq" then
			add_relative(tree, name, range, frame.seq,
				     frame.seq_base)
		elseif name == "ack" then
			add_relative(tree, name, range, frame.ack,
				     frame.ack_base)
		elseif name == "word" then
			show_flags(tree, tvb, frame)
		else
			if name == "hops" then
				tree:add(F.mark, range)
			end
			tree:add(F[name], range)
		end
		if name:find("^[sd]node$") or name:find("^[sd]port$") then
			tree:add(F[name:sub(2)], range):set_hidden()
		end
	end
end

-- Seconds with a fraction as the tree wants them
local function time(seconds)
	local whole = math.floor(seconds)

	return NSTime(whole, math.floor((seconds - whole) * 1e9 + 0.5))
end

local function show_analysis(tree, result)
	local function add(name, value)
		if value then
			tree:add(F["analysis." .. name], value):set_generated()
		end
	end

	tree:add(F.stream, result.stream.nr):set_generated()
	add("retransmission_of", result.retransmission_of)
	add("retransmission_time", result.retransmission_time and
				   time(result.retransmission_time))
	add("gap_segments", result.gap)
	add("acks_frame", result.acks_frame)
	add("ack_time", result.ack_time and time(result.ack_time))
	add("request_in", result.request_in)
	add("answer_time", result.answer_time and time(result.answer_time))
	if result.note then
		tree:add_proto_expert_info(E["analysis." .. result.note])
	end
	if result.gap then
		tree:add_proto_expert_info(E["analysis.gap"])
	end
end

-- What is behind header and extensions. A frame that claims to be longer
-- than it is has no payload that could be told from padding.
local function show_payload(tree, tvb, pinfo, root, frame)
	local ends = math.min(frame.hdr_len + frame.len, frame.have)
	local range

	if frame.faults.drop_short then
		return
	end
	if frame.hdr_len < ends then
		range = tvb(frame.hdr_len, ends - frame.hdr_len)
		tree:add(F.payload, range):set_hidden()
		data:call(range:tvb(), pinfo, root)
	end
	if ends < frame.have then
		tree:add(F.padding, tvb(ends, frame.have - ends))
	end
end

-- --- the Info column ------------------------------------------------------

local NOTES = { retransmission = "[Retransmission] ",
		duplicate = "[Duplicate] ",
		overtaken = "[Overtaken] ", other_tag = "[Other tag] " }

local function get_info(frame, result)
	local lead = result and (NOTES[result.note] or "") or ""

	if is_malformed(frame) and not frame.faults.cut then
		lead = "[Malformed] "
	elseif result and result.gap then
		lead = lead .. "[Gap] "
	end
	return string.format("%s%s%d -> %d [%s] Seq=%d Ack=%d Win=%d Len=%d" ..
			     " Tx=%d%s%s%s%s%s", lead,
			     frame.bad and "[Bad checksum] " or "",
			     frame.sport, frame.dport, frame.names,
			     relative(frame.seq, frame.seq_base),
			     relative(frame.ack, frame.ack_base),
			     frame.window, frame.len, frame.txno,
			     frame.rail > 0 and " Rail=" .. frame.rail or "",
			     frame.sack or "", frame.more or "",
			     frame.ip or "", frame.cookie or "")
end

-- --- dissectors -----------------------------------------------------------

local function dissect_notice(tvb, pinfo, root, tree)
	local have = tvb:captured_len()

	tree:add(F.version, tvb(0, 1)):append_text(" (notice)")
	if have < NOTICE_LEN then
		local why = tvb:reported_len() < NOTICE_LEN and E.drop_short or
			    E.cut

		tree:add_proto_expert_info(why)
		pinfo.cols.info = "Version notice, not all of it"
		data:call(tvb(1):tvb(), pinfo, root)
		return
	end
	tree:add(F["notice.low"], tvb(1, 1))
	tree:add(F["notice.high"], tvb(2, 1))
	tree:add(F["notice.got"], tvb(3, 1))
	add_zero(tree, tvb, 4, 4)
	tree:add(F["notice.quote"], tvb(8, 32))
	if have > NOTICE_LEN then
		tree:add(F.padding, tvb(NOTICE_LEN))
	end
	tree:add_proto_expert_info(E.notice)
	pinfo.cols.info = string.format("Version notice: speaks %d to %d, " ..
					"got %d", uint(tvb, 1, 1),
					uint(tvb, 2, 1), uint(tvb, 3, 1))
end

-- Too short for a header, or not of our version
local function dissect_other(tvb, pinfo, root, tree, version)
	local why = E.drop_version

	if version == VERSION then
		why = tvb:reported_len() < HEADER and E.drop_short or E.cut
		pinfo.cols.info = why == E.cut and "Header not captured" or
				  "[Malformed] shorter than a header"
	else
		pinfo.cols.info = "Unknown version " .. version
	end
	tree:add(F.version, tvb(0, 1))
	tree:add_proto_expert_info(why)
	if tvb:captured_len() > 1 then
		data:call(tvb(1):tvb(), pinfo, root)
	end
end

local function dissect_frame(tvb, pinfo, root, tree)
	local frame = read(tvb)

	if not pinfo.visited and not is_malformed(frame) and
	   frame.kind ~= "QUERY" then
		found[pinfo.number] = analyse(tvb, pinfo, frame)
	end

	local result = found[pinfo.number]

	set_bases(frame, result)
	show_header(tree, tvb, frame)
	show_extensions(tree, tvb, frame)
	for name, text in pairs(frame.faults) do
		tree:add_proto_expert_info(E[name], text)
	end
	if result then
		show_analysis(tree, result)
	end
	pinfo.cols.info = get_info(frame, result)
	tree:append_text(string.format(", %d:%d -> %d:%d [%s]", frame.snode,
				       frame.sport, frame.dnode, frame.dport,
				       frame.names))
	show_payload(tree, tvb, pinfo, root, frame)
end

function parma.dissector(tvb, pinfo, root)
	local have = tvb:captured_len()
	local version, tree

	if have == 0 then
		return 0
	end
	pinfo.cols.protocol = "PARMA"
	pinfo.cols.info:clear()
	tree = root:add(parma, tvb())
	version = uint(tvb, 0, 1)
	if version == NOTICE then
		dissect_notice(tvb, pinfo, root, tree)
	elseif version == VERSION and have >= HEADER then
		dissect_frame(tvb, pinfo, root, tree)
	else
		dissect_other(tvb, pinfo, root, tree, version)
	end
	return have
end

-- --- where frames come from -----------------------------------------------

local ethertypes = DissectorTable.get("ethertype")
local listed

local function list()
	if listed ~= parma.prefs.ethertype then
		if listed then
			ethertypes:remove(listed, parma)
		end
		listed = parma.prefs.ethertype
		ethertypes:add(listed, parma)
	end
end

parma.prefs_changed = list
list()
