package io.leasehold.engine.support;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

/**
 * Keys from their names in a store, in which some characters are percent-encoded.
 */
public final class KeyNames {

	private KeyNames() {
	}

	/**
	 * Return the name of a key in a database, whose encoding may lack its characters: the
	 * {@linkplain LockKey#readable() readable} form, with percent codes of UTF-8 instead
	 * of characters outside ASCII.
	 */
	public static String ascii(LockKey key) {
		StringBuilder name = new StringBuilder();
		key.readable().codePoints().forEach((c) -> {
			if (c < 0x80) {
				name.append((char) c);
				return;
			}
			for (byte octet : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
				name.append("%%%02X".formatted(octet));
			}
		});
		return name.toString();
	}

	/**
	 * Return the key of a name.
	 * @param name the name
	 * @param charset character set of the percent codes
	 * @return the key, or {@code null} if no key has such a name
	 */
	public static @Nullable LockKey parse(String name, Charset charset) {
		try {
			return new LockKey(decode(name, charset));
		}
		catch (LockKeyException | NumberFormatException | IndexOutOfBoundsException ex) {
			return null; // not written by Leasehold
		}
	}

	private static String decode(String name, Charset charset) {
		StringBuilder text = new StringBuilder(name.length());
		ByteArrayOutputStream octets = new ByteArrayOutputStream();
		for (int i = 0; i < name.length(); i++) {
			if (name.charAt(i) == '%') {
				octets.write(Integer.parseInt(name, i + 1, i + 3, 16));
				i += 2;
			}
			else {
				text.append(octets.toString(charset)).append(name.charAt(i));
				octets.reset();
			}
		}
		return text.append(octets.toString(charset)).toString();
	}

}
