-- Follows lock.lua, notify.lua, marks.lua and holders.lua: hands the lock to the head of the queue
-- The queue entries that the claim may have
local notified, broadcast, polling = ARGV[4] .. '+' .. me, ARGV[4] .. '*' .. me, ARGV[4] .. '-' .. me

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
	redis.call('STRLEN', KEYS[1]) -- fails for a key that Leasehold did not write; MGET ignores it
	for _, claim in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', decimal(millis()))) do
		redis.call('ZREM', KEYS[5], claim)
		redis.call('HDEL', KEYS[6], claim)
	end
	count = redis.call('ZCARD', KEYS[5])
	access = count > 0 and terms(redis.call('ZRANGE', KEYS[5], 0, 0)[1]) or nil
end

local limits = {x = 1, s = math.huge}
local function joins(asked)
	return count == 0 or (asked == access and count < (limits[asked] or tonumber(asked)))
end

-- Keeps a holder until a time of the server's clock; holders and their numbers expire with the last holder
local function stand(claim, till)
	outlive(till - millis())
	redis.call('ZADD', KEYS[5], decimal(till), claim)
	local longest = redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')[2]
	redis.call('PEXPIREAT', KEYS[5], longest)
	redis.call('PEXPIREAT', KEYS[6], longest)
end

-- Returns how long an exclusive holder has the lock without a renewal, in ms: less than its key if there is a minimum hold
local function rest()
	local till = string.match(held, ' !?(%d+)$')
	return till and till - millis() or redis.call('PTTL', KEYS[1])
end

-- Returns whether the lease and lock delay of an exclusive holder have ended, and only its minimum hold keeps the lock
local function over()
	return held and string.find(held, ' !?%d+$') and rest() <= 0
end

-- Stores a grant, or the place that its minimum hold keeps; with a minimum hold, details for operators in the lock
local function put(claim, granted, ms, details)
	access = terms(claim)
	count = count + 1
	if access == 'x' then
		local marks = (marked and '!' or '') .. (details or '')
		redis.call('SET', KEYS[1], granted .. ':' .. claim .. (marks ~= '' and ' ' .. marks or ''), 'PX', decimal(ms))
	else
		redis.call('HSET', KEYS[6], claim, granted)
		stand(claim, millis() + ms)
	end
end

local function remove(claim)
	if terms(claim) == 'x' then
		redis.call('DEL', KEYS[1])
	else
		redis.call('ZREM', KEYS[5], claim)
		redis.call('HDEL', KEYS[6], claim)
	end
	count = count - 1
end

-- The store keeps a grant for ms, at least until the end of its minimum hold. Returns its number.
local function grant(claim, ms)
	countUp()
	local asked, minHold = terms(claim)
	if asked == 'x' then
		storeLast() -- other grants store it with the mark
	end
	put(claim, last, math.max(ms, minHold), minHold > 0 and decimal(millis() + ms))
	return last
end

-- Ends a grant, but not its minimum hold
local function release(claim, granted)
	remove(claim)
	local asked, minHold = terms(claim)
	if minHold > 0 then
		local kept = math.ceil(granted / 1000 + minHold - millis())
		if kept > 0 then
			local details = (over() and 0 or decimal(millis())) .. ',' .. (string.match(claim, '^[^/]*/[^/]*/') or '')
			put('#' .. asked .. ',' .. granted, granted, math.min(kept, minHold), details)
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
		local first = (free and redis.call('ZPOPMIN', KEYS[3]) or redis.call('ZRANGE', KEYS[3], 0, 0))[1]
		if not first then
			return granted, true
		end
		local lease, form, claim = string.match(first, '^(%d+)([+*-])(.*)$')
		if not free then
			if not joins((terms(claim))) then
				break
			end
			redis.call('ZREM', KEYS[3], first)
		end
		if claim == mine then
			granted = grant(claim, ms)
		else
			handTo(claim, form, tonumber(lease))
		end
	end
	return granted, false
end

-- Returns a response, followed by the grants of which the client has to notify their claims
local function response(result)
	return unsent and {result, unsent} or result
end

-- Removes the mark if no data needs it
local function unmark()
	if marked and (count == 0 or access ~= 'x') and redis.call('EXISTS', KEYS[3], KEYS[4], KEYS[5]) == 0 then
		marked = false
		storeLast()
	end
end

-- Returns all grants, each as `number:claim` and the remaining time in ms
local function grants()
	if held then
		return over() and {} or {holder and number .. ':' .. holder or held, rest()}
	end
	local found, all = {}, redis.call('ZRANGE', KEYS[5], 0, -1, 'WITHSCORES')
	for i = 1, #all, 2 do
		found[i] = (redis.call('HGET', KEYS[6], all[i]) or '0') .. ':' .. all[i]
		found[i + 1] = all[i + 1] - millis()
	end
	return found
end
