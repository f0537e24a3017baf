-- Begins renew.lua. A replica refuses to write: nothing is decided by what it has.
-- While a slot is on the move a primary refuses this key, too, which means nothing.
local probe = redis.pcall('DEL', KEYS[1] .. ':none')
if type(probe) == 'table' and string.find(probe.err, 'READONLY', 1, true) then
	return redis.error_reply('READONLY This server is a replica')
end

