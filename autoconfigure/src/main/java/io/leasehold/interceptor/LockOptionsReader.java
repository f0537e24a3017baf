package io.leasehold.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.leasehold.LockOptions;
import io.leasehold.LockScope;
import io.leasehold.LockTerms;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.key.MethodName;
import io.leasehold.service.LockService;
import io.leasehold.service.UnsupportedForm;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reader and validator of the attributes that control how a lock is acquired and held.
 */
record LockOptionsReader(Supplier<LockService> service, StringValueResolver values) {

	private static final Log logger = LogFactory.getLog(LockOptionsReader.class);

	private static final String DURATION = "Write a duration such as \"30s\", \"500ms\" or \"PT1M\".";

	/** A number without a unit. Zero is excepted, because it is the same in all units. */
	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private static final List<String> ONLY_OF_LEASES = List.of("lease", "permits", "minHold", "maxHold", "lockDelay",
			"linger", "fenced");

	LockOptions read(LockAnnotation annotation) {
		LockOptions options = build(annotation, attributes(annotation, this.service.get().defaults()));
		Duration minLease = minLease(annotation, options);
		if (annotation.isOf(LockScope.TRANSACTION)) {
			checkTransactionScope(annotation, this.service.get().inTransactions(options.engine()).unsupported(options));
		}
		else {
			checkEngine(annotation, options, minLease);
		}
		return options;
	}

	private LockOptions.Builder attributes(LockAnnotation annotation, LockOptions defaults) {
		DistributedLock values = annotation.values();
		return defaults.toBuilder()
			.name(name(annotation))
			.engine(resolve(annotation, "engine", values.engine()))
			.mode(values.mode())
			.permits(permits(annotation))
			.lease(duration(annotation, "lease", values.lease(), defaults.lease()))
			.waitTime(duration(annotation, "waitTime", values.waitTime(), defaults.waitTime()))
			.minHold(duration(annotation, "minHold", values.minHold(), defaults.minHold()))
			.maxHold(duration(annotation, "maxHold", values.maxHold(), defaults.maxHold()))
			.lockDelay(duration(annotation, "lockDelay", values.lockDelay(), defaults.lockDelay()))
			.linger(duration(annotation, "linger", values.linger(), defaults.linger()));
	}

	private static LockOptions build(LockAnnotation annotation, LockOptions.Builder attributes) {
		try {
			return attributes.build();
		}
		catch (IllegalArgumentException ex) {
			throw annotation.invalid("has attributes that are out of range or incompatible: " + ex.getMessage(),
					"Correct them here, or in the properties leasehold.* that define what the annotation omits.", ex);
		}
	}

	static String name(LockAnnotation annotation) {
		String name = annotation.values().name();
		if (name.contains("${") || name.contains("#{")) {
			throw annotation.invalid("has name \"%s\", but names are never resolved".formatted(name),
					"Write a fixed name, or omit it to use that of the method.");
		}
		return StringUtils.hasText(name) ? name : annotation.defaultName();
	}

	@Nullable String unfenceable(LockOptions options) {
		return this.service.get().unfenceable(options);
	}

	private Duration minLease(LockAnnotation annotation, LockOptions options) {
		try {
			return this.service.get().inspector().minLease(options.engine());
		}
		catch (IllegalArgumentException ex) {
			throw annotation.invalid(
					"has engine \"%s\", which is not configured: %s".formatted(options.engine(), ex.getMessage()),
					"Use one of those, or omit it to use the default engine. To add another engine of Leasehold, set"
							+ " leasehold.<name>.enabled: true and add its client library.",
					ex);
		}
	}

	/** Check an annotation whose locks end with the caller's transaction. */
	private static void checkTransactionScope(LockAnnotation annotation, @Nullable String problem) {
		ONLY_OF_LEASES.stream()
			.filter(MergedAnnotation.from(annotation.values())::hasNonDefaultValue)
			.findFirst()
			.ifPresent((attribute) -> {
				throw annotation.invalid(
						"has scope TRANSACTION and %s, which only a lease can have".formatted(attribute),
						"Remove the attribute, or use scope METHOD.");
			});
		if (MethodChecks.endsLater(annotation)) {
			throw annotation.invalid("has scope TRANSACTION, but its result may end after the transaction",
					"Return the plain result, or use scope METHOD.");
		}
		if (problem != null) {
			throw annotation.invalid("has scope TRANSACTION, which its engine does not support: " + problem,
					"Use engine jdbc with the application's own database, or scope METHOD.");
		}
	}

