package io.leasehold.engine.jdbc;

import java.nio.file.Path;

/**
 * H2 databases in files that several processes share.
 */
final class H2Files {

	private H2Files() {
	}

	/** Without the last setting a killed process takes acknowledged commits with it. */
	static String url(Path folder) {
		return "jdbc:h2:file:%s;AUTO_SERVER=TRUE;WRITE_DELAY=0".formatted(folder.resolve("locks"));
	}

}
