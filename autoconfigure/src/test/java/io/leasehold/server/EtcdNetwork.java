package io.leasehold.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Network between the members of an etcd cluster, which can isolate one of them. Members
 * name themselves in the headers of their messages to each other. Thread-safe.
 */
public final class EtcdNetwork implements AutoCloseable {

	private static final Pattern SENDER = Pattern.compile("X-Server-From: ([0-9a-f]+)");

	private final List<ServerSocket> entrances = new CopyOnWriteArrayList<>();

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private volatile int isolatedPort;

	private volatile String isolatedId = "";

	/** Return a port that leads to a member's port for its peers. */
	int entranceTo(int port) {
		try {
			ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			this.entrances.add(entrance);
			start(() -> accept(entrance, port));
			return entrance.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept(ServerSocket entrance, int port) throws IOException {
		while (true) {
			Link link = new Link(entrance.accept(), port);
			this.links.add(link);
			start(link::open);
		}
	}

	/**
	 * Cut a member off from the others. Its clients still reach it.
	 * @param member the member
	 * @param id its id, in hexadecimal
	 */
	public void isolate(EtcdTestServer member, String id) {
		this.isolatedId = id;
		this.isolatedPort = member.peerPort();
		this.links.stream().filter(Link::isCut).forEach(Link::close);
	}

	/** End the isolation. */
	public void heal() {
		this.isolatedPort = 0;
	}

	@Override
	public void close() throws IOException {
		for (ServerSocket entrance : this.entrances) {
			entrance.close();
		}
		this.links.forEach(Link::close);
	}

	private static void start(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// a connection ended
			}
		}, "etcd-network");
		thread.setDaemon(true);
		thread.start();
	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

	/**
	 * Connection of one member to another.
	 */
	private final class Link {

		private final Socket client;

		private final int port;

		private final Socket server = new Socket();

		private volatile String sender = "";

		private Link(Socket client, int port) {
			this.client = client;
			this.port = port;
		}

		private boolean isCut() {
			int isolated = EtcdNetwork.this.isolatedPort;
			return isolated != 0 && (this.port == isolated || this.sender.equals(EtcdNetwork.this.isolatedId));
		}

		private void open() throws IOException {
			try {
				this.server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port));
				start(() -> pump(this.server, this.client, false));
				pump(this.client, this.server, true);
			}
			finally {
				close();
			}
		}

		private void pump(Socket from, Socket to, boolean requests) throws IOException {
			byte[] buffer = new byte[65536];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
					if (requests) {
						identify(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
					}
					if (isCut()) {
						return;
					}
					out.write(buffer, 0, read);
				}
			}
			finally {
				close();
			}
		}

		private void identify(String request) {
			Matcher matcher = SENDER.matcher(request);
			if (matcher.find()) {
				this.sender = matcher.group(1);
			}
		}

		private void close() {
			EtcdNetwork.this.links.remove(this);
			try (this.client; this.server) {
				this.client.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// closed already
			}
		}

	}

}
