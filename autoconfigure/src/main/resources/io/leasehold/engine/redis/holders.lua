-- Begins all scripts: how claims and their grants beside each other are written

-- What a claim asks for: its access (x alone, s shared, or a number of permits), and its min hold in ms
local function terms(claim)
	local asked, minHold = string.match(claim, '#(%w+),?(%d*),?%d*$')
	return asked or 'x', tonumber(minHold) or 0
end

-- Lets a holder stand until a moment of the server's clock; holders and fences go with the last of them
local function stand(holders, fences, claim, till)
	redis.call('ZADD', holders, till, claim)
	local longest = redis.call('ZRANGE', holders, -1, -1, 'WITHSCORES')[2]
	redis.call('PEXPIREAT', holders, longest)
	redis.call('PEXPIREAT', fences, longest)
end

