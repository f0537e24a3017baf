package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.SocketFactory;
import javax.sql.DataSource;

import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sockets of the connections that listen for notifications of PostgreSQL.
 */
class PostgresNotificationSocketsIntegrationTests {

	private static final long HALF_A_MILLISECOND = 500_000;

	private final String url = PostgresTestServer.shared().url();

	/** The driver waits a millisecond for another message after each one. */
	@Test
	void notificationsArriveBeforeTheDriverHasLookedForMore() throws Exception {
		LinkedBlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
		JdbcConnections pool = JdbcConnections.open(this.url, null, null, null, 1, Duration.ofSeconds(5));
		ChannelListener usual = listener(new DriverManagerDataSource(this.url), "usual", arrivals);
		ChannelListener prompt = listener(pool.forNotifications(), "prompt", arrivals);
		try (pool;
				usual;
				prompt;
				Connection connection = DriverManager.getConnection(this.url);
				Statement publisher = connection.createStatement()) {
			assertThat(List.of(arrivals.take(), arrivals.take())).extracting(Arrival::listener)
				.contains("usual", "prompt");
			// The load of the machine delays many of them, but not all
			Map<String, Long> fastest = new HashMap<>();
			for (int i = 0; i < 5000 && (i < 200 || lead(fastest) < HALF_A_MILLISECOND); i++) {
				long sent = System.nanoTime();
				publisher.execute("NOTIFY some_channel");
				for (Arrival arrival : List.of(arrivals.take(), arrivals.take())) {
					fastest.merge(arrival.listener(), arrival.when() - sent, Math::min);
				}
			}
			assertThat(lead(fastest)).isGreaterThan(HALF_A_MILLISECOND);
		}
	}

	private static long lead(Map<String, Long> fastest) {
		return fastest.get("usual") - fastest.get("prompt");
	}

	private static ChannelListener listener(DataSource connections, String name, Queue<Arrival> arrivals) {
		Runnable arrived = () -> arrivals.add(new Arrival(name, System.nanoTime()));
		ChannelListener listener = new ChannelListener(connections, "some_channel") {

			@Override
			void receive(String payload) {
				arrived.run();
			}

			@Override
			void missed() {
				arrived.run();
			}

		};
		listener.start();
		return listener;
	}

	private record Arrival(String listener, long when) {
	}

	@Test
	void socketFactoryInTheUrlIsKept() throws Exception {
		String own = this.url + (this.url.contains("?") ? "&" : "?") + "socketFactory=" + OwnSockets.class.getName();
		int before = OwnSockets.created.get();
		try (JdbcConnections pool = JdbcConnections.open(own, null, null, null, 1, Duration.ofSeconds(5))) {
			pool.forNotifications().getConnection().close();
		}
		assertThat(OwnSockets.created.get()).isGreaterThan(before);
	}

	/** Socket factory of an application. */
	public static class OwnSockets extends SocketFactory {

		static final AtomicInteger created = new AtomicInteger();

		@Override
		public Socket createSocket() {
			created.incrementAndGet();
			return new Socket();
		}

		@Override
		public Socket createSocket(String host, int port) throws IOException {
			return new Socket(host, port);
		}

		@Override
		public Socket createSocket(InetAddress host, int port) throws IOException {
			return new Socket(host, port);
		}

		@Override
		public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
			return new Socket(host, port, local, localPort);
		}

		@Override
		public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
			return new Socket(host, port, local, localPort);
		}

	}

}
