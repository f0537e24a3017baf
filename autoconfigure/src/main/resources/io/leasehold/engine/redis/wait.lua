-- Follows marks.lua in acquire.lua: shortcut for a lock that is held exclusively
-- ARGV: 6 queue form '+', '*' or '-', or '' to not enqueue, 7 lifetime of the queue in ms
local form = ARGV[6]

-- Whether the claim has ended, and this request is late
local function closed()
	local till = marked and redis.call('ZSCORE', KEYS[4], me)
	return till and tonumber(till) > now() / 1000
end

local function enqueue()
	local queued = marked and (redis.call('ZSCORE', KEYS[3], ARGV[4] .. '+' .. me)
			or redis.call('ZSCORE', KEYS[3], ARGV[4] .. '*' .. me) or redis.call('ZSCORE', KEYS[3], ARGV[4] .. '-' .. me))
	outlive(tonumber(ARGV[7]))
	if not queued then
		redis.call('ZADD', KEYS[3], 'NX', decimal(now()), ARGV[4] .. form .. me)
	end
	redis.call('PEXPIRE', KEYS[3], ARGV[7])
end

if held then
	if closed() then
		redis.call('ZREM', KEYS[3], '') -- rejected by a replica
		return {'closed'}
	end
	if form == '' then
		redis.call('ZREM', KEYS[3], '')
	else
		enqueue()
	end
	-- The client has to notify an owner whose grant lingers
	local recalled = string.sub(held, -1) == '~' and number .. ':' .. holder or nil
	return {'busy', last or number or '0', redis.call('PTTL', KEYS[1]), recalled}
end

