package io.leasehold.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1 that signs itself, made by the JDK's own tool.
 *
 * @param certificate file in PEM format
 * @param key file with its private key in PEM format
 */
public record TestCertificate(Path certificate, Path key) {

	private static final String PASSWORD = "changeit";

	/** Make a certificate in a folder. */
	public static TestCertificate create(Path folder, String name) {
		try {
			Path store = folder.resolve(name + ".p12");
			Path certificate = folder.resolve(name + ".pem");
			Path key = folder.resolve(name + ".key");
			keytool(store, "-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name, "-ext",
					"san=ip:127.0.0.1", "-validity", "2");
			keytool(store, "-exportcert", "-rfc", "-file", certificate.toString());
			Files.writeString(key, "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
				.formatted(Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(privateKey(store))));
			return new TestCertificate(certificate, key);
		}
		catch (IOException | InterruptedException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void keytool(Path store, String command, String... more) throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder(
				Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), command, "-alias", "test",
				"-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD)
			.redirectErrorStream(true);
		builder.command().addAll(List.of(more));
		Process process = builder.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IllegalStateException(output);
		}
	}

	private static byte[] privateKey(Path store) throws IOException, GeneralSecurityException {
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, PASSWORD.toCharArray());
		}
		Key key = keys.getKey("test", PASSWORD.toCharArray());
		return key.getEncoded();
	}

}
