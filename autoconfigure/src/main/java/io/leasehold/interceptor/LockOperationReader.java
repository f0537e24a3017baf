package io.leasehold.interceptor;

import java.util.function.Predicate;
import java.util.function.Supplier;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.key.InvalidKeyExpressionException;
import io.leasehold.key.KeyExpression;
import io.leasehold.key.KeyParser;
import io.leasehold.key.KeyPlaceholders;
import io.leasehold.key.LockCondition;
import io.leasehold.key.MethodName;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Reader that converts an annotation to an operation, or rejects an invalid annotation.
 */
record LockOperationReader(LockOptionsReader options, KeyParser keys, TransactionGuards guards,
		UnavailablePolicy whenUnavailable, Supplier<@Nullable Leaderships> leaderships) {

	LockOperation read(LockAnnotation annotation) {
		DistributedLock values = annotation.values();
		MethodChecks.check(annotation);
		Candidate candidate = (annotation.role() != null) ? candidate(annotation, annotation.role()) : null;
		KeyExpression key = readKey(annotation, candidate);
		LockOptions options = (candidate != null)
				? candidate.options().toBuilder().name(LockOptionsReader.name(annotation)).build()
				: this.options.read(annotation);
		Fallback fallback = values.fallback().isEmpty() ? null : Fallback.find(annotation, values.fallback());
		WhenBusy whenBusy = checkSkip(annotation);
		Predicate<LockException> bypassed = (reason) -> fallback == null
				&& isBypassed(reason, whenBusy, values.fenced());
		boolean reactive = MethodChecks.endsLater(annotation) && !MethodChecks.isStage(annotation);
		ResultKind result = resultOf(annotation);
		return new LockOperation(options, key, readCondition(annotation), fallback, bypassed,
				SkippedResult.of(annotation), result, Contents.check(annotation),
				reactive ? null : fencing(annotation, options, this.guards.fencing(), "DataSource"),
				reactive ? fencing(annotation, options, this.guards.reactiveFencing(), "ConnectionFactory") : null,
				(reactive || result == DirectResult.ANY) ? this.guards.reactive().get() : null, candidate);
	}

	private Candidate candidate(LockAnnotation annotation, String text) {
		if (MethodChecks.endsLater(annotation)) {
			throw annotation.invalid("is for a leader, but its result ends later: its cancellation would end the term",
					"Return the plain result, or use Leadership.tryEnter().");
		}
		String role = this.options.resolve(annotation, "role", text);
		Leaderships roles = this.leaderships.get();
		if (roles == null) {
			throw annotation.invalid("is for the leader in role '%s', but there are no roles".formatted(role),
					"Set leasehold.leadership.roles.");
		}
		try {
			return roles.candidate(role);
		}
		catch (IllegalArgumentException ex) {
			throw annotation.invalid("is for the leader in an unknown role: %s".formatted(ex.getMessage()),
					"Use one of those, or add the role.", ex);
		}
	}

	private boolean isBypassed(LockException reason, WhenBusy whenBusy, boolean fenced) {
		if (reason instanceof LockBusyException) {
			return whenBusy == WhenBusy.SKIP;
		}
		return reason instanceof LockEngineException failure && !fenced && this.whenUnavailable.letsPass(failure);
	}

	private static ResultKind resultOf(LockAnnotation annotation) {
		return annotation.isOf(LockScope.TRANSACTION)
				? new TransactionResult(MethodName.of(annotation.type(), annotation.method()))
				: MethodChecks.resultOf(annotation);
	}

	private <G> @Nullable G fencing(LockAnnotation annotation, LockOptions options, Supplier<@Nullable G> guards,
			String database) {
		if (!annotation.values().fenced()) {
			return null;
		}
		if (MethodChecks.isStage(annotation)) {
			throw annotation.invalid("is fenced, but its result ends later, possibly in another thread",
					"Fence a method that returns its plain result or a publisher, and call that method.");
		}
		String reason = this.options.unfenceable(options);
		if (reason != null) {
			throw annotation.invalid("is fenced, but " + reason,
					"Use an exclusive lock on an engine whose tokens always grow, such as 'jdbc', or omit fenced.");
		}
		G guard = guards.get();
		if (guard == null) {
			throw annotation.invalid("is fenced, but there is no database whose transactions could be guarded",
					"Add a %s and a transaction manager for it, or your own fencing guard.".formatted(database));
		}
		return guard;
	}

	private KeyExpression readKey(LockAnnotation annotation, @Nullable Candidate candidate) {
		String key = (candidate != null) ? "'%s'".formatted(candidate.key().value().replace("'", "''"))
				: keyText(annotation);
		try {
			return this.keys.parse(key, annotation.declared(), annotation.method(), annotation.type());
		}
		catch (InvalidKeyExpressionException ex) {
			throw invalid(annotation, ex);
		}
	}

	/**
	 * Return the key expression with the values of its placeholders, of which none is
	 * blank.
	 */
	private String keyText(LockAnnotation annotation) {
		String key = annotation.values().key();
		return KeyPlaceholders.replace(key, (placeholder) -> {
			String value = this.options.resolve(annotation, "key", placeholder);
			if (value.isEmpty()) {
				throw annotation.invalid("has key \"%s\", whose placeholder %s is blank".formatted(key, placeholder),
						"Set the property, so that unrelated applications do not share their keys.");
			}
			return value;
		});
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
			throw invalid(annotation, ex);
		}
	}

	private static InvalidLockAnnotationException invalid(LockAnnotation annotation, InvalidKeyExpressionException ex) {
		String action = (ex.isMissingParameter() && !annotation.onMethod())
				? "The annotation applies to all public methods of its class or interface: put it only on those methods that have this parameter."
				: ex.getAction();
		return annotation.invalid(ex.getProblem(), action, ex);
	}

	private static WhenBusy checkSkip(LockAnnotation annotation) {
		boolean leaderOnly = annotation.role() != null && annotation.values().fallback().isEmpty();
		WhenBusy whenBusy = leaderOnly ? WhenBusy.SKIP : annotation.values().whenBusy();
		if (whenBusy == WhenBusy.SKIP && !MethodChecks.isFollowed(annotation) && !SkippedResult.existsFor(annotation)) {
			String problem = leaderOnly
					? "is skipped on other instances than the leader, but returns %s, which has no value for that"
					: "has whenBusy SKIP, but returns %s, which has no value for a skipped call";
			throw annotation.invalid(problem.formatted(annotation.returnType().getSimpleName()),
					"Return a wrapper or another type that can be null, or an Optional, or configure a fallback instead.");
		}
		if (whenBusy == WhenBusy.SKIP && !annotation.values().fallback().isEmpty()) {
			throw annotation.invalid("has both whenBusy SKIP and a fallback", "Keep one of them.");
		}
		return whenBusy;
	}

}
