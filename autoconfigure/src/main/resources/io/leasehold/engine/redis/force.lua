redis.call('ZREM', KEYS[3], '') -- rejected by a replica
look()
local all = grants()
for i = 1, #all, 2 do
	local granted, claim = string.match(all[i], '^(%d+):(.*)$')
	-- A place that a minimum hold keeps has no holder
	if not string.find(claim or '', '^#%w+,%d+$') then
		release(claim or '', granted)
	end
end
serve()
unmark()
return response(all)
