-- Renews many grants, with the keys and arguments of each as in renew.lua
local function renew(KEYS, ARGV)
