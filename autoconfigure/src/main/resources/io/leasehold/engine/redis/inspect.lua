redis.call('ZREM', queue, '') -- rejected by a replica
look()
return grants()
