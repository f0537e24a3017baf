-- ARGV: 5 time to keep the grant in ms, 6 queue form '+', '*' or '-', or '' to not enqueue, 7 lifetime of the queue in ms
local ms, form, lifetime = tonumber(ARGV[5]), ARGV[6], ARGV[7]
local asked = terms(me)

if holder == me then
	-- Always writes, so that a WAIT that follows covers this grant
	redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), ms))
	return {'granted', number}
end
if not held and redis.call('EXISTS', lock, gone, queue, holders) == 0 then
	return {'granted', grant(me, ms)}
end
-- A replica rejects this write, so its data decides nothing
redis.call('ZREM', queue, '')
look()
local till = not held and redis.call('ZSCORE', holders, me)
if till then
	stand(holders, fences, me, math.max(till, millis() + ms))
	return {'granted', redis.call('HGET', fences, me)}
end
if marker then
	return {'closed'}
end
if asked ~= access and tonumber(asked) and tonumber(access) then
	local other = access
	redis.call('ZREM', queue, told, broadcast, polling)
	serve()
	return {'differs', other}
end
if form ~= '' then
	if not (redis.call('ZSCORE', queue, told) or redis.call('ZSCORE', queue, broadcast)
			or redis.call('ZSCORE', queue, polling)) then
		redis.call('ZADD', queue, decimal(now()), ARGV[4] .. form .. me)
	end
	redis.call('PEXPIRE', queue, lifetime)
end
local granted, all = serve(me, ms)
if not granted and all and joins(asked) then
	granted = grant(me, ms)
end
if granted then
	return {'granted', granted}
end
local rest
if access == 'x' then
	rest = redis.call('PTTL', lock)
else
	rest = redis.call('ZRANGE', holders, 0, 0, 'WITHSCORES')[2] - millis()
end
return {'busy', last or number or '0', rest}
