local outcomes = {}
for i, lock in ipairs(KEYS) do
	local grant, ms = ARGV[2 * i - 1], ARGV[2 * i]
	if redis.pcall('GET', lock) == grant then
		if redis.call('PTTL', lock) < tonumber(ms) then
			redis.call('PEXPIRE', lock, ms)
		end
		outcomes[i] = 1
	else
		outcomes[i] = 0
	end
end
return outcomes
