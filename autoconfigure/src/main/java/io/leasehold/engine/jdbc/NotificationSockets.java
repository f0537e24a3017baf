package io.leasehold.engine.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * Sockets for the connection of PostgreSQL's driver that receives notifications. After
 * each notification, the driver waits a millisecond for another message before it returns
 * the first one. These sockets report at once that there is none.
 * <p>
 * Public because the driver creates it by name. Thread-safe.
 */
public final class NotificationSockets extends SocketFactory {

	/**
	 * Read timeout, in milliseconds, with which the driver checks for another message.
	 */
	private static final int PEEK = 1;

	@Override
	public Socket createSocket() {
		return new NotificationSocket();
	}

	@Override
	public Socket createSocket(String host, int port) throws IOException {
		return connect(new InetSocketAddress(host, port), null);
	}

	@Override
	public Socket createSocket(InetAddress host, int port) throws IOException {
		return connect(new InetSocketAddress(host, port), null);
	}

	@Override
	public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
		return connect(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
	}

	@Override
	public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
		return connect(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
	}

	private static Socket connect(InetSocketAddress server, @Nullable InetSocketAddress local) throws IOException {
		Socket socket = new NotificationSocket();
		try {
			socket.bind(local);
			socket.connect(server);
			return socket;
		}
		catch (IOException | RuntimeException ex) {
			socket.close();
			throw ex;
		}
	}

	private static final class NotificationSocket extends Socket {

		private volatile boolean peeks;

		@Override
		public void setSoTimeout(int timeout) throws SocketException {
			super.setSoTimeout(timeout);
			this.peeks = timeout == PEEK;
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return new FilterInputStream(super.getInputStream()) {
				@Override
				public int read(byte[] bytes, int offset, int length) throws IOException {
					if (NotificationSocket.this.peeks && available() == 0) {
						throw new SocketTimeoutException("There is no further message");
					}
					return super.read(bytes, offset, length);
				}
			};
		}

	}

}
