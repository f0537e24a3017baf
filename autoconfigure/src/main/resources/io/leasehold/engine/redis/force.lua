local rest = redis.call('PTTL', lock)
if held then
	handOn(nil)
end
return {held, rest}
