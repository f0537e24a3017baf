-- Writes a claim's grant number. ARGV: 1 claim, 2 number, 3 fencing retention in milliseconds. Returns 1 if the claim
-- holds the lock here with this number, otherwise 0. A number that this master has given or written before may be that
-- of another reader: a majority never writes it for both
local own = grants[ARGV[1]]
if not own or own.lease <= now then
	return 0
end
if own.number == ARGV[2] then
	return 1
end
local last = redis.call('GET', KEYS[2])
if last and tonumber(last) >= tonumber(ARGV[2]) then
	return 0
end
own.number = ARGV[2]
store(ARGV[1], own)
expire()
remember(ARGV[2], ARGV[3])
return 1
