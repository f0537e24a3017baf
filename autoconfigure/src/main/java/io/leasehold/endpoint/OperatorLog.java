package io.leasehold.endpoint;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Log of what operators do to locks: a warning, and an audit event for applications that
 * record them.
 */
record OperatorLog(ApplicationEventPublisher events) {

	private static final Log logger = LogFactory.getLog(OperatorLog.class);

	/** Return the name of an operator. */
	static String name(@Nullable Principal principal) {
		return (principal != null) ? principal.getName() : "unknown";
	}

	/**
	 * Log an action of an operator.
	 * @param outcome what the action changed, {@code held} if it was refused, or
	 * {@code unknown} without a response of the store
	 * @param detail the holders that it concerned, or the failure, or {@code null}
	 */
	void done(Action action, String engine, String key, String outcome, @Nullable String detail,
			@Nullable Principal principal) {
		String name = name(principal);
		logger.warn("%s '%s': %s%s (engine: %s)".formatted(action.text.formatted(LockKey.readable(key)),
				LockKey.readable(name), outcome, (detail != null) ? ", " + detail : "", engine));
		Map<String, Object> data = new LinkedHashMap<>();
		data.put("engine", engine);
		data.put("key", key);
		data.put("outcome", outcome);
		if (detail != null) {
			data.put("detail", detail);
		}
		this.events.publishEvent(new AuditApplicationEvent(name, "LOCK_" + action.name(), data));
	}

	/** Describe holders; {@code null} if there is none. */
	static @Nullable String describe(List<LockHolder> holders) {
		return holders.isEmpty() ? null
				: holders.stream()
					.map(LockDescriptor.Holder::of)
					.map(LockDescriptor.Holder::toString)
					.collect(Collectors.joining("; "));
	}

	/** Actions of operators, also the types of audit events. */
	enum Action {

		FORCED_RELEASE("Release of lock '%s' was forced by"),

		PAUSE("Pause of lock '%s' was requested by"),

		OPEN("Opening of lock '%s' was requested by");

		private final String text;

		Action(String text) {
			this.text = text;
		}

	}

}
