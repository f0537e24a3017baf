package io.leasehold.benchmark.store;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/**
 * A cluster of two members of Hazelcast, so that each entry has a backup, in a JVM of
 * their own.
 */
final class HazelcastServerProcess implements Server {

	private final Process process;

	private final String address;

	HazelcastServerProcess() throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
				"-cp", System.getProperty("java.class.path"), HazelcastServerProcess.class.getName())
			.redirectError(Redirect.INHERIT)
			.start();
		this.address = this.process.inputReader().readLine();
	}

	/** Serve until the input ends. */
	public static void main(String[] arguments) throws IOException {
		int first = ServerProcess.freePort();
		HazelcastInstance member = Hazelcast.newHazelcastInstance(config(first, first));
		HazelcastInstance backup = Hazelcast.newHazelcastInstance(config(ServerProcess.freePort(), first));
		System.out.println("127.0.0.1:" + first);
		System.in.read();
		backup.getLifecycleService().terminate();
		member.getLifecycleService().terminate();
		System.exit(0);
	}

	private static Config config(int port, int first) {
		Config config = new Config().setClusterName("benchmark")
			.setProperty("hazelcast.logging.type", "none")
			.setProperty("hazelcast.phone.home.enabled", "false")
			.setProperty("hazelcast.socket.bind.any", "false");
		config.getJetConfig().setEnabled(false);
		config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
		config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
		JoinConfig join = config.getNetworkConfig().getJoin();
		join.getAutoDetectionConfig().setEnabled(false);
		join.getMulticastConfig().setEnabled(false);
		join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + first);
		return config;
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public Usage usage() {
		return new Usage(Double.NaN, ServerProcess.processorMicros(this.process));
	}

	@Override
	public void close() throws IOException {
		this.process.getOutputStream().close();
		this.process.onExit().join();
	}

}
