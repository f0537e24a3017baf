-- Extends grants; never shortens or creates one. KEYS: lock of each. ARGV for each: claim, lease, lock delay, round in
-- which it was granted; times in milliseconds. Returns for each 1, or 0 if the claim does not hold its lock here
local time = redis.call('TIME')
local now = math.floor((time[1] * 1000000 + time[2]) / 1000)

local function decimal(value)
	return string.format('%.0f', value)
end

local function renew(lock, claim, lease, delay, grantRound)
	local value = redis.call('HGET', lock, claim)
	if not value then
		return 0
	end
	local grant, leaseEnd, kept, min, round = string.match(value, '^(%a %d+ %d+) (%d+) (%d+) (%d+) (%d+)$')
	leaseEnd, kept = tonumber(leaseEnd), tonumber(kept)
	if leaseEnd <= now then
		return 0
	end
	leaseEnd = math.max(leaseEnd, now + lease)
	kept = math.max(kept, now + lease + delay)
	round = math.max(tonumber(round), grantRound)
	redis.call('HSET', lock, claim, table.concat({ grant, decimal(leaseEnd), decimal(kept), min, decimal(round) }, ' '))
	if redis.call('PTTL', lock) < kept - now then
		redis.call('PEXPIREAT', lock, decimal(kept))
	end
	return 1
end

redis.call('HDEL', KEYS[1], '') -- without memory, the server rejects HSET as the first write of a script
local result = {}
for i, lock in ipairs(KEYS) do
	local claim, lease, delay, grantRound = unpack(ARGV, 4 * i - 3, 4 * i)
	result[i] = renew(lock, claim, tonumber(lease), tonumber(delay), tonumber(grantRound))
end
return result
