-- ARGV: 5 lifetime of the give-up marker in ms, 0 for no marker
redis.call('ZREM', queue, told, broadcast, polling)
if ARGV[5] ~= '0' then
	redis.call('SET', gone, '', 'PX', ARGV[5])
end
look()
local mine = holder == me and number
if not held and redis.call('ZSCORE', holders, me) then
	mine = redis.call('HGET', fences, me)
end
if mine then
	release(me, mine)
end
serve()
return mine and 1 or 0
