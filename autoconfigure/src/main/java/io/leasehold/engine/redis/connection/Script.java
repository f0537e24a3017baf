package io.leasehold.engine.redis.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Lua script that the server executes atomically, and knows by its digest.
 *
 * @param <T> type of the response
 * @param text the Lua text
 * @param digest SHA-1 digest by which the server identifies the script
 */
public record Script<T>(String text, String digest) {

	/**
	 * Load a script.
	 * @param neighbour class next to which the files lie
	 * @param files names of the Lua files, in their order
	 */
	public static <T> Script<T> load(Class<?> neighbour, String... files) {
		StringBuilder text = new StringBuilder();
		for (String file : files) {
			text.append(read(neighbour, file));
		}
		return new Script<>(text.toString(), digest(text.toString()));
	}

	private static String digest(String text) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(Class<?> neighbour, String file) {
		try (InputStream in = neighbour.getResourceAsStream(file)) {
			if (in == null) {
				throw new IllegalStateException("Script %s not found next to %s".formatted(file, neighbour));
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
