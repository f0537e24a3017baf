package io.leasehold.engine.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.function.Function;

import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.server.Ports;
import io.leasehold.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server that speaks nothing but TLS, with certificates on both sides, and an account
 * and a database of the application's.
 */
class RedisTlsIntegrationTests {

	@TempDir
	private static Path directory;

	private static RedisTestServer server;

	private static SslBundle bundle;

	private static int port;

	@BeforeAll
	static void start() throws Exception {
		writeCertificate();
		port = Ports.free();
		server = RedisTestServer.start("tls-port " + port, "tls-cert-file " + directory.resolve("server.crt"),
				"tls-key-file " + directory.resolve("server.key"),
				"tls-ca-cert-file " + directory.resolve("server.crt"), "user shop on >secret ~* &* +@all");
		PemSslStoreDetails trusted = PemSslStoreDetails
			.forCertificate(Files.readString(directory.resolve("server.crt")));
		PemSslStoreDetails own = trusted.withPrivateKey(Files.readString(directory.resolve("server.key")));
		bundle = SslBundle.of(new PemSslStoreBundle(own, trusted));
	}

	/** By the JDK's own tool, in the format that Redis reads. */
	private static void writeCertificate() throws Exception {
		Path store = directory.resolve("server.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-keyalg", "EC", "-alias", "server", "-dname", "CN=localhost", "-ext",
				"SAN=IP:127.0.0.1", "-storepass", "secret", "-keystore", store.toString())
			.inheritIO()
			.start();
		assertThat(keytool.waitFor()).isZero();
		KeyStore keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
		write("server.crt", "CERTIFICATE", keys.getCertificate("server").getEncoded());
		write("server.key", "PRIVATE KEY", keys.getKey("server", "secret".toCharArray()).getEncoded());
	}

	private static void write(String file, String type, byte[] content) throws Exception {
		Files.writeString(directory.resolve(file), "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type,
				Base64.getMimeEncoder().encodeToString(content), type));
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void lettuceLocksOverTls() {
		locks((settings) -> RedisConnections.by(
				new LettuceConnector(LettuceTransport.of(bundle, "shop-locks"), settings.commandTimeout()), account(),
				settings.commandTimeout()));
	}

	private static RedisStandaloneConfiguration account() {
		RedisStandaloneConfiguration account = new RedisStandaloneConfiguration("127.0.0.1", port);
		account.setUsername("shop");
		account.setPassword("secret");
		account.setDatabase(3);
		return account;
	}

	private static void locks(Function<RedisSettings, RedisConnections> connector) {
		RedisEngines operator = new RedisEngines(server.port());
		RedisSettings settings = RedisEngines.patientSettings(operator.namespace());
		Member member = Member.of("test");
		try (RedisLockEngine engine = new RedisLockEngine(connector.apply(settings), settings, member,
				MonotonicClock.SYSTEM)) {
			Claim claim = new RedisEngines.TestMember(member, engine).claim("k");
			await().ignoreExceptions().until(() -> engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
			operator.server().select(3);
			assertThat(operator.server().exists(operator.keys("k").lock())).isOne();
			assertThat(operator.server().clientList()).contains("name=shop-locks", "user=shop");
			await().ignoreExceptions().until(() -> engine.release(claim), (outcome) -> true);
			assertThat(operator.server().exists(operator.keys("k").lock())).isZero();
		}
		finally {
			operator.close();
		}
	}

}
