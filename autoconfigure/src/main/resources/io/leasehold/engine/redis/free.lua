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
	redis.call('PEXPIRE', KEYS[1], decimal(math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[5]))))
	return {'granted', number}
end

