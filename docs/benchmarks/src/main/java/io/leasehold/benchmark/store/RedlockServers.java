package io.leasehold.benchmark.store;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Three independent Redis servers, at addresses that are separated by commas.
 */
final class RedlockServers implements Server {

	private final List<RedisServerProcess> masters;

	RedlockServers() throws IOException {
		this.masters = List.of(new RedisServerProcess(), new RedisServerProcess(), new RedisServerProcess());
	}

	@Override
	public String address() {
		return this.masters.stream().map(Server::address).collect(Collectors.joining(","));
	}

	@Override
	public Usage usage() {
		return this.masters.stream().map(RedisServerProcess::usage).reduce(Usage::plus).orElse(Usage.UNKNOWN);
	}

	@Override
	public void close() throws IOException {
		for (RedisServerProcess master : this.masters) {
			master.close();
		}
	}

}
