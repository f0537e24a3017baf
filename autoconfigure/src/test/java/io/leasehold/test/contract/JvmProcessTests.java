package io.leasehold.test.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JvmProcess}.
 */
class JvmProcessTests {

	/** More than a pipe holds, as the log of a process that runs for minutes is. */
	private static final int LINES = 10_000;

	@TempDir
	Path folder;

	@Test
	void processThatLogsMuchGoesOnWhileNobodyExpectsAResponse() {
		Path file = this.folder.resolve("file");
		try (JvmProcess other = JvmProcess.start(Other.class, List.of(file.toString()))) {
			Awaitility.await().until(() -> Files.exists(file));
			assertThat(other.expect("response")).isEqualTo("of other");
			assertThatIllegalStateException().isThrownBy(() -> other.expect("response"))
				.withMessageStartingWith("The other process ended (status 1) before it printed 'response'")
				.withMessageContaining("java.nio.file.FileAlreadyExistsException");
			assertThatIllegalStateException().isThrownBy(() -> other.expect("response"));
		}
	}

	static final class Other {

		/**
		 * The other process.
		 * @param args a file to create
		 */
		public static void main(String[] args) throws IOException {
			for (int i = 0; i < LINES; i++) {
				System.out.println("A line of a log");
			}
			Files.createFile(Path.of(args[0]));
			System.out.println("response of other");
			Files.createFile(Path.of(args[0])); // fails
		}

	}

}
