-- From layout 1 of the keys, which processes used before an upgrade to layout 2. Unchanged below this line.
-- Follows lock.lua in close.lua: shortcut for a lock that has no waiter, or passes to a plain exclusive claim. It runs
-- before the other functions are defined, because their definition would cost more than these commands.
if holder == me and plain and ARGV[5] == '0' then
	local first = redis.call('ZPOPMIN', queue)
	while first[1] and not string.find(first[1], '#', 1, true) do
		local lease, form, claim = string.match(first[1], '^(%d+)([+*-])(.*)$')
		local granted = nextNumber()
		lockFor(claim, granted, lease)
		if reaches(claim, form, granted) then
			return 1
		end
		first = redis.call('ZPOPMIN', queue)
	end
	if not first[1] then
		redis.call('DEL', lock)
		return 1
	end
	redis.call('ZADD', queue, first[2], first[1]) -- handled by serve
end

