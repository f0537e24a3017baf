package io.leasehold.autoconfigure;

import java.util.List;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/**
 * Application contexts with all auto-configurations that the library registers.
 */
public final class Leasehold {

	private Leasehold() {
	}

	public static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(autoConfigurations());
	}

	public static AutoConfigurations autoConfigurations() {
		List<Class<?>> registered = ImportCandidates.load(AutoConfiguration.class, null)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.leasehold."))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, null))
			.toList();
		return AutoConfigurations.of(registered.toArray(Class<?>[]::new));
	}

}
