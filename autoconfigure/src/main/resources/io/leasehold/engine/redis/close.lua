-- ARGV: 5 lifetime of the give-up marker ms, 0 for no marker
redis.call('ZREM', queue, told, broadcast, polling)
if ARGV[5] ~= '0' then
	redis.call('SET', gone, '', 'PX', ARGV[5])
end
if holder ~= owner then
	return 0
end
handOn(nil)
return 1
