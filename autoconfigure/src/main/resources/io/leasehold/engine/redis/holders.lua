-- Part of all scripts that know concurrent grants: format of claims

-- Returns the access of a claim (x exclusive, s shared, or a number of permits), and its minimum hold in ms
local function terms(claim)
	local asked, minHold = string.match(claim, '#(%w+),?(%d*),?%d*$')
	return asked or 'x', tonumber(minHold) or 0
end

