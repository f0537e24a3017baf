-- ARGV: 5 `open` to end the minimum hold
redis.call('ZREM', KEYS[3], '') -- rejected by a replica
look()
local kept = {}
if holder and (string.sub(holder, 1, 1) == '#' or over()) then
	kept = {held, redis.call('PTTL', KEYS[1])}
	if ARGV[5] == 'open' then
		remove(holder)
		serve()
		unmark()
	end
end
return response(kept)
