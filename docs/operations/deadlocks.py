#!/usr/bin/env python3
"""Find threads of several instances that wait for each other's locks.

usage: deadlocks.py http://web-1:8080/actuator/locks http://web-2:8080/actuator/locks ...

The variable AUTHORIZATION is sent as the header of that name. The status is 2 if there is
a deadlock, else 3 if an instance did not respond, else 0. The instances are asked one
after the other: a real deadlock is found again.
"""
import collections
import http.client
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
        held, waiting = locks["held"], locks["waiting"]
    except (OSError, ValueError, LookupError, TypeError, http.client.HTTPException) as failure:
        print("No response of %s: %r" % (url, failure), file=sys.stderr)
        missing = True
        continue
    for lock in held:
        holders.setdefault((lock["engine"], lock["key"]), []).append((url, lock["thread"]))
    for lock in waiting:
        awaited.setdefault((url, lock["thread"]), []).append((lock["engine"], lock["key"]))


def cycle(start):
    """Return the shortest path from a thread to itself, over keys and their holders, or None."""
    paths, known = collections.deque([[start]]), set()
    while paths:
        path = paths.popleft()
        for lock in awaited.get(path[-1], []):
            for holder in holders.get(lock, []):
                if holder == start:
                    return path + [start]
                if holder[1] and holder not in known:
                    known.add(holder)
                    paths.append(path + [holder])
    return None


cycles = [cycle(thread) for thread in awaited if thread[1]]
found = {frozenset(path): path for path in cycles if path}
for path in found.values():
    print("Deadlock:")
    for thread, holder in zip(path, path[1:]):
        for lock in [lock for lock in awaited[thread] if holder in holders.get(lock, [])]:
            print("  thread %r of %s waits for %r (%s)," % (thread[1], thread[0], lock[1], lock[0]))
            print("    which thread %r of %s holds" % (holder[1], holder[0]))
sys.exit(2 if found else 3 if missing else 0)
