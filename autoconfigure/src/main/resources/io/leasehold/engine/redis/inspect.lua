redis.call('ZREM', KEYS[3], '') -- rejected by a replica
look()
-- With the marks of the grant
if held and not over() then
	return {held, rest()}
end
return grants()
