-- ARGV: 1 claim, 2 access, 3 lease, 4 lock delay, 5 minimum hold, 6 fencing retention, 7 start of the master in
-- microseconds, 8 lifetime of the marks of a waiting claim or 0, 9 member, 10 round; times in milliseconds
local claim, access, member, round = ARGV[1], ARGV[2], ARGV[9], tonumber(ARGV[10])
local leaseEnd = now + ARGV[3]
local keptEnd = leaseEnd + ARGV[4]

if redis.call('EXISTS', KEYS[3]) == 1 then
	return { 'ended' }
end

local own = grants[claim]
if own and own.lease > now then
	own.lease = math.max(own.lease, leaseEnd)
	own.kept = math.max(own.kept, keptEnd)
	own.round = math.max(own.round, round)
	store(claim, own)
	expire()
	return { 'granted', own.number }
end

-- The first claim by name, so that all masters name the same one of several
local rival, busyUntil, otherAccess = nil, 0, false
for name, grant in pairs(grants) do
	if access == 'x' or grant.access == 'x' then
		busyUntil = math.max(busyUntil, grant.kept)
		otherAccess = otherAccess or grant.access ~= access
		if not rival or name < rival then rival = name end
	end
end

-- Waiting claims of the other access have the next turn
if turn and turn.access ~= access then
	busyUntil = math.max(busyUntil, turn.ending)
	rival = rival or 'turn'
end

if rival then
	local marked = now + ARGV[8]
	if marked > now then
		waiter = { ending = marked, member = member }
		redis.call('HSET', lock, 'waiter', decimal(marked) .. ' ' .. member)
		if otherAccess and (not turn or turn.access == access) then
			turn = { access = access, ending = marked, member = member }
			redis.call('HSET', lock, 'turn', access .. ' ' .. decimal(marked) .. ' ' .. member)
		end
		expire()
	end
	return { 'busy', rival, decimal(busyUntil - now) }
end

-- Numbers from before the start of this master may be lost, or older than those of other masters
local last = redis.call('GET', KEYS[2])
local number = decimal(last and math.max(last + 1, tonumber(ARGV[7])) or micros)
redis.call('SET', KEYS[2], number, 'PX', ARGV[6])
-- Zero without a minimum hold: the clock may go back
local minEnd = tonumber(ARGV[5]) > 0 and now + ARGV[5] or 0
store(claim, { access = access, number = number, granted = now, lease = leaseEnd, kept = math.max(keptEnd, minEnd),
	min = minEnd, round = round })
if turn then remove('turn') end
if waiter and waiter.member == member then remove('waiter') end
expire()
return { 'granted', number }
