package io.leasehold.engine.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import javax.net.SocketFactory;

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
	public Socket createSocket(String host, int port) throws SocketException {
		throw unused();
	}

	@Override
	public Socket createSocket(InetAddress host, int port) throws SocketException {
		throw unused();
	}

	@Override
	public Socket createSocket(String host, int port, InetAddress local, int localPort) throws SocketException {
		throw unused();
	}

	@Override
	public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws SocketException {
		throw unused();
	}

	private static SocketException unused() {
		return new SocketException("The driver connects its sockets itself");
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
