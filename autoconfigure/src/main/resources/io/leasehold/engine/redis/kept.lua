-- ARGV: 5 `inspect`, `open` to end the minimum hold, or `pause` to replace it: 6 last holder, 7 minimum hold in ms
redis.call('ZREM', KEYS[3], '') -- rejected by a replica
look()
local kept = {}
if holder and (string.sub(holder, 1, 1) == '#' or over()) then
	kept = {held, redis.call('PTTL', KEYS[1])}
	if ARGV[5] == 'open' then
		remove(holder)
		serve()
		unmark()
	elseif ARGV[5] == 'pause' then
		remove(holder)
		countUp() -- the number is the time of the grant
		storeLast()
		put('#x,' .. last, last, ARGV[7], decimal(millis()) .. ',' .. ARGV[6])
	end
end
return response(kept)
