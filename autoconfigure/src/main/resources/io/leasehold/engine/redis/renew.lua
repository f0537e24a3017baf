-- KEYS: for an exclusive grant its lock, for another the holders and their grant numbers
-- ARGV: for each grant `fence:claim`, time to keep it in ms
local function raiseLock(lock, grant, ms)
	if redis.pcall('GET', lock) ~= grant then
		return 0
	end
	if redis.call('PTTL', lock) < ms then
		redis.call('PEXPIRE', lock, ms)
	end
	return 1
end

local function raiseHolder(holders, fences, number, claim, ms)
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	local till = tonumber(redis.pcall('ZSCORE', holders, claim) or 0) or 0
	if till <= now or redis.call('HGET', fences, claim) ~= number then
		return 0
	end
	if till < now + ms then
		stand(holders, fences, claim, now + ms)
	end
	return 1
end

local outcomes, key = {}, 1
for i = 1, #ARGV, 2 do
	local grant, ms = ARGV[i], tonumber(ARGV[i + 1])
	local number, claim = string.match(grant, '^(%d+):(.*)$')
	if terms(claim) ~= 'x' then
		table.insert(outcomes, raiseHolder(KEYS[key], KEYS[key + 1], number, claim, ms))
		key = key + 2
	else
		table.insert(outcomes, raiseLock(KEYS[key], grant, ms))
		key = key + 1
	end
end
return outcomes
