-- Acquires a lock of which no other data exists, and returns the number of the grant. 0 decides nothing: the whole
-- script, acquire.lua, has to follow.
-- KEYS: 1 lock, 2 greatest grant number
-- ARGV: 1 claim, 2 time to keep the grant in ms, 3 fencing retention in ms. 4 only for a grant that lingers, which the
-- holder's process may keep unused until another claim is busy with it: how many further numbers belong to the grant
local time = redis.call('TIME')
local micros = time[2]
if #micros < 6 then
	micros = string.format('%06d', micros)
end
local number = time[1] .. micros
local value, greatest = number .. ':' .. ARGV[1], number
if ARGV[4] then
	value = value .. ' ~'
	greatest = string.format('%.0f', number + ARGV[4])
end
if not redis.call('SET', KEYS[1], value, 'NX', 'PX', ARGV[2]) then
	return 0
end
-- Numbers have 16 digits until the year 2286, a marked number is longer
local last = redis.call('SET', KEYS[2], greatest, 'PX', ARGV[3], 'GET')
if not last or #last == 16 and last < number then
	return number
end
-- Other data exists, or the clock was set back: undo. A mark contains the lifetime of its key, see lock.lua.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], last, 'PX', string.match(last, '!(%d+)$') or ARGV[3])
return 0
