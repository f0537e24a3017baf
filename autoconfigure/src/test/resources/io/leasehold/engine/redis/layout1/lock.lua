-- From layout 1 of the keys, which processes used before an upgrade to layout 2. Unchanged below this line.
-- First part of acquire.lua, close.lua, inspect.lua and force.lua: the exclusive holder, and the grant numbers
-- KEYS: 1 lock, 2 last grant number, 3 queue, 4 give-up marker, 5 holders, 6 their grant numbers
-- ARGV: 1 claim, 2 fencing retention in ms, 3 prefix of inbox channels, 4 grant lease of the claim in ms
local lock, fence, queue, gone, holders, fences = unpack(KEYS)
local me, retention, inbox = ARGV[1], ARGV[2], ARGV[3]

local held, last, marker = unpack(redis.call('MGET', lock, fence, gone))
local number, holder = string.match(held or '', '^(%d+):(.*)$')
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

-- Returns the number of a new grant, greater than all previous numbers
local function nextNumber()
	last = decimal(math.max((last or 0) + 1, now()))
	redis.call('SET', fence, last, 'PX', retention)
	return last
end

local function lockFor(claim, granted, ms)
	redis.call('SET', lock, granted .. ':' .. claim, 'PX', ms)
end

-- Notifies a queued claim of its grant, unless it polls (-). Returns whether the claim may receive it: a message without
-- subscribers means that the JVM is dead, except for a claim (*) whose subscribers a cluster node cannot count.
local function reaches(claim, form, granted)
	if form == '-' then
		return true
	end
	local channel = inbox .. string.match(claim, '^[^/]*')
	return redis.call('PUBLISH', channel, granted .. ':' .. claim .. ' ' .. lock) > 0 or form == '*'
end

