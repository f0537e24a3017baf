package io.leasehold.engine.jdbc;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The engine on an H2 file that several processes share.
 */
@Tag("full")
class H2FileJdbcLockEngineTests extends JdbcLockTurnsTests {

	@TempDir
	private Path folder;

	@Override
	String url() {
		return H2Files.url(this.folder);
	}

	@Override
	String platform() {
		return "h2";
	}

}
