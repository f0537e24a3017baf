-- Returns the owners
return owners()
