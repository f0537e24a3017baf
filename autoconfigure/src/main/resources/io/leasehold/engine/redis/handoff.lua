-- Begins acquire.lua, close.lua and force.lua: who has the lock, and how it goes to the next in the queue
-- KEYS: 1 lock, 2 fence, 3 queue, 4 give-up marker
-- ARGV: 1 owner, 2 fencing retention ms, 3 prefix of inbox channels, 4 grant lease of the claim ms
local lock, fence, queue, gone = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, retention, inbox = ARGV[1], ARGV[2], ARGV[3]
-- A queued claim is told by a message (+), by one whose listeners a cluster's node cannot count (*),
-- or finds out by itself when it polls (-)
local told, broadcast, polling = ARGV[4] .. '+' .. owner, ARGV[4] .. '*' .. owner, ARGV[4] .. '-' .. owner

local held = redis.call('GET', lock)
local number, holder = string.match(held or '', '^(%d+):(.*)$')

-- tostring and .. round to 14 digits
local function now()
	local time = redis.call('TIME')
	return string.format('%.0f', time[1] * 1000000 + time[2])
end

local function grant(claim, ms)
	local last = tonumber(redis.call('GET', fence) or 0)
	local granted = string.format('%.0f', math.max(last + 1, tonumber(now())))
	redis.call('SET', fence, granted, 'PX', retention)
	redis.call('SET', lock, granted .. ':' .. claim, 'PX', ms)
	return granted
end

-- Frees the lock and grants it to the first in the queue that can hear of it.
-- Returns false if there was one before `mine`, true if it is the turn of `mine` or nobody is left.
local function handOn(mine)
	redis.call('DEL', lock)
	while true do
		local first = redis.call('ZPOPMIN', queue)[1]
		if not first then
			return true
		end
		local ms, form, claim = string.match(first, '^(%d+)([+*-])(.*)$')
		if claim == mine then
			return true
		end
		local granted = grant(claim, ms)
		if form == '-' then
			return false
		end
		local channel = inbox .. string.match(claim, '^[^/]*')
		if redis.call('PUBLISH', channel, granted .. ':' .. claim .. ' ' .. lock) > 0 or form == '*' then
			return false
		end
		redis.call('DEL', lock) -- a dead JVM
	end
end
