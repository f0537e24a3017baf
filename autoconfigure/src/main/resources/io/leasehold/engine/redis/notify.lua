-- Follows lock.lua: notifies a queued claim of its grant, unless it polls (-). Returns whether the claim may receive it: a
-- message without subscribers means that the JVM is dead, except for a claim (*) whose subscribers the server cannot
-- count. If the server rejects the message, the client publishes it: `unsent` contains the grants.
local unsent
local function reaches(claim, form, granted)
	if form == '-' then
		return true
	end
	local grant = granted .. ':' .. claim
	local received = redis.pcall('PUBLISH', inbox .. string.match(claim, '^[^/]*'), grant .. ' ' .. KEYS[1])
	if type(received) == 'number' then
		return received > 0 or form == '*'
	end
	unsent = unsent or {}
	table.insert(unsent, grant)
	return true
end

