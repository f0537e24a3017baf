package io.leasehold.test.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

/**
 * Wall clock of other processes, which differs from this one's and jumps on command.
 * Their monotonic clocks stay true. Needs libfaketime.
 */
public final class FakeClock implements AutoCloseable {

	private final Path file;

	/**
	 * Create a clock.
	 * @param ahead how far it is ahead of this process's, negative if it is behind
	 */
	public FakeClock(Duration ahead) {
		try {
			this.file = Files.createTempFile("clock", ".txt");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		set(ahead);
	}

	/**
	 * Set the clock.
	 * @param ahead how far it is ahead of this process's from now on
	 */
	public void set(Duration ahead) {
		try {
			Path next = Files.writeString(this.file.resolveSibling(this.file.getFileName() + ".next"),
					"%+d".formatted(ahead.toSeconds()));
			Files.move(next, this.file, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the environment variables that make a process use this clock.
	 * @return the variables
	 */
	public Map<String, String> environment() {
		return Map.of("LD_PRELOAD", library().toString(), "FAKETIME_TIMESTAMP_FILE", this.file.toString(),
				"FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");
	}

	private static Path library() {
		try (DirectoryStream<Path> platforms = Files.newDirectoryStream(Path.of("/usr/lib"), "*-linux-gnu")) {
			for (Path platform : platforms) {
				Path library = platform.resolve("faketime/libfaketimeMT.so.1");
				if (Files.exists(library)) {
					return library;
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new IllegalStateException("There is no libfaketime: install the package 'libfaketime'");
	}

	@Override
	public void close() {
		try {
			Files.delete(this.file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
