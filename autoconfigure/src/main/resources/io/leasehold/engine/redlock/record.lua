-- First part of all scripts but renew.lua: the record of a lock on this master
-- KEYS: 1 lock, 2 last grant number, 3 end marker of the claim
-- The lock is a hash: 'claim' -> 'access number granted lease kept min round', 'turn' -> 'access end member' and
-- 'waiter' -> 'end member'. A claim contains '@'. Times are milliseconds of this master's clock. The round is the last
-- one of the claim that may count the grant
local lock = KEYS[1]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

-- tostring and .. round to 14 digits
local function decimal(value)
	return string.format('%.0f', value)
end

local grants, turn, waiter = {}, nil, nil

local function remove(name)
	redis.call('HDEL', lock, name)
	grants[name] = nil
	if name == 'turn' then turn = nil end
	if name == 'waiter' then waiter = nil end
end

local function store(claim, grant)
	grants[claim] = grant
	redis.call('HSET', lock, claim, table.concat({ grant.access, grant.number, decimal(grant.granted),
		decimal(grant.lease), decimal(grant.kept), decimal(grant.min), decimal(grant.round) }, ' '))
end

local fields = redis.call('HGETALL', lock)
for i = 1, #fields, 2 do
	local name, value = fields[i], fields[i + 1]
	if name == 'turn' then
		local access, ending, member = string.match(value, '^(%a) (%d+) (.*)$')
		turn = { access = access, ending = tonumber(ending), member = member }
		if turn.ending <= now then remove(name) end
	elseif name == 'waiter' then
		local ending, member = string.match(value, '^(%d+) (.*)$')
		waiter = { ending = tonumber(ending), member = member }
		if waiter.ending <= now then remove(name) end
	else
		local access, number, granted, lease, kept, min, round = string.match(value,
			'^(%a) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
		grants[name] = { access = access, number = number, granted = tonumber(granted), lease = tonumber(lease),
			kept = tonumber(kept), min = tonumber(min), round = tonumber(round) }
		if grants[name].kept <= now then remove(name) end
	end
end

-- Ends a grant; the key stays locked for the rest of the minimum hold, without an owner
local function finish(claim)
	local grant = grants[claim]
	if grant.min > now then
		grant.lease = 0
		grant.kept = grant.min
		redis.call('HDEL', lock, '') -- without memory, the server rejects HSET as the first write of a script
		store(claim, grant)
	else
		remove(claim)
	end
end

-- Publishes on a channel that the lock is free, if a claim waits for it. Without access to the channel, claims poll
local function publish(channel)
	if waiter and not next(grants) then
		redis.pcall('PUBLISH', channel, lock)
	end
end

-- Lets the record expire with its last entry
local function expire()
	local last = math.max(turn and turn.ending or 0, waiter and waiter.ending or 0)
	for _, grant in pairs(grants) do
		last = math.max(last, grant.kept)
	end
	if last > 0 then
		redis.call('PEXPIREAT', lock, decimal(last))
	end
end

-- Lets the next grant have a greater number than a given one
local function remember(number, retention)
	local last = redis.call('GET', KEYS[2])
	redis.call('SET', KEYS[2], decimal(math.max(last or 0, tonumber(number))), 'PX', retention)
end

-- Returns claim, number, time of the grant and rest of the lease for each owner
local function owners()
	local result = {}
	for claim, grant in pairs(grants) do
		if grant.lease > now then
			for _, value in ipairs({ claim, grant.number, decimal(grant.granted), decimal(grant.lease - now) }) do
				table.insert(result, value)
			end
		end
	end
	return result
end
