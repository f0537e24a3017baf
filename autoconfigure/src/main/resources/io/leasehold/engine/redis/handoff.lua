-- Follows lock.lua and holders.lua in acquire.lua, close.lua, inspect.lua and force.lua: hands the lock to the head of
-- the queue
-- The queue entries that the claim may have
local told, broadcast, polling = ARGV[4] .. '+' .. me, ARGV[4] .. '*' .. me, ARGV[4] .. '-' .. me

-- An exclusive grant is stored in the lock, concurrent grants in the holders; never both
local access, count = held and 'x' or nil, held and 1 or 0

local function millis()
	return math.floor(now() / 1000)
end

-- Removes expired holders, and counts the others
local function look()
	if held then
		return
	end
	redis.call('STRLEN', lock) -- fails for a key that Leasehold did not write; MGET ignores it
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
		lockFor(claim, granted, ms)
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

-- The store keeps a grant for ms, at least until the end of its minimum hold
local function grant(claim, ms)
	local granted = nextNumber()
	local _, minHold = terms(claim)
	put(claim, granted, math.max(ms, minHold))
	return granted
end

-- Ends a grant, but not its minimum hold
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
	if not reaches(claim, form, grant(claim, ms)) then
		remove(claim)
	end
end

-- Grants the lock to the head of the queue, and to its successors that may hold it concurrently; to `mine` for ms and
-- without a message. Returns the grant number of `mine`, and whether the queue is empty.
local function serve(mine, ms)
	local granted
	while count == 0 or access ~= 'x' do
		local free = count == 0 -- any claim may join
		local first = (free and redis.call('ZPOPMIN', queue) or redis.call('ZRANGE', queue, 0, 0))[1]
		if not first then
			return granted, true
		end
		local lease, form, claim = string.match(first, '^(%d+)([+*-])(.*)$')
		if not free then
			if not joins((terms(claim))) then
				break
			end
			redis.call('ZREM', queue, first)
		end
		if claim == mine then
			granted = grant(claim, ms)
		else
			handTo(claim, form, tonumber(lease))
		end
	end
	return granted, false
end

-- Returns all grants, each as `fence:claim` and the remaining time in ms
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
