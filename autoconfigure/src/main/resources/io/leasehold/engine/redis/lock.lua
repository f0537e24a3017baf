-- First part of the scripts that use all data of a lock: the exclusive holder, and the grant numbers
-- KEYS: 1 lock, 2 greatest grant number, 3 queue, 4 give-up markers, 5 holders, 6 their grant numbers
-- ARGV: 1 claim, 2 fencing retention in ms, 3 prefix of inbox channels, 4 grant lease of the claim in ms
local me, retention, inbox = ARGV[1], tonumber(ARGV[2]), ARGV[3]

-- While one of the keys 3 to 5 exists, a mark with its lifetime follows the greatest number: 1763000000000000!604800000.
-- An exclusive grant is marked as well then: 1763000000000000:claim !
-- The value of a grant ends with ~ if it lingers (acquire-free.lua), with = if it lingered until it was renewed or
-- requested again. With a minimum hold, the end of its lease and lock delay follows in ms of the server's clock, and the
-- time of the release (0 if the lease had ended) and the last holder for a place that only the minimum hold keeps:
-- 1763000000000000:claim#x,60000,0 !1763000030000, 1763000000000000:#x,1763000000000000 1763000012345,a@h:1:0/main/
local found = redis.call('MGET', KEYS[1], KEYS[2])
local held, last, marked, life = found[1], found[2] or nil, false, retention
local number, holder = string.match(held or '', '^(%d+):([^ ]*)')
if last and string.find(last, '!', 1, true) then
	last, life = string.match(last, '^(%d+)!(%d+)$')
	marked, life = true, tonumber(life)
end
-- Whether the claim is exclusive and has no minimum hold
local plain = not string.find(me, '#', 1, true)

-- tostring and .. round to 14 digits
local function decimal(value)
	return string.format('%.0f', value)
end

local micros
local function now()
	if not micros then
		local time = redis.call('TIME')
		micros = time[1] * 1000000 + time[2]
	end
	return micros
end

-- Sets the number of a new grant, greater than all previous numbers
local function countUp()
	last = decimal(math.max((last or 0) + 1, now()))
end

local function storeLast()
	last = last or number or '0'
	if marked then
		redis.call('SET', KEYS[2], last .. '!' .. decimal(life), 'PX', decimal(life))
	else
		redis.call('SET', KEYS[2], last, 'PX', ARGV[2])
	end
end

