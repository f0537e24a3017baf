package io.leasehold.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Files of the library that a native image contains: scripts, schemas and descriptions.
 */
class ResourceHints implements RuntimeHintsRegistrar {

	private static final List<String> PATTERNS = List.of(KnownEngine.LOCATION, "io/leasehold/engine/redis/*.lua",
			"io/leasehold/engine/redlock/*.lua", "io/leasehold/engine/jdbc/migration/**",
			"io/leasehold/transaction/migration/**");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		PATTERNS.forEach(hints.resources()::registerPattern);
	}

}
