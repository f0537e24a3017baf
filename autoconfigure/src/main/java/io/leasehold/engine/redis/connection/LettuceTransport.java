package io.leasehold.engine.redis.connection;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * How connections of Lettuce reach a server whose address and login are known.
 *
 * @param ssl whether connections are encrypted
 * @param startTls whether encryption starts after a plain handshake
 * @param verification how the server's certificate is verified
 * @param options TLS, socket and protocol options; the engine replaces the others
 * @param resources address resolution and customization of Netty; {@code null} for the
 * defaults. Threads are not shared
 * @param clientName name of the connections on the server, or {@code null}
 */
public record LettuceTransport(boolean ssl, boolean startTls, SslVerifyMode verification, ClientOptions options,
		@Nullable ClientResources resources, @Nullable String clientName) {

	/** Unencrypted connections without a name. */
	public static final LettuceTransport PLAIN = of(null, null);

	/**
	 * Return connections that verify the server's certificate.
	 * @param ssl TLS settings, or {@code null} for unencrypted connections
	 * @param clientName name of the connections on the server, or {@code null}
	 */
	public static LettuceTransport of(@Nullable SslBundle ssl, @Nullable String clientName) {
		ClientOptions.Builder options = ClientOptions.builder();
		if (ssl != null) {
			options.sslOptions(options(ssl));
		}
		return new LettuceTransport(ssl != null, false, SslVerifyMode.FULL, options.build(), null, clientName);
	}

	private static SslOptions options(SslBundle ssl) {
		SslOptions.Builder options = SslOptions.builder()
			.keyManager(ssl.getManagers().getKeyManagerFactory())
			.trustManager(ssl.getManagers().getTrustManagerFactory());
		if (ssl.getOptions().getCiphers() != null) {
			options.cipherSuites(ssl.getOptions().getCiphers());
		}
		if (ssl.getOptions().getEnabledProtocols() != null) {
			options.protocols(ssl.getOptions().getEnabledProtocols());
		}
		return options.build();
	}

}
