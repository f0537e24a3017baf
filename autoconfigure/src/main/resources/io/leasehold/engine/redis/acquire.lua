-- ARGV: 5 lease asked for ms, 6 form to queue in: '+', '*', '-' or '' for not at all, 7 lifetime of the queue ms
local ms, form, lifetime = ARGV[5], ARGV[6], ARGV[7]

if holder == owner then
	-- Always a write, so that WAIT behind it speaks of this grant
	redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), tonumber(ms)))
	return {'granted', number}
end
if redis.call('EXISTS', gone) == 1 then
	return {'closed'}
end
if not held and redis.call('EXISTS', queue) == 0 then
	return {'granted', grant(owner, ms)}
end
-- A replica refuses the first write: nothing is decided by what it has
redis.call('ZREM', queue, '')
if form ~= '' then
	if not (redis.call('ZSCORE', queue, told) or redis.call('ZSCORE', queue, broadcast)
			or redis.call('ZSCORE', queue, polling)) then
		redis.call('ZADD', queue, now(), ARGV[4] .. form .. owner)
	end
	redis.call('PEXPIRE', queue, lifetime)
end
if not held and handOn(owner) then
	return {'granted', grant(owner, ms)}
end
return {'busy', string.match(redis.call('GET', lock), '^%d+') or '0', redis.call('PTTL', lock)}
