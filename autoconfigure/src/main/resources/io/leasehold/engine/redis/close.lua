-- ARGV: 5 lifetime of the give-up marker in ms, 0 for no marker
redis.call('ZREM', KEYS[3], notified, broadcast, polling)
if ARGV[5] ~= '0' then
	local till = millis() + ARGV[5]
	outlive(tonumber(ARGV[5]))
	redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', decimal(millis()))
	redis.call('ZADD', KEYS[4], decimal(till), me)
	redis.call('PEXPIREAT', KEYS[4], redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2])
end
look()
local mine = holder == me and number
if not held and redis.call('ZSCORE', KEYS[5], me) then
	mine = redis.call('HGET', KEYS[6], me)
end
if mine then
	release(me, mine)
end
serve()
unmark()
return response(mine and 1 or 0)
