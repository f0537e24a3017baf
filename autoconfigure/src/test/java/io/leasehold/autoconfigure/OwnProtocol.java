package io.leasehold.autoconfigure;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ClassPathResource;

/**
 * Protocol that an application registers for its resources.
 */
public final class OwnProtocol {

	public static final String PREFIX = "own:";

	private OwnProtocol() {
	}

	public static void register(ConfigurableApplicationContext context) {
		context.addProtocolResolver((location, loader) -> location.startsWith(PREFIX)
				? new ClassPathResource(location.substring(PREFIX.length())) : null);
	}

}
