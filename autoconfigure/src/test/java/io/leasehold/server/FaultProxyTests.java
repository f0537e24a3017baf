package io.leasehold.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FaultProxy}, before a server that repeats every line.
 */
class FaultProxyTests {

	private static final int PATIENCE = 10_000;

	private static final int MOMENT = 100;

	private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

	private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());

	private final FaultProxy network = FaultProxy.to(this.server.getLocalPort());

	private final Client client = new Client();

	private final Thread acceptor;

	FaultProxyTests() throws IOException {
		this.acceptor = start(() -> {
			while (true) {
				Socket accepted = this.server.accept();
				start(() -> repeat(accepted));
			}
		});
	}

	private void repeat(Socket accepted) throws IOException {
		BufferedReader in = reader(accepted);
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			this.received.add(line);
			write(accepted, line);
		}
	}

	@AfterEach
	void close() throws IOException {
		this.client.socket.close();
		this.network.close();
		this.server.close();
	}

	@Test
	void bytesAreForwardedByDefault() throws Exception {
		this.client.says("a");
		this.client.receives("a");
	}

	@Test
	void delayedBytesArriveLater() throws Exception {
		this.network.replies().delay(Duration.ofMillis(MOMENT));
		long start = System.nanoTime();
		this.client.says("a");
		this.client.receives("a");
		assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(MOMENT));
	}

	@Test
	void heldRequestIsDeliveredLate() throws Exception {
		this.network.requests().hold();
		this.client.says("a");
		assertThat(this.received.poll(MOMENT, TimeUnit.MILLISECONDS)).isNull();
		this.network.heal();
		this.client.receives("a");
	}

	@Test
	void requestWhoseReplyIsHeldHasArrived() throws Exception {
		this.network.replies().hold();
		this.client.says("a");
		arrives("a");
		this.client.receivesNothing();
		this.network.heal();
		this.client.receives("a");
	}

	@Test
	void blackHoleBreaksNothing() throws Exception {
		this.network.blackHole();
		this.client.says("a");
		this.client.receivesNothing();
		assertThat(this.received).isEmpty();
		new Client().receivesNothing();
		this.network.heal();
		this.client.receives("a");
	}

	@Test
	void strandedRequestArrivesAfterItsClientHasGone() throws Exception {
		this.client.says("a");
		this.client.receives("a");
		arrives("a");
		FaultProxy.Valve stranded = this.network.strandRequests();
		this.client.says("late");
		this.client.socket.close();
		Client other = new Client();
		other.says("first");
		arrives("first");
		stranded.open();
		arrives("late");
	}

	@Test
	void replyIsLostAndTheConnectionStays() throws Exception {
		this.network.replies().drop();
		this.client.says("a");
		arrives("a");
		this.client.receivesNothing();
		this.network.heal();
		this.client.says("b");
		this.client.receives("b");
	}

	@Test
	void connectionBreaksInPlaceOfTheReply() throws Exception {
		this.network.replies().reset();
		this.client.says("a");
		assertThatExceptionOfType(SocketException.class).isThrownBy(this.client::reply);
		arrives("a");
	}

	@Test
	void connectionEndsInPlaceOfTheReply() throws Exception {
		this.network.replies().finish();
		this.client.says("a");
		assertThat(this.client.reply()).isNull();
		arrives("a");
	}

	@Test
	void allConnectionsBreakOrEnd() throws Exception {
		this.client.says("a");
		this.client.receives("a");
		this.network.reset();
		assertThatExceptionOfType(SocketException.class).isThrownBy(this.client::reply);
		Client other = new Client();
		other.says("b");
		other.receives("b");
		this.network.finish();
		assertThat(other.reply()).isNull();
	}

	@Test
	void newConnectionsAreRefused() throws Exception {
		this.client.says("a");
		this.client.receives("a");
		this.network.refuse();
		assertThatExceptionOfType(SocketException.class).isThrownBy(() -> new Client().reply());
		this.client.says("b");
		this.client.receives("b");
	}

	@Test
	void serverThatIsDownRefusesEachConnection() throws Exception {
		this.server.close();
		this.acceptor.join(); // until then it may take one more connection
		assertThatExceptionOfType(SocketException.class).isThrownBy(() -> new Client().reply());
		assertThatExceptionOfType(SocketException.class).isThrownBy(() -> new Client().reply());
	}

	private void arrives(String line) throws InterruptedException {
		assertThat(this.received.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(line);
	}

	private static BufferedReader reader(Socket socket) throws IOException {
		return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
	}

	private static void write(Socket socket, String line) throws IOException {
		socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
	}

	private static Thread start(Part part) {
		Thread thread = new Thread(() -> {
			try {
				part.run();
			}
			catch (IOException ex) {
				// the end of a connection
			}
		});
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private interface Part {

		void run() throws IOException;

	}

	private final class Client {

		private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), FaultProxyTests.this.network.port());

		private final BufferedReader in = reader(this.socket);

		Client() throws IOException {
		}

		void says(String line) throws IOException {
			write(this.socket, line);
		}

		void receives(String line) throws IOException {
			assertThat(reply()).isEqualTo(line);
		}

		String reply() throws IOException {
			this.socket.setSoTimeout(PATIENCE);
			return this.in.readLine();
		}

		void receivesNothing() throws IOException {
			this.socket.setSoTimeout(MOMENT);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(this.in::readLine);
		}

	}

}
