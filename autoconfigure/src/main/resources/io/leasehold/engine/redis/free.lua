-- Follows lock.lua in acquire.lua: shortcut for a lock of which no other data exists, and for a claim that has the lock.
-- Shortcuts run before the functions of the rest are defined, because their definition would cost more than these commands.
-- ARGV: 5 time to keep the grant in ms
if not held and not marked and plain then
	countUp()
	storeLast()
	-- Fails for a key that Leasehold did not write
	if redis.call('SET', KEYS[1], last .. ':' .. me, 'NX', 'PX', ARGV[5]) then
		return {'granted', last}
	end
end
if holder == me then
	-- Always writes, so that a WAIT that follows covers this grant
	local ms = decimal(math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[5])))
	local start, till = nil, nil
	if not plain then
		start, till = string.match(held, '^(.* !?)(%d+)$')
	end
	if start then
		till = math.max(tonumber(till), math.floor(now() / 1000) + ARGV[5])
		redis.call('SET', KEYS[1], start .. decimal(till), 'XX', 'PX', ms)
	elseif string.sub(held, -1) == '~' then
		-- XX: never creates a key, even where the clock does not stop for a script
		redis.call('SET', KEYS[1], string.sub(held, 1, -2) .. '=', 'XX', 'PX', ms)
	else
		redis.call('PEXPIRE', KEYS[1], ms)
	end
	return {'granted', number}
end

