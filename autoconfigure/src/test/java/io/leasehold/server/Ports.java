package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of this machine for servers that other tests run beside. They are none of those
 * that Linux gives to clients, one of which could take the port before the server does,
 * or while the server is down for a moment. Nor are they, 10,000 higher, those on which
 * the nodes of a Redis Cluster talk to each other. A port belongs to one test JVM until
 * it ends: another JVM must not start a server on it before this one does, nor where this
 * one expects no server.
 */
public final class Ports {

	private static final int FIRST = 12_768;

	private static final int FIRST_OF_CLUSTERS = 22_768;

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	/** Never closed: its locks end with it. */
	private static final FileChannel RESERVATIONS = reservations();

	private Ports() {
	}

	private static FileChannel reservations() {
		Path file = Path.of(System.getProperty("java.io.tmpdir"), "leasehold-ports-" + System.getProperty("user.name"));
		try {
			return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A port that nothing listens to in this moment, another one each time. */
	public static int free() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, FIRST_OF_CLUSTERS);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				if (reserve(port)) {
					return socket.getLocalPort();
				}
			}
			catch (IOException ex) {
				// taken: the next one
			}
		}
	}

	/** Reserve a port, by a lock on a byte of a file that all test JVMs use. */
	static boolean reserve(int port) throws IOException {
		return GIVEN.add(port) && RESERVATIONS.tryLock(port, 1, false) != null;
	}

}
