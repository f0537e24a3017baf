redis.call('ZREM', KEYS[3], '') -- rejected by a replica
look()
-- With the marks of the grant
if held then
	return {held, redis.call('PTTL', KEYS[1])}
end
return grants()
