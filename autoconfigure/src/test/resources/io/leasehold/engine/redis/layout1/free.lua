-- From layout 1 of the keys, which processes used before an upgrade to layout 2. Unchanged below this line.
-- Follows lock.lua in acquire.lua: shortcut for a lock without holder, queue and give-up marker. It runs before the other
-- functions are defined, because their definition would cost more than these commands.
if not held and plain and redis.call('EXISTS', lock, gone, queue, holders) == 0 then
	local granted = nextNumber()
	lockFor(me, granted, ARGV[5])
	return {'granted', granted}
end

