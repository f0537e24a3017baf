package io.leasehold.autoconfigure.containers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockHolder;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.etcd.LeaseholdEtcdAutoConfiguration;
import io.leasehold.autoconfigure.memcached.LeaseholdMemcachedAutoConfiguration;
import io.leasehold.autoconfigure.zookeeper.LeaseholdZooKeeperAutoConfiguration;
import io.leasehold.docs.Manual;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.server.TestCertificate;
import io.leasehold.server.ZooKeeperTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that know their stores by Docker Compose or by Testcontainers alone, on
 * real servers without Docker. Another application, configured by properties, sees what
 * they hold.
 */
@Tag("full")
class MemcachedZooKeeperEtcdContainersIntegrationTests {

	private static final List<String> ENGINES = List.of("etcd", "memcached", "zookeeper");

	private static final String[] ENABLED = { "leasehold.engine=etcd", "leasehold.memcached.enabled=true",
			"leasehold.zookeeper.enabled=true", "leasehold.lease=1m", "leasehold.etcd.call-timeout=10s",
			"leasehold.zookeeper.call-timeout=10s", "leasehold.memcached.call-timeout=10s",
			"spring.main.web-application-type=none" };

	/** What Docker prints for the calls of Spring Boot. */
	private static final String DOCKER = """
			#!/bin/sh
			case "$*" in
				version*) echo 28.0.0 ;;
				"compose version"*) echo '{"version":"2.35.0"}' ;;
				context*) echo '{"Name":"default","Current":true,"DockerEndpoint":"unix:///var/run/docker.sock"}' ;;
				*" config "*) echo '{"name":"shop","services":{"etcd":{},"zookeeper":{},"memcached":{}}}' ;;
				*" ps "*) cat "$0.ps" ;;
				*inspect*) cat "$0.inspect" ;;
				*) echo "unexpected: docker $*" >&2; exit 1 ;;
			esac
			""";

	@TempDir
	private Path folder;

	private final ApplicationContextRunner observer = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
		.withPropertyValues(ENABLED)
		.withPropertyValues("leasehold.zookeeper.connect-string=" + ZooKeeperTestServer.shared(),
				"leasehold.memcached.servers=" + MemcachedTestServer.shared().address());

	/** By the images of the manual. */
	@Test
	void servicesOfDockerComposeHoldTheLocks() throws Exception {
		TestCertificate certificate = TestCertificate.create(this.folder, "etcd");
		String trusted = "file:" + certificate.certificate();
		try (EtcdTestServer etcd = EtcdTestServer.startWithTls("bcrypt-cost=4",
				"cert-file=" + certificate.certificate(), "key-file=" + certificate.key())) {
			enableUsers(etcd, trusted);
			writeDocker(etcd, trusted);
			Process process = startWithDockerCompose();
			try (BufferedReader output = process.inputReader()) {
				StringBuilder printed = new StringBuilder();
				for (String line = output.readLine(); line != null && !line.equals("held"); line = output.readLine()) {
					printed.append(line).append('\n');
				}
				this.observer
					.withPropertyValues("leasehold.etcd.endpoints=https://127.0.0.1:" + etcd.port(),
							"leasehold.etcd.username=root", "leasehold.etcd.password=secret",
							"leasehold.etcd.ssl.bundle=etcd",
							"spring.ssl.bundle.pem.etcd.truststore.certificate=" + trusted)
					.run((context) -> assertHeldBy(context, process.pid(), printed.toString()));
				process.getOutputStream().close();
				assertThat(process.waitFor()).as(printed.toString()).isZero();
			}
			finally {
				process.destroyForcibly();
			}
		}
	}

	@Test
	void containersOfTestcontainersHoldTheLocks() {
		new ApplicationContextRunner().withUserConfiguration(Application.class, Containers.class)
			.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
			.withPropertyValues(ENABLED)
			.run((application) -> application.getBean(Jobs.class)
				.hold(() -> this.observer
					.withPropertyValues("leasehold.etcd.endpoints=" + EtcdTestServer.shared().url())
					.run((context) -> assertHeldBy(context, ProcessHandle.current().pid(), "in this process"))));
	}

	/** The key is held in each store, by that process alone. */
	private static void assertHeldBy(ApplicationContext context, long process, String log) {
		LockInspector stores = context.getBean(LockInspector.class);
		assertThat(ENGINES).allSatisfy((engine) -> assertThat(stores.inspect(engine, new LockKey("order:42"))).as(log)
			.extracting(LockHolder::process)
			.containsExactly(process));
	}

