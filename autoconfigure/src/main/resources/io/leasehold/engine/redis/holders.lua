-- Part of all scripts: format of claims and of concurrent grants

-- Returns the access of a claim (x exclusive, s shared, or a number of permits), and its minimum hold in ms
local function terms(claim)
	local asked, minHold = string.match(claim, '#(%w+),?(%d*),?%d*$')
	return asked or 'x', tonumber(minHold) or 0
end

-- Keeps a holder until a time of the server's clock; holders and fences expire with the last holder
local function stand(holders, fences, claim, till)
	redis.call('ZADD', holders, till, claim)
	local longest = redis.call('ZRANGE', holders, -1, -1, 'WITHSCORES')[2]
	redis.call('PEXPIREAT', holders, longest)
	redis.call('PEXPIREAT', fences, longest)
end

