package io.leasehold.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Lets one JVM of this machine after the other unpack a server: what one runs while
 * another still writes it is a busy file.
 */
final class Turn {

	private Turn() {
	}

	/**
	 * Do something while no other JVM does.
	 * @param folder which all of them unpack into
	 */
	static <T> T take(Path folder, Unpacking<T> unpacking) throws IOException {
		Files.createDirectories(folder);
		try (FileChannel turn = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE)) {
			turn.lock();
			return unpacking.run();
		}
	}

	/**
	 * What a turn is for.
	 *
	 * @param <T> what comes out
	 */
	interface Unpacking<T> {

		T run() throws IOException;

	}

}
