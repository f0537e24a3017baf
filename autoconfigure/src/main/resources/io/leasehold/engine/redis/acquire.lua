-- KEYS and ARGV: see lock.lua and wait.lua. The lock is not held exclusively.
local ms = tonumber(ARGV[5])
local asked = terms(me)

if not marked then
	redis.call('STRLEN', KEYS[1]) -- fails for a key that Leasehold did not write; MGET ignores it
	return {'granted', grant(me, ms)}
end
-- A replica rejects this write, so its data decides nothing
redis.call('ZREM', KEYS[3], '')
look()
local till = redis.call('ZSCORE', KEYS[5], me)
if till then
	stand(me, math.max(till, millis() + ms))
	return {'granted', redis.call('HGET', KEYS[6], me)}
end
if closed() then
	return {'closed'}
end
if asked ~= access and tonumber(asked) and tonumber(access) then
	local other = access
	redis.call('ZREM', KEYS[3], notified, broadcast, polling)
	serve()
	return response({'differs', other})
end
if form ~= '' then
	enqueue()
end
local granted, all = serve(me, ms)
if not granted and all and joins(asked) then
	unmark()
	granted = grant(me, ms)
end
if granted then
	return response({'granted', granted})
end
local rest
if access == 'x' then
	rest = redis.call('PTTL', KEYS[1])
else
	rest = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2] - millis()
end
return response({'busy', last, rest})
