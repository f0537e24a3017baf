-- Extends grants; never shortens or creates one. KEYS: lock of each. ARGV for each: claim, lease, lock delay, in
-- milliseconds. Returns for each 1, or 0 if the claim does not hold its lock here
local time = redis.call('TIME')
local now = math.floor((time[1] * 1000000 + time[2]) / 1000)

local function decimal(value)
	return string.format('%.0f', value)
end

local function renew(lock, claim, lease, delay)
	local value = redis.call('HGET', lock, claim)
	if not value then
		return 0
	end
	local grant, leaseEnd, kept, min = string.match(value, '^(%a %d+ %d+) (%d+) (%d+) (%d+)$')
	leaseEnd, kept = tonumber(leaseEnd), tonumber(kept)
	if leaseEnd <= now then
		return 0
	end
	leaseEnd = math.max(leaseEnd, now + lease)
	kept = math.max(kept, now + lease + delay)
	redis.call('HSET', lock, claim, table.concat({ grant, decimal(leaseEnd), decimal(kept), min }, ' '))
	if redis.call('PTTL', lock) < kept - now then
		redis.call('PEXPIREAT', lock, decimal(kept))
	end
	return 1
end

local result = {}
for i, lock in ipairs(KEYS) do
	result[i] = renew(lock, ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]))
end
return result
