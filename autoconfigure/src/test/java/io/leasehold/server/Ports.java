package io.leasehold.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of this machine for servers that other tests run beside. They are none of those
 * that Linux gives to clients, one of which could take the port before the server does,
 * or while the server is down for a moment. Nor are they, 10,000 higher, those on which
 * the nodes of a Redis Cluster talk to each other.
 */
public final class Ports {

	private static final int FIRST = 12_768;

	private static final int FIRST_OF_CLUSTERS = 22_768;

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	private Ports() {
	}

	/** A port that nothing listens to in this moment, another one each time. */
	public static int free() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, FIRST_OF_CLUSTERS);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				if (GIVEN.add(port)) {
					return socket.getLocalPort();
				}
			}
			catch (IOException ex) {
				// taken: the next one
			}
		}
	}

}
