-- Follows lock.lua and notify.lua in close.lua: shortcut for a lock that has no waiter, or passes to a plain exclusive
-- claim. It runs before the other functions are defined, because their definition would cost more than these commands.
if holder == me and plain and ARGV[5] == '0' then
	local first = marked and redis.call('ZPOPMIN', KEYS[3]) or {}
	while first[1] and not string.find(first[1], '#', 1, true) do
		local lease, form, claim = string.match(first[1], '^(%d+)([+*-])(.*)$')
		-- The holder was exclusive, so there are no concurrent grants
		marked = redis.call('EXISTS', KEYS[3], KEYS[4]) > 0
		countUp()
		storeLast()
		redis.call('SET', KEYS[1], last .. ':' .. claim .. (marked and ' !' or ''), 'PX', lease)
		if reaches(claim, form, last) then
			return unsent and {1, unsent} or 1
		end
		first = marked and redis.call('ZPOPMIN', KEYS[3]) or {}
	end
	if not first[1] then
		redis.call('DEL', KEYS[1])
		if marked and redis.call('EXISTS', KEYS[4]) == 0 then
			marked = false
			storeLast()
		end
		return 1
	end
	redis.call('ZADD', KEYS[3], first[2], first[1]) -- handled by serve
end
