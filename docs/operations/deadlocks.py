#!/usr/bin/env python3
"""Find threads of several instances that wait for each other's locks.

usage: deadlocks.py http://web-1:8080/actuator/locks http://web-2:8080/actuator/locks ...

The variable AUTHORIZATION is sent as the header of that name. The status is 1 if there is
a deadlock, else 2 if an instance did not respond, else 0. The instances are asked one
after the other: a real deadlock is found again.
"""
import json
import os
import sys
import urllib.request

holders = {}  # the threads that hold an engine's key
awaited = {}  # the engines' keys that a thread waits for
missing = False
for url in sys.argv[1:]:
    try:
        request = urllib.request.Request(url, headers={"Authorization": os.environ.get("AUTHORIZATION", "")})
        with urllib.request.urlopen(request, timeout=10) as response:
            locks = json.load(response)
    except (OSError, ValueError) as failure:
        print("No response of %s: %s" % (url, failure), file=sys.stderr)
        missing = True
        continue
    for held in locks["held"]:
        holders.setdefault((held["engine"], held["key"]), []).append((url, held["thread"]))
    for waiting in locks["waiting"]:
        awaited.setdefault((url, waiting["thread"]), []).append((waiting["engine"], waiting["key"]))


def cycles(path):
    """Return the paths that lead from a thread to itself, over keys and their holders."""
    if path[-1] in path[:-1]:
        return [path] if path[-1] == path[0] else []
    return [cycle for lock in awaited.get(path[-1], []) for holder in holders.get(lock, [])
            if holder[1] for cycle in cycles(path + [holder])]


found = {frozenset(cycle): cycle for thread in awaited if thread[1] for cycle in cycles([thread])}
for cycle in found.values():
    print("Deadlock:")
    for thread, holder in zip(cycle, cycle[1:]):
        for lock in [lock for lock in awaited[thread] if holder in holders.get(lock, [])]:
            print("  thread '%s' of %s waits for '%s' (%s)," % (thread[1], thread[0], lock[1], lock[0]))
            print("    which thread '%s' of %s holds" % (holder[1], holder[0]))
sys.exit(1 if found else 2 if missing else 0)
