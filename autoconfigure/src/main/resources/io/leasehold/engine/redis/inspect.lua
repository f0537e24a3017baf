redis.call('ZREM', queue, '') -- refused by a replica
look()
return grants()
