package io.leasehold.endpoint;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Log of forced releases: a warning, and an audit event for applications that record
 * them.
 */
final class ForcedReleaseLog {

	static final String TYPE = "LOCK_FORCED_RELEASE";

	private static final Log logger = LogFactory.getLog(ForcedReleaseLog.class);

	private final ApplicationEventPublisher events;

	ForcedReleaseLog(ApplicationEventPublisher events) {
		this.events = events;
	}

	void released(String engine, String key, List<LockDescriptor.Holder> holders, @Nullable Principal principal) {
		String detail = holders.stream().map(LockDescriptor.Holder::toString).collect(Collectors.joining("; "));
		note(engine, key, holders.isEmpty() ? "free" : "released", holders.isEmpty() ? null : detail, principal);
	}

	void failed(String engine, String key, LockEngineException failure, @Nullable Principal principal) {
		note(engine, key, "unknown", failure.getMessage(), principal);
	}

	private void note(String engine, String key, String outcome, @Nullable String detail,
			@Nullable Principal principal) {
		String name = (principal != null) ? principal.getName() : "unknown";
		logger.warn("Release of lock '%s' was forced by '%s': %s%s (engine: %s)".formatted(LockKey.readable(key),
				LockKey.readable(name), outcome, (detail != null) ? ", " + detail : "", engine));
		Map<String, Object> data = new LinkedHashMap<>();
		data.put("engine", engine);
		data.put("key", key);
		data.put("outcome", outcome);
		if (detail != null) {
			data.put("detail", detail);
		}
		this.events.publishEvent(new AuditApplicationEvent(name, TYPE, data));
	}

}
