-- With holders.lua begins acquire.lua, close.lua, inspect.lua and force.lua: who has the lock, and how it
-- goes on to the next in the queue
-- KEYS: 1 lock, 2 fence, 3 queue, 4 give-up marker, 5 holders, 6 their fences
-- ARGV: 1 claim, 2 fencing retention ms, 3 prefix of inbox channels, 4 grant lease of the claim ms
local lock, fence, queue, gone, holders, fences = unpack(KEYS)
local me, retention, inbox = ARGV[1], ARGV[2], ARGV[3]
-- A queued claim is told by a message (+), by one whose listeners a cluster's node cannot count (*),
-- or finds out by itself when it polls (-)
local told, broadcast, polling = ARGV[4] .. '+' .. me, ARGV[4] .. '*' .. me, ARGV[4] .. '-' .. me

-- An exclusive grant is in the lock itself, others stand beside each other in the holders: never both
local held = redis.call('GET', lock)
local number, holder = string.match(held or '', '^(%d+):(.*)$')
local access, count = held and 'x' or nil, held and 1 or 0

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

local function millis()
	return math.floor(now() / 1000)
end

-- Forgets the holders that are over, and counts the others
local function look()
	if held then
		return
	end
	for _, claim in ipairs(redis.call('ZRANGEBYSCORE', holders, '-inf', millis())) do
		redis.call('ZREM', holders, claim)
		redis.call('HDEL', fences, claim)
	end
	count = redis.call('ZCARD', holders)
	access = count > 0 and terms(redis.call('ZRANGE', holders, 0, 0)[1]) or nil
end

local limits = {x = 1, s = math.huge}
local function joins(asked)
	return count == 0 or (asked == access and count < (limits[asked] or tonumber(asked)))
end

local function put(claim, granted, ms)
	access = terms(claim)
	count = count + 1
	if access == 'x' then
		redis.call('SET', lock, granted .. ':' .. claim, 'PX', ms)
	else
		redis.call('HSET', fences, claim, granted)
		stand(holders, fences, claim, millis() + ms)
	end
end

local function remove(claim)
	if terms(claim) == 'x' then
		redis.call('DEL', lock)
	else
		redis.call('ZREM', holders, claim)
		redis.call('HDEL', fences, claim)
	end
	count = count - 1
end

-- The store keeps a grant for ms, and to the end of its min hold at least
local function grant(claim, ms)
	local last = tonumber(redis.call('GET', fence) or 0)
	local granted = decimal(math.max(last + 1, now()))
	redis.call('SET', fence, granted, 'PX', retention)
	local _, minHold = terms(claim)
	put(claim, granted, math.max(ms, minHold))
	return granted
end

-- Ends a grant, but not its min hold
local function release(claim, granted)
	remove(claim)
	local asked, minHold = terms(claim)
	if minHold > 0 then
		local rest = math.ceil(granted / 1000 + minHold - millis())
		if rest > 0 then
			put('#' .. asked .. ',' .. granted, granted, math.min(rest, minHold))
		end
	end
end

local function handTo(claim, form, ms)
	local granted = grant(claim, ms)
	if form == '-' then
		return
	end
	local channel = inbox .. string.match(claim, '^[^/]*')
	if redis.call('PUBLISH', channel, granted .. ':' .. claim .. ' ' .. lock) == 0 and form == '+' then
		remove(claim) -- a dead JVM
	end
end

-- Grants the lock to the first in the queue, and to those behind who may have it beside; to `mine` for ms and without
-- a message. Returns the number that `mine` was granted, and whether nobody is left in the queue.
local function serve(mine, ms)
	local granted
	while count == 0 or access ~= 'x' do
		local first = redis.call('ZRANGE', queue, 0, 0)[1]
		if not first then
			return granted, true
		end
		local lease, form, claim = string.match(first, '^(%d+)([+*-])(.*)$')
		if not joins((terms(claim))) then
			break
		end
		redis.call('ZREM', queue, first)
		if claim == mine then
			granted = grant(claim, ms)
		else
			handTo(claim, form, tonumber(lease))
		end
	end
	return granted, false
end

-- All grants, each as `fence:claim` and the ms that the store keeps it
local function grants()
	if held then
		return {held, redis.call('PTTL', lock)}
	end
	local found, all = {}, redis.call('ZRANGE', holders, 0, -1, 'WITHSCORES')
	for i = 1, #all, 2 do
		found[i] = (redis.call('HGET', fences, all[i]) or '0') .. ':' .. all[i]
		found[i + 1] = all[i + 1] - millis()
	end
	return found
end
