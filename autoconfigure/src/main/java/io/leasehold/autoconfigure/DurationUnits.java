package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Check that rejects durations of {@code leasehold.*} that are numbers without a unit.
 * Spring Boot would read them as milliseconds. Zero needs no unit.
 */
class DurationUnits implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("leasehold");

	private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?0*[1-9]\\d*\\s*");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
					BindContext context) {
				if (PREFIX.isAncestorOf(name) && target.getType().resolve() == Duration.class) {
					context.getBinder().bind(name, Bindable.of(String.class)).ifBound((value) -> check(name, value));
				}
				return super.onStart(name, target, context);
			}

		};
	}

	private static void check(ConfigurationPropertyName name, String value) {
		if (NUMBER.matcher(value).matches()) {
			throw new LockEngineConfigurationException("%s is '%s', a number without a unit.".formatted(name, value),
					"Write a duration such as 30s, 500ms or PT1M.");
		}
	}

}
