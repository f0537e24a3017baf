package io.leasehold.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A network between a client and a server of this machine that fails on demand. Bytes go
 * through as they come, until a test changes that:
 * <ul>
 * <li>{@link Valve#delay} and {@link Valve#hold}, in one direction or, by
 * {@link #blackHole}, in both: nothing arrives and nothing breaks
 * <li>late delivery: what was held arrives when its valve is opened, after
 * {@link #strandRequests} also when its client has long gone on by another connection
 * <li>{@link Valve#drop}: bytes are lost and the connection stays; {@link Valve#reset}
 * and {@link Valve#finish}: a request is carried out, and instead of the reply its client
 * sees the connection break (RST) or end (FIN)
 * <li>{@link #reset} and {@link #finish}: so do all connections now
 * <li>{@link #refuse}: there are no new connections
 * <li>{@link #redirect}: new connections lead to another server, or to several in turn
 * </ul>
 * {@link #heal} ends them all. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

	private final ServerSocket entrance;

	private volatile int[] targets;

	private int connections;

	private volatile Valve requests = new Valve();

	private final Valve replies = new Valve();

	private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

	private final Set<Socket> servers = ConcurrentHashMap.newKeySet();

	private volatile boolean refusing;

	private FaultProxy(int... targets) throws IOException {
		this.targets = targets;
		this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
	}

	/**
	 * Start a proxy before a server's port, or one that leads each connection to the next
	 * of several ports.
	 */
	public static FaultProxy to(int... ports) {
		try {
			FaultProxy proxy = new FaultProxy(ports);
			proxy.start(proxy::accept);
			return proxy;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The port for the client. */
	public int port() {
		return this.entrance.getLocalPort();
	}

	/** What the client sends. */
	public Valve requests() {
		return this.requests;
	}

	/** What the server sends. */
	public Valve replies() {
		return this.replies;
	}

	/** Let nothing through, in either direction; a new connection gets no response. */
	public void blackHole() {
		this.requests.hold();
		this.replies.hold();
	}

	/**
	 * Hold back what the present connections send. New connections are not concerned.
	 * @return lets it through at last
	 */
	public Valve strandRequests() {
		Valve stranded = this.requests;
		stranded.hold();
		this.requests = new Valve();
		return stranded;
	}

	/** End all faults; what was held goes on its way. */
	public void heal() {
		this.refusing = false;
		this.requests.open();
		this.replies.open();
	}

	/** Lead new connections to other ports, in turn. Those that exist stay. */
	public void redirect(int... ports) {
		this.targets = ports;
	}

	/** Reset new connections, until {@link #heal()}. */
	public void refuse() {
		this.refusing = true;
	}

	/** Close the clients' connections in an orderly way (FIN). */
	public void finish() {
		end(FaultProxy::finishQuietly);
	}

	/** Break the clients' connections (RST). What is held still goes to the server. */
	public void reset() {
		end(FaultProxy::resetQuietly);
	}

	/** One that a client opens at once instead is not forgotten. */
	private void end(Consumer<Socket> way) {
		this.clients.removeIf((client) -> {
			way.accept(client);
			return true;
		});
	}

	@Override
	public void close() throws IOException {
		this.entrance.close();
		this.clients.forEach(FaultProxy::resetQuietly);
		this.servers.forEach(FaultProxy::resetQuietly);
		heal();
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.entrance.accept();
			try {
				connect(client);
			}
			catch (IOException ex) {
				resetQuietly(client); // the server is down
			}
		}
	}

	private void connect(Socket client) throws IOException {
		this.clients.add(client); // so that a reset after this decision concerns it
		if (this.refusing) {
			resetQuietly(client);
			return;
		}
		int[] ports = this.targets;
		Socket server = new Socket(InetAddress.getLoopbackAddress(), ports[this.connections++ % ports.length]);
		client.setTcpNoDelay(true);
		server.setTcpNoDelay(true);
		this.servers.add(server);
		Valve requestsOfThis = this.requests;
		start(() -> pump(client, server, requestsOfThis));
		start(() -> pump(server, client, this.replies));
	}

	private static void pump(Socket from, Socket to, Valve valve) throws IOException, InterruptedException {
		byte[] buffer = new byte[65536];
		try (to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
				switch (valve.next()) {
					case PASSES -> out.write(buffer, 0, read);
					case RESETS -> resetQuietly(to);
					case FINISHES -> finishQuietly(to);
					case IS_LOST -> {
					}
				}
			}
			valve.next(); // the end of the connection, too
		}
	}

	private void start(Pump pump) {
		Thread thread = new Thread(() -> {
			try {
				pump.run();
			}
			catch (IOException ex) {
				// the end of a connection is not a fault
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "fault-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private static void finishQuietly(Socket socket) {
		try {
			socket.shutdownOutput();
		}
		catch (IOException ex) {
			// closed already
		}
	}

	private static void resetQuietly(Socket socket) {
		try {
			socket.setSoLinger(true, 0);
			socket.close();
		}
		catch (IOException ex) {
			// closed already
		}
	}

	@FunctionalInterface
	private interface Pump {

		void run() throws IOException, InterruptedException;

	}

	/** What becomes of what comes by. */
	private enum Fate {

		PASSES, IS_LOST, RESETS, FINISHES

	}

	/** One direction. */
	public static final class Valve {

		private boolean held;

		private Fate fate = Fate.PASSES;

		private Duration delay = Duration.ZERO;

		private Runnable before = () -> {
		};

		/** Run something before bytes are let through, each time. */
		public synchronized void beforeEach(Runnable action) {
			this.before = action;
		}

		/** Let bytes through, those held before first. */
		public synchronized void open() {
			this.held = false;
			this.fate = Fate.PASSES;
			this.delay = Duration.ZERO;
			notifyAll();
		}

		/** Keep bytes back until {@link #open()}. */
		public synchronized void hold() {
			this.held = true;
		}

		/** Throw bytes away. */
		public synchronized void drop() {
			this.fate = Fate.IS_LOST;
		}

		/** Throw bytes away and break the connection that they came on (RST). */
		public synchronized void reset() {
			this.fate = Fate.RESETS;
		}

		/** Throw bytes away and close the connection in an orderly way (FIN). */
		public synchronized void finish() {
			this.fate = Fate.FINISHES;
		}

		/** Let bytes through later, each read of them after the one before. */
		public synchronized void delay(Duration by) {
			this.delay = by;
		}

		private Fate next() throws InterruptedException {
			Duration pause;
			Runnable action;
			synchronized (this) {
				while (this.held) {
					wait();
				}
				if (this.fate != Fate.PASSES) {
					return this.fate;
				}
				pause = this.delay;
				action = this.before;
			}
			action.run();
			TimeUnit.NANOSECONDS.sleep(pause.toNanos());
			return Fate.PASSES;
		}

	}

}
