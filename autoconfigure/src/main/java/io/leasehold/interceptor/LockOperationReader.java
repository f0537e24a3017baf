package io.leasehold.interceptor;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leasehold.FencingGuard;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.key.InvalidKeyExpressionException;
import io.leasehold.key.KeyExpression;
import io.leasehold.key.KeyParser;
import io.leasehold.key.LockCondition;
import io.leasehold.service.LockService;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Makes an operation of an annotation, or says what is wrong with it.
 */
final class LockOperationReader {

	private static final String DURATION = "Write a duration such as \"30s\", \"500ms\" or \"PT1M\".";

	private final Supplier<LockService> service;

	private final Function<String, Duration> minLeases;

	private final KeyParser keys;

	private final StringValueResolver values;

	private final Supplier<@Nullable FencingGuard> fencing;

	LockOperationReader(Supplier<LockService> service, Function<String, Duration> minLeases, KeyParser keys,
			StringValueResolver values, Supplier<@Nullable FencingGuard> fencing) {
		this.service = service;
		this.minLeases = minLeases;
		this.keys = keys;
		this.values = values;
		this.fencing = fencing;
	}

	LockOperation read(LockAnnotation annotation) {
		DistributedLock values = annotation.values();
		MethodChecks.check(annotation);
		KeyExpression key = readKey(annotation);
		LockOptions options = readOptions(annotation);
		Fallback fallback = values.fallback().isEmpty() ? null : Fallback.find(annotation, values.fallback());
		return new LockOperation(options, key, readCondition(annotation), checkSkip(annotation), fallback,
				MethodChecks.resultOf(annotation), values.fenced() ? fencingGuard(annotation) : null);
	}

	private FencingGuard fencingGuard(LockAnnotation annotation) {
		if (MethodChecks.resultOf(annotation) != PlainResult.INSTANCE) {
			throw annotation.invalid("is fenced, but its result ends later, in whatever thread",
					"Fence a method that returns its plain result, and call that.");
		}
		FencingGuard guard = this.fencing.get();
		if (guard == null) {
			throw annotation.invalid("is fenced, but there is no database whose transactions could be guarded",
					"Add a DataSource and a transaction manager for it, or a FencingGuard bean of your own.");
		}
		return guard;
	}

	private KeyExpression readKey(LockAnnotation annotation) {
		try {
			return this.keys.parse(annotation.values().key(), annotation.declared(), annotation.method(),
					annotation.type());
		}
		catch (InvalidKeyExpressionException ex) {
			throw annotation.invalid(ex.getProblem(), ex.getAction(), ex);
		}
	}

	private @Nullable LockCondition readCondition(LockAnnotation annotation) {
		String text = annotation.values().condition();
		if (!StringUtils.hasText(text)) {
			return null;
		}
		try {
			return this.keys.parseCondition(text, annotation.declared(), annotation.method(), annotation.type());
		}
		catch (InvalidKeyExpressionException ex) {
			throw annotation.invalid(ex.getProblem(), ex.getAction(), ex);
		}
	}

	private LockOptions readOptions(LockAnnotation annotation) {
		DistributedLock values = annotation.values();
		LockOptions defaults = this.service.get().defaults();
		Duration lease = duration(annotation, "lease", values.lease(), defaults.lease());
		Duration waitTime = duration(annotation, "waitTime", values.waitTime(), defaults.waitTime());
		Duration minHold = duration(annotation, "minHold", values.minHold(), defaults.minHold());
		Duration maxHold = duration(annotation, "maxHold", values.maxHold(), defaults.maxHold());
		String name = StringUtils.hasText(values.name()) ? values.name()
				: Names.of(annotation.type(), annotation.method());
		LockOptions options;
		try {
			options = new LockOptions(name, resolve(annotation, "engine", values.engine()), lease, waitTime, minHold,
					maxHold);
		}
		catch (IllegalArgumentException ex) {
			throw annotation.invalid("has a duration out of range: " + ex.getMessage(),
					"Change that attribute of the annotation.", ex);
		}
		checkEngine(annotation, options);
		return options;
	}

	private void checkEngine(LockAnnotation annotation, LockOptions options) {
		Duration minLease;
		try {
			minLease = this.minLeases.apply(options.engine());
		}
		catch (IllegalArgumentException ex) {
			throw annotation.invalid(
					"has engine \"%s\", which is not configured: %s".formatted(options.engine(), ex.getMessage()),
					"Use one of those, or none for the default engine. An engine of Leasehold's own is set up beside it"
							+ " by leasehold.<name>.enabled: true and its client library.",
					ex);
		}
		if (options.lease().compareTo(minLease) < 0) {
			throw annotation.invalid(
					"has lease %s, which its engine could not renew in time".formatted(options.lease()),
					"Use at least %dms.".formatted(minLease.toMillis()));
		}
	}

	private Duration duration(LockAnnotation annotation, String attribute, String text, Duration absent) {
		String value = resolve(annotation, attribute, text);
		if (value.isEmpty()) {
			return absent;
		}
		Duration duration = parse(annotation, attribute, value);
		boolean zeroAllowed = attribute.equals("waitTime") || attribute.equals("minHold");
		if (duration.isNegative() || duration.isZero() && !zeroAllowed) {
			throw annotation.invalid("has %s \"%s\", which is %s".formatted(attribute, value,
					duration.isZero() ? "no time at all" : "negative"), DURATION);
		}
		return duration;
	}

	private Duration parse(LockAnnotation annotation, String attribute, String value) {
		if (value.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			throw annotation.invalid("has %s \"%s\", a number without a unit".formatted(attribute, value), DURATION);
		}
		try {
			return DurationFormatterUtils.detectAndParse(value);
		}
		catch (RuntimeException ex) {
			throw annotation.invalid("has %s \"%s\", which is no duration".formatted(attribute, value), DURATION, ex);
		}
	}

	private String resolve(LockAnnotation annotation, String attribute, String text) {
		try {
			String value = this.values.resolveStringValue(text);
			return (value != null) ? value.strip() : "";
		}
		catch (RuntimeException ex) {
			throw annotation.invalid(
					"has %s \"%s\", which cannot be resolved: %s".formatted(attribute, text, ex.getMessage()),
					"Set the property, or give a default as in \"${my.lease:30s}\".", ex);
		}
	}

	private static WhenBusy checkSkip(LockAnnotation annotation) {
		WhenBusy whenBusy = annotation.values().whenBusy();
		if (whenBusy == WhenBusy.SKIP && !SkippedResult.existsFor(annotation.method())) {
			throw annotation.invalid(
					"has whenBusy SKIP, but returns %s, for which there is no value that means nothing"
						.formatted(annotation.method().getReturnType()),
					"Return a wrapper type or an Optional, or give a fallback instead.");
		}
		if (whenBusy == WhenBusy.SKIP && !annotation.values().fallback().isEmpty()) {
			throw annotation.invalid("has both whenBusy SKIP and a fallback", "Keep one of them.");
		}
		return whenBusy;
	}

}
