end

local outcomes, key, keys, arguments = {}, 1, {}, {}
for i = 1, #ARGV, 2 do
	keys[1], keys[2], keys[3], arguments[1], arguments[2] = KEYS[key], KEYS[key + 1], KEYS[key + 2], ARGV[i], ARGV[i + 1]
	local outcome = renew(keys, arguments)
	if type(outcome) == 'table' then
		return outcome -- rejected by a replica
	end
	table.insert(outcomes, outcome)
	key = key + (terms(ARGV[i]) == 'x' and 1 or 3)
end
return outcomes