	/** With Docker Compose instead of Testcontainers on the class path. */
	private Process startWithDockerCompose() throws IOException {
		String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("testcontainers"))
			.collect(Collectors.joining(File.pathSeparator,
					System.getProperty("docker-compose.jar") + File.pathSeparator, ""));
		ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath,
				MemcachedZooKeeperEtcdContainersIntegrationTests.class.getName(),
				"--spring.docker.compose.file=" + this.folder.resolve("compose.yaml"))
			.redirectErrorStream(true);
		for (String property : ENABLED) {
			builder.command().add("--" + property);
		}
		builder.environment().compute("PATH", (name, path) -> this.folder + File.pathSeparator + path);
		return builder.start();
	}

	/**
	 * The other JVM.
	 * @param args properties
	 */
	public static void main(String[] args) {
		try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, args)) {
			context.getBean(Jobs.class).hold(() -> {
				System.out.println("held");
				try {
					System.in.read();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}
	}

	private void writeDocker(EtcdTestServer etcd, String trusted) throws IOException {
		Path docker = Files.writeString(this.folder.resolve("docker"), DOCKER);
		Files.setPosixFilePermissions(docker, PosixFilePermissions.fromString("rwx------"));
		String compose = Manual.read(Manual.file("docs/containers.md"));
		Files.writeString(this.folder.resolve("compose.yaml"), "services: {}");
		List<Service> services = List.of(
				new Service(image(compose, "etcd"), 2379, etcd.port(), "\"ETCD_ROOT_PASSWORD=secret\"",
						"\"org.springframework.boot.sslbundle.pem.truststore.certificate\":\"%s\"".formatted(trusted)),
				new Service(image(compose, "zookeeper"), 2181, zooKeeperPort(), "", ""),
				new Service(image(compose, "memcached"), 11211, MemcachedTestServer.shared().port(), "", ""));
		Files.writeString(this.folder.resolve("docker.ps"), list(services, Service::ps));
		Files.writeString(this.folder.resolve("docker.inspect"), list(services, Service::inspect));
	}

	private static String list(List<Service> services, Function<Service, String> output) {
		return services.stream().map(output).collect(Collectors.joining(",", "[", "]"));
	}

	private static String image(String manual, String name) {
		Matcher image = Pattern.compile("image: (\\S*%s:\\S+)".formatted(name)).matcher(manual);
		assertThat(image.find()).isTrue();
		return image.group(1);
	}

	private static int zooKeeperPort() {
		return Integer.parseInt(ZooKeeperTestServer.shared().replaceFirst(".*:", ""));
	}

	private static void enableUsers(EtcdTestServer etcd, String trusted) throws Exception {
		SslBundle bundle = SslBundle.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate(trusted)));
		HttpClient client = HttpClient.newBuilder().sslContext(bundle.createSslContext()).build();
		send(client, etcd, "user/add", "{'name':'root','password':'secret'}");
		send(client, etcd, "role/add", "{'name':'root'}");
		send(client, etcd, "user/grant", "{'user':'root','role':'root'}");
		send(client, etcd, "enable", "{}");
	}

	private static void send(HttpClient client, EtcdTestServer etcd, String path, String body) throws Exception {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("https://127.0.0.1:%s/v3/auth/%s".formatted(etcd.port(), path)))
			.POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
			.build();
		HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
	}

	/** A running service. */
	private record Service(String image, int containerPort, int port, String env, String label) {

		String ps() {
			return """
					{"ID":"%s","Name":"%s","Image":"%s","State":"running"}""".formatted(this.port, this.port,
					this.image);
		}

		String inspect() {
			return """
					{"Id":"%s","Config":{"Image":"%s","Labels":{%s},"Env":[%s],"ExposedPorts":{"%5$s/tcp":{}}},
					"HostConfig":{"NetworkMode":"shop"},
					"NetworkSettings":{"Ports":{"%5$s/tcp":[{"HostIp":"127.0.0.1","HostPort":"%1$s"}]}}}"""
				.formatted(this.port, this.image, this.label, this.env, this.containerPort);
		}

	}

	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdEtcdAutoConfiguration.class,
			LeaseholdMemcachedAutoConfiguration.class, LeaseholdZooKeeperAutoConfiguration.class })
	@Import(Jobs.class)
	static class Application {

	}

	static class Jobs {

		private final DistributedLocks locks;

		Jobs(DistributedLocks locks) {
			this.locks = locks;
		}

		void hold(Runnable work) {
			hold(ENGINES, work);
		}

		private void hold(List<String> engines, Runnable work) {
			if (engines.isEmpty()) {
				work.run();
				return;
			}
			LockOptions options = this.locks.defaults().toBuilder().engine(engines.get(0)).build();
			try (HeldLock held = this.locks.acquire("order:42", options)) {
				hold(engines.subList(1, engines.size()), work);
				held.throwIfLost();
			}
		}

	}

	static class Containers {

		@Bean
		@ServiceConnection("etcd")
		FakeContainer etcd() {
			return new FakeContainer("etcd", EtcdTestServer.shared().port());
		}

		@Bean
		@ServiceConnection("memcached")
		FakeContainer memcached() {
			return new FakeContainer("memcached", MemcachedTestServer.shared().port());
		}

		@Bean
		@ServiceConnection("zookeeper")
		FakeContainer zooKeeper() {
			return new FakeContainer("zookeeper", zooKeeperPort());
		}

	}

}
