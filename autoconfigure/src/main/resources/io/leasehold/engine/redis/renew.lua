-- KEYS: 1 the lock of an exclusive grant; of another, 1 the holders, 2 their grant numbers, 3 the greatest grant number
-- ARGV: 1 `number:claim`, 2 time to keep the grant in ms
local grant, ms = ARGV[1], tonumber(ARGV[2])
local number, claim = string.match(grant, '^(%d+):(.*)$')
local outcome, probe = 0, nil
local access, minHold = terms(claim)
if access == 'x' then
	local value = redis.pcall('GET', KEYS[1])
	local start, till = nil, nil
	if minHold > 0 and type(value) == 'string' then
		start, till = string.match(value, '^(.* !?)(%d+)$')
	end
	-- Marks may follow the claim; ~ ends with the renewal
	if value == grant or type(value) == 'string' and string.sub(value, 1, #grant + 1) == grant .. ' ' then
		outcome = 1
		local rest, changed = redis.call('PTTL', KEYS[1]), nil
		if start then
			local time = redis.call('TIME')
			till = math.max(tonumber(till), time[1] * 1000 + math.floor(time[2] / 1000) + ms)
			changed = start .. string.format('%.0f', till)
		elseif string.sub(value, -1) == '~' then
			changed = string.sub(value, 1, -2) .. '='
		end
		if changed or rest < ms then
			local kept = string.format('%.0f', math.max(rest, ms))
			-- Before SET: without memory, the server rejects it as the first write of a script
			redis.call('PEXPIRE', KEYS[1], kept)
			if changed then
				-- XX: never creates a key, even where the clock does not stop for a script
				redis.call('SET', KEYS[1], changed, 'XX', 'PX', kept)
			end
			return outcome
		end
	end
	probe = redis.pcall('SETRANGE', KEYS[1], 0, '') -- changes nothing
else
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	local till = tonumber(redis.pcall('ZSCORE', KEYS[1], claim)) or 0
	if till > now and redis.call('HGET', KEYS[2], claim) == number then
		outcome = 1
		if till < now + ms then
			redis.call('ZREM', KEYS[1], '') -- without memory, the server rejects SET as the first write of a script
			-- Keeps the mark of the greatest grant number for ms and one more second, see lock.lua
			local stored = redis.pcall('GET', KEYS[3])
			local last, life = string.match(type(stored) == 'string' and stored or '', '^(%d+)!?(%d*)$')
			life = string.format('%.0f', math.max(tonumber(life) or 0, ms + 1000))
			redis.call('SET', KEYS[3], (last or number) .. '!' .. life, 'PX', life)
			redis.call('ZADD', KEYS[1], string.format('%.0f', now + ms), claim)
			local longest = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
			redis.call('PEXPIREAT', KEYS[1], longest)
			redis.call('PEXPIREAT', KEYS[2], longest)
			return outcome
		end
	end
	probe = redis.pcall('ZREM', KEYS[1], '')
end
-- A replica rejects the write, so its data decides nothing. Other errors are ignored: a key that Leasehold did not write.
if type(probe) == 'table' and string.find(probe.err, 'READONLY', 1, true) then
	return redis.error_reply('READONLY This server is a replica')
end
return outcome
