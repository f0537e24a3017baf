package io.leasehold.engine.redis.connection;

/**
 * Address of a server.
 *
 * @param host host name or IP address
 */
public record Node(String host, int port) {

	/**
	 * Create an address.
	 * @throws IllegalArgumentException if the host contains credentials, which messages
	 * would show
	 */
	public Node {
		if (host.contains("@")) {
			throw new IllegalArgumentException("The address of a Redis server contains '@'");
		}
	}

	/** Parse {@code host:port}; the host may be an IPv6 address. */
	public static Node parse(String text) {
		int colon = text.lastIndexOf(':');
		return new Node(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
	}

	@Override
	public String toString() {
		return this.host + ":" + this.port;
	}

}
