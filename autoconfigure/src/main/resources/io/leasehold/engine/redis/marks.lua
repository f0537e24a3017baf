-- Follows lock.lua: sets the marks, or keeps them. The mark of the greatest number remains for ms and one more second.
-- Called before data is added, so that no script ends with data but without marks.
local function outlive(ms)
	if not marked then
		marked, life = true, retention
		local rest = holder and redis.call('PTTL', KEYS[1]) or 0
		if rest > 0 then
			-- XX: never creates a key, even where the clock does not stop for a script
			local others = string.match(held, ' !?(.*)$') or ''
			redis.call('SET', KEYS[1], number .. ':' .. holder .. ' !' .. others, 'XX', 'PX', rest)
		end
	end
	life = math.max(life, ms + 1000)
	storeLast()
end

