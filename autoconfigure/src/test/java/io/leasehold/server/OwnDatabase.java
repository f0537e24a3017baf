package io.leasehold.server;

import org.springframework.util.Assert;

/**
 * A database that was started before the tests. The contracts on it run only if they are
 * named.
 */
public final class OwnDatabase {

	private static final String URL = "leasehold.contract.jdbc.url";

	private OwnDatabase() {
	}

	/** URL of the database with user and password, from a system property. */
	public static String url() {
		String url = System.getProperty(URL);
		Assert.state(url != null,
				() -> "Set the system property %s to the URL of the database, with user and password".formatted(URL));
		return url;
	}

}
