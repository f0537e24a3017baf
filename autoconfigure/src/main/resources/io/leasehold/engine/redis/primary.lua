-- First part of renew.lua. A replica rejects the write, so its data decides nothing.
-- While a slot migrates, a primary rejects this key as well; that error is ignored.
local probe = redis.pcall('DEL', KEYS[1] .. ':none')
if type(probe) == 'table' and string.find(probe.err, 'READONLY', 1, true) then
	return redis.error_reply('READONLY This server is a replica')
end

