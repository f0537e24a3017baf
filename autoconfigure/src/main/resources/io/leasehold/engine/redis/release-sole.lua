-- Releases an exclusive lock of which no other data exists, and returns 1. 0 decides nothing: the whole script,
-- close.lua, has to follow.
-- KEYS: 1 lock
-- ARGV: 1 claim
local value = redis.call('GET', KEYS[1])
-- Numbers have 16 digits until the year 2286. A mark follows the claim of a grant with other data.
local claim = value and string.sub(value, 18)
if claim == ARGV[1] or claim == ARGV[1] .. ' ~' or claim == ARGV[1] .. ' =' then
	return redis.call('DEL', KEYS[1])
end
return 0
