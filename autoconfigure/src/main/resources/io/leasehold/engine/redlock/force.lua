-- Ends all grants, and returns the owners that they had. KEYS: 4 marker of a forced release. ARGV: 1 its lifetime in
-- milliseconds, 2 channel of releases
local ended = owners()
for i = 1, #ended, 4 do
	finish(ended[i])
end
for claim, grant in pairs(grants) do
	if grant.lease > 0 and grant.lease <= now then finish(claim) end -- its lock delay
end
publish(ARGV[2])
expire()
if #ended > 0 then
	redis.call('SET', KEYS[4], '1', 'PX', ARGV[1])
end
return ended
