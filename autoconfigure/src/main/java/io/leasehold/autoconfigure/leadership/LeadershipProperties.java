package io.leasehold.autoconfigure.leadership;

import java.time.Duration;
import java.util.Set;

import io.leasehold.LockKeyException;
import io.leasehold.LockOptions;
import io.leasehold.leadership.Candidate;
import io.leasehold.service.LockService;
import io.leasehold.service.UnsupportedForm;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of leadership.
 *
 * @param roles Roles for which each instance of the application is a candidate. Of each
 * role there is a bean of type Leadership, with the role as its qualifier.
 * @param engine Name of the engine that elects the leaders. When not set, the default
 * engine.
 * @param lease How long a role outlives a leader that has died. When not set,
 * 'leasehold.lease'.
 * @param bestEffort Whether an engine may elect the leaders that can have two owners of a
 * lock, and thus two leaders.
 */
@ConfigurationProperties("leasehold.leadership")
public record LeadershipProperties(@DefaultValue Set<String> roles, @Nullable String engine, @Nullable Duration lease,
		boolean bestEffort) {

	public LeadershipProperties {
		if (roles.stream().anyMatch(String::isBlank)) {
			throw invalid("roles", roles, "The name of a role is blank.");
		}
		try {
			roles.forEach(Candidate::keyOf);
		}
		catch (LockKeyException ex) {
			throw invalid("roles", roles, ex.getMessage());
		}
	}

	/**
	 * Return how the locks of the roles are acquired.
	 * @throws InvalidConfigurationPropertyValueException if they cannot be
	 */
	LockOptions toOptions(LockService locks) {
		LockOptions.Builder builder = locks.defaults().toBuilder().name("leasehold.leadership").linger(Duration.ZERO);
		if (this.engine != null) {
			builder.engine(this.engine);
		}
		if (this.lease != null) {
			setLease(builder, this.lease);
		}
		LockOptions options = builder.build();
		try {
			check(options, locks);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("engine", options.engine(), ex.getMessage());
		}
		return options;
	}

	private static void setLease(LockOptions.Builder builder, Duration lease) {
		try {
			builder.lease(lease).build();
		}
		catch (IllegalArgumentException ex) {
			throw invalid("lease", lease, ex.getMessage());
		}
	}

	private void check(LockOptions options, LockService locks) {
		Duration minLease = locks.inspector().minLease(options.engine());
		if (options.lease().compareTo(minLease) < 0) {
			throw invalid("lease", options.lease(), "Engine '%s' cannot renew a lease shorter than %s ms in time."
				.formatted(options.engine(), minLease.toMillis()));
		}
		UnsupportedForm lacking = locks.unsupported(options);
		if (lacking != null) {
			throw invalid("engine", options.engine(), "Leadership requires %s.".formatted(lacking));
		}
		String weakness = this.bestEffort ? null : locks.unfenceable(options);
		if (weakness != null) {
			throw invalid("engine", options.engine(),
					"There could be two leaders: %s. Use an engine whose tokens always grow, or set leasehold.leadership.best-effort: true."
						.formatted(weakness));
		}
	}

	private static InvalidConfigurationPropertyValueException invalid(String property, Object value,
			@Nullable String reason) {
		return new InvalidConfigurationPropertyValueException("leasehold.leadership." + property, value, reason);
	}

}
