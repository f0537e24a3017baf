-- ARGV: 1 claim, 2 'release' or 'withdraw', 3 lifetime of the end marker in milliseconds or 0, 4 member, 5 channel of
-- releases, 6 round. To withdraw neither keeps a minimum hold nor ends the wait nor is published, and removes no grant
-- of a later round, because it may arrive late. Returns whether the claim held the lock here, and for how long a claim of
-- another member is known to wait
local claim, release, member = ARGV[1], ARGV[2] == 'release', ARGV[4]

if tonumber(ARGV[3]) > 0 then
	redis.call('HDEL', lock, '') -- without memory, the server rejects SET as the first write of a script
	redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
end

local own = grants[claim]
local held = own and own.lease > now
if own and own.lease > 0 then
	if release then
		finish(claim)
	elseif own.round <= tonumber(ARGV[6]) then
		remove(claim)
	end
end
if release and waiter and waiter.member == member then remove('waiter') end
if release and turn and turn.member == member then remove('turn') end
if release and own then publish(ARGV[5]) end
expire()
return { held and 1 or 0, (waiter and waiter.member ~= member) and waiter.ending - now or 0 }
