package io.leasehold.sample;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.leasehold.sample.shop.Instance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Instance}.
 */
class InstanceTests {

	private static final String FOLDER = "user.dir";

	private final String folder = System.getProperty(FOLDER);

	@AfterEach
	void leaveFolder() {
		System.setProperty(FOLDER, this.folder);
	}

	/** A shell runs the command, up to the start of the other instance. */
	@Test
	void commandForAnotherLeadsToTheSameFolderWhateverItsName(@TempDir Path root) throws Exception {
		Path shop = Files.createDirectory(root.resolve("Ann's new shop"));
		System.setProperty(FOLDER, shop.toString());
		String command = new Instance("8080").commandForAnother(8081);
		assertThat(command).contains(" && java ").endsWith(" --server.port=8081");
		Process shell = new ProcessBuilder("sh", "-c", command.replaceFirst(" && java .*", " && pwd")).start();
		assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
			.endsWith("Ann's new shop");
	}

}
