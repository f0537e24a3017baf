package io.leasehold.engine.memcached;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import com.google.common.hash.Hashing;
import com.google.common.net.HostAndPort;
import com.spotify.folsom.RawMemcacheClient;
import com.spotify.folsom.ketama.AddressAndClient;
import com.spotify.folsom.ketama.NodeLocator;

/**
 * Servers of memcached, and which of them has a key. It has the key even while it is
 * down: another server would not know the present holder. The order of the servers does
 * not matter.
 *
 * @param addresses distinct addresses
 */
record Servers(List<HostAndPort> addresses) {

	private static final int DEFAULT_PORT = 11211;

	Servers {
		if (addresses.isEmpty() || addresses.stream().anyMatch((address) -> address.getHost().isEmpty())) {
			throw new IllegalArgumentException("a host is missing");
		}
	}

	/**
	 * Parse addresses.
	 * @throws IllegalArgumentException if one is invalid, or there is none
	 */
	static Servers of(List<String> addresses) {
		return new Servers(addresses.stream()
			.map((address) -> HostAndPort.fromString(address).withDefaultPort(DEFAULT_PORT))
			.distinct()
			.toList());
	}

	/** Return the address of the server that has a key. */
	String of(String key) {
		return this.addresses.stream()
			.map(HostAndPort::toString)
			.max(Comparator.comparingLong((address) -> weight(address, key)))
			.orElseThrow();
	}

	private static long weight(String address, String key) {
		return Hashing.murmur3_128().hashString(address + " " + key, StandardCharsets.US_ASCII).asLong();
	}

	/** Return the placement of keys for the client. */
	NodeLocator locator(Collection<AddressAndClient> clients) {
		Map<String, RawMemcacheClient> byAddress = clients.stream()
			.collect(Collectors.toMap(
					(client) -> HostAndPort.fromParts(client.getAddress().getHostText(), client.getAddress().getPort())
						.toString(),
					AddressAndClient::getClient));
		return (key) -> byAddress.get(of(new String(key, StandardCharsets.US_ASCII)));
	}

}
