-- Goes on in acquire.lua behind lock.lua: a lock that nobody has, awaits or gave up. The rest is not even defined for it,
-- which would cost more than these commands do.
if not held and plain and redis.call('EXISTS', lock, gone, queue, holders) == 0 then
	local granted = nextNumber()
	lockFor(me, granted, ARGV[5])
	return {'granted', granted}
end