	private void checkEngine(LockAnnotation annotation, LockOptions options, Duration minLease) {
		if (options.lease().compareTo(minLease) < 0) {
			throw annotation.invalid(
					"has lease %s, which its engine could not renew in time".formatted(options.lease()),
					"Use at least %sms, or shorten the command or call timeout of the engine, which sets this limit."
						.formatted(minLease.toMillis()));
		}
		if (options.maxHold().compareTo(minLease) < 0) {
			logger.warn(("%s has maxHold %s, which is shorter than the shortest lease of its engine: the lock is "
					+ "released after maxHold, but after a crash the key stays locked for up to %s ms")
				.formatted(MethodName.of(annotation.type(), annotation.method()), options.maxHold(),
						minLease.toMillis()));
		}
		Duration session = this.service.get().inspector().sessionTimeout(options.engine(), options.lease());
		if (!session.isZero()) {
			logger
				.info(("%s has lease %s, but if its process dies, the key stays locked for the session timeout of its "
						+ "engine, %s")
					.formatted(MethodName.of(annotation.type(), annotation.method()), options.lease(), session));
		}
		UnsupportedForm lacking = this.service.get().unsupported(options);
		if (lacking != null) {
			throw annotation.invalid("requires " + lacking.problem(),
					"%s, or %s.".formatted(lacking.remedy(), otherEngine(options)));
		}
	}

	private String otherEngine(LockOptions options) {
		LockService locks = this.service.get();
		List<String> supporting = locks.inspector()
			.engines()
			.stream()
			.filter((engine) -> locks.unsupported(options.toBuilder().engine(engine).build()) == null)
			.toList();
		return supporting.isEmpty() ? "configure another engine: docs/engines/README.md compares them"
				: "set engine to '%s'".formatted(String.join("' or '", supporting));
	}

	private int permits(LockAnnotation annotation) {
		String value = resolve(annotation, "permits", annotation.values().permits());
		if (value.isEmpty()) {
			return 0;
		}
		try {
			int permits = Integer.parseInt(value);
			if (permits > 0) {
				return permits;
			}
		}
		catch (NumberFormatException ex) {
			// rejected below, as is zero
		}
		throw annotation.invalid("has permits \"%s\", which is not a number of owners".formatted(value),
				"Write a whole number of at least 1 and at most %s.".formatted(LockTerms.MAX_PERMITS));
	}

	private Duration duration(LockAnnotation annotation, String attribute, String text, Duration absent) {
		String value = resolve(annotation, attribute, text);
		if (value.isEmpty()) {
			return absent;
		}
		Duration duration = parse(annotation, attribute, value);
		boolean zeroAllowed = !attribute.equals("lease") && !attribute.equals("maxHold");
		if (duration.isNegative() || duration.isZero() && !zeroAllowed) {
			throw annotation.invalid(
					"has %s \"%s\", which is %s".formatted(attribute, value, duration.isZero() ? "zero" : "negative"),
					DURATION);
		}
		return duration;
	}

	private Duration parse(LockAnnotation annotation, String attribute, String value) {
		if (NUMBER.matcher(value).matches()) {
			throw annotation.invalid("has %s \"%s\", a number without a unit".formatted(attribute, value), DURATION);
		}
		try {
			return DurationFormatterUtils.detectAndParse(value);
		}
		catch (RuntimeException ex) {
			throw annotation.invalid("has %s \"%s\", which is not a duration".formatted(attribute, value), DURATION,
					ex);
		}
	}

	/** Return a text with the values of its placeholders, without blanks around it. */
	String resolve(LockAnnotation annotation, String attribute, String text) {
		try {
			String value = this.values.resolveStringValue(text);
			return (value != null) ? value.strip() : "";
		}
		catch (RuntimeException ex) {
			throw annotation.invalid(
					"has %s \"%s\", which cannot be resolved: %s".formatted(attribute, text, ex.getMessage()),
					"Set the property, or add a default, as in \"${my.property:value}\". A parameter of the method is written as #id.",
					ex);
		}
	}

}
