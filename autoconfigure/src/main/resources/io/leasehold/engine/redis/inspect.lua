-- ARGV: 5 index of the last claim in the queue to return
redis.call('ZREM', KEYS[3], '') -- rejected by a replica
look()
-- With the marks of the grant
local found = held and not over() and {held, rest()} or grants()
if ARGV[5] then
	-- A claim that waits for a permit does not wait for all holders
	return {found, tonumber(access) and {} or redis.call('ZRANGE', KEYS[3], 0, ARGV[5], 'WITHSCORES')}
end
return found
