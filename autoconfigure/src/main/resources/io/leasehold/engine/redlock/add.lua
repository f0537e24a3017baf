-- Adds a grant that a majority of the masters has. It ignores the marks of waiting claims, which delay only new claims
-- KEYS: 4 marker of a forced release. ARGV: 1 claim, 2 access, 3 lease, 4 lock delay, 5 minimum hold, 6 fencing retention, 7 grant number, 8 age of the
-- grant, 9 round in which it was granted; times in milliseconds. Returns 1 if the claim holds the lock here, otherwise 0
local claim, access, number = ARGV[1], ARGV[2], ARGV[7]
local own = grants[claim]
if own and own.lease > now then
	return 1
end

if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then
	return 0
end
for name, grant in pairs(grants) do
	if name ~= claim and (access == 'x' or grant.access == 'x') then
		return 0
	end
end

local granted = now - ARGV[8]
local leaseEnd = now + ARGV[3]
local minEnd = granted + ARGV[5]
store(claim, { access = access, number = number, granted = granted, lease = leaseEnd,
	kept = math.max(leaseEnd + ARGV[4], minEnd), min = minEnd > now and minEnd or 0, round = tonumber(ARGV[9]) })
expire()
remember(number, ARGV[6])
return 1
