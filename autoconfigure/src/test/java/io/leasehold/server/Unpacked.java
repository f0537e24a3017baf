package io.leasehold.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A server, or the data that it begins with, which is unpacked once for each user of this
 * machine: what one unpacked is not another's to run. One JVM unpacks after the other,
 * since what one runs while another still writes it is a busy file.
 */
final class Unpacked {

	private Unpacked() {
	}

	/**
	 * Unpack a server, unless that is done.
	 * @param name name of the server
	 * @param version its version
	 * @param unpacking unpacks it into a folder
	 * @return the folder with the server
	 */
	static Path folder(String name, String version, Unpacking unpacking) throws IOException {
		Path home = Path.of(System.getProperty("java.io.tmpdir"),
				"leasehold-%s-%s".formatted(name, System.getProperty("user.name")));
		Files.createDirectories(home);
		try (FileChannel turn = FileChannel.open(home.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE)) {
			turn.lock();
			Path server = home.resolve(version);
			if (!Files.exists(server)) {
				Path folder = Files.createTempDirectory(home, "unpacking");
				unpacking.into(folder);
				Files.move(folder, server, StandardCopyOption.ATOMIC_MOVE);
			}
			return server;
		}
	}

	/** How a server is unpacked. */
	interface Unpacking {

		void into(Path folder) throws IOException;

	}

}
