-- Acquires a lock as acquire-free.lua does, with a grant that lingers: the holder's process may keep the lock unused until
-- another claim is busy with it. Numbers after that of the grant belong to it as well. 0 decides nothing.
-- KEYS: 1 lock, 2 greatest grant number
-- ARGV: 1 claim, 2 time to keep the grant in ms, 3 fencing retention in ms, 4 how many further numbers belong to the grant
local time = redis.call('TIME')
local micros = time[2]
if #micros < 6 then
	micros = string.format('%06d', micros)
end
local number = time[1] .. micros
if not redis.call('SET', KEYS[1], number .. ':' .. ARGV[1] .. ' ~', 'NX', 'PX', ARGV[2]) then
	return 0
end
local reserved = string.format('%.0f', number + ARGV[4])
local last = redis.call('SET', KEYS[2], reserved, 'PX', ARGV[3], 'GET')
if not last or #last == 16 and last < number then
	return number
end
-- Other data exists, or the clock was set back: undo. A mark contains the lifetime of its key, see lock.lua.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], last, 'PX', string.match(last, '!(%d+)$') or ARGV[3])
return 0
