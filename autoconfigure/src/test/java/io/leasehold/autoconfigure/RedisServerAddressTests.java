package io.leasehold.autoconfigure;

import javax.net.ssl.SSLEngine;

import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class RedisServerAddressTests {

	@Test
	void serverIsTheApplicationsOwn() {
		RedisStandaloneConfiguration server = new RedisServerAddress(new Details(null), null).server();
		assertThat(server.getHostName()).isEqualTo("redis.example");
		assertThat(server.getPort()).isEqualTo(6380);
		assertThat(server.getDatabase()).isEqualTo(3);
		assertThat(server.getUsername()).isEqualTo("shop");
		assertThat(server.getPassword()).isEqualTo(RedisPassword.of("secret"));
	}

	@Test
	void connectionIsPlainUnlessAskedFor() {
		assertThat(new RedisServerAddress(new Details(null), null).ssl()).isNull();
		assertThat(new RedisServerAddress(new Details(null), "redis://redis.example").ssl()).isNull();
	}

	@Test
	void schemeOfTheUrlAsksForEncryption() {
		assertThat(new RedisServerAddress(new Details(null), "rediss://redis.example").ssl()).isNotNull();
	}

	@Test
	void bundleSaysHowToEncrypt() throws Exception {
		SslBundle bundle = SslBundle.of(SslStoreBundle.NONE, null,
				SslOptions.of(new String[] { "TLS_AES_128_GCM_SHA256" }, new String[] { "TLSv1.3" }));
		io.lettuce.core.SslOptions ssl = new RedisServerAddress(new Details(bundle), null).ssl();
		assertThat(ssl).isNotNull();
		SSLEngine engine = ssl.createSslContextBuilder().build().newEngine(ByteBufAllocator.DEFAULT);
		assertThat(engine.getEnabledCipherSuites()).containsExactly("TLS_AES_128_GCM_SHA256");
		assertThat(engine.getEnabledProtocols()).containsExactly("TLSv1.3");
	}

	/** What Boot, or a service connection, knows of the server. */
	private record Details(@Nullable SslBundle bundle) implements DataRedisConnectionDetails {

		@Override
		public String getUsername() {
			return "shop";
		}

		@Override
		public String getPassword() {
			return "secret";
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.bundle;
		}

		@Override
		public Standalone getStandalone() {
			return Standalone.of("redis.example", 6380, 3);
		}

	}

}
