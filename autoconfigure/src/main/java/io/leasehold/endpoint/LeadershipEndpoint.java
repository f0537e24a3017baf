package io.leasehold.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.leasehold.LockEngineException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockOverview;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Endpoint that shows who leads, and lets this process step down if its access is
 * {@code unrestricted}.
 */
@Endpoint(id = "leadership", defaultAccess = Access.READ_ONLY)
public class LeadershipEndpoint {

	static final String STEP_DOWN = "LEADERSHIP_STEP_DOWN";

	private static final Log logger = LogFactory.getLog(LeadershipEndpoint.class);

	private final Leaderships leaderships;

	private final LockInspector locks;

	private final ApplicationEventPublisher events;

	public LeadershipEndpoint(Leaderships leaderships, LockInspector locks, ApplicationEventPublisher events) {
		this.leaderships = leaderships;
		this.locks = locks;
		this.events = events;
	}

	/** Return in which roles this process leads. Sends no request. */
	@ReadOperation
	public List<RoleDescriptor> roles() {
		return this.leaderships.candidates().stream().map((candidate) -> describe(candidate, null, null)).toList();
	}

	/** Return who leads in a role, in any process. */
	@ReadOperation
	public RoleDescriptor role(@Selector String role) {
		Candidate candidate = candidate(role);
		try {
			List<LockDescriptor.Holder> leaders = this.locks.inspect(candidate.options().engine(), candidate.key())
				.stream()
				.map(LockDescriptor.Holder::of)
				.toList();
			return describe(candidate, leaders, null);
		}
		catch (LockEngineException ex) {
			return describe(candidate, null, ex.getMessage());
		}
	}

	/**
	 * Let this process step down.
	 * @param pause how long it is no candidate, such as {@code 1m}; none if absent
	 * @param securityContext the authenticated user
	 * @return the role before the step
	 */
	@DeleteOperation
	public RoleDescriptor stepDown(@Selector String role, @Nullable String pause, SecurityContext securityContext) {
		Candidate candidate = candidate(role);
		RoleDescriptor before = describe(candidate, null, null);
		Duration chosen;
		try {
			chosen = Objects.requireNonNullElse(LocksEndpoint.length(pause), Duration.ZERO);
			candidate.stepDown(chosen);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(ex);
		}
		note(before, chosen, securityContext.getPrincipal());
		return before;
	}

	private void note(RoleDescriptor before, Duration pause, @Nullable Principal principal) {
		String name = (principal != null) ? principal.getName() : "unknown";
		logger.warn("Step-down in role '%s' for %s was requested by '%s': this process %s".formatted(before.role(),
				pause, LockKey.readable(name), before.leads() ? "led, term " + before.term() : "did not lead"));
		Map<String, Object> data = new LinkedHashMap<>();
		data.put("role", before.role());
		data.put("pause", pause.toString());
		data.put("led", before.leads());
		this.events.publishEvent(new AuditApplicationEvent(name, STEP_DOWN, data));
	}

	private RoleDescriptor describe(Candidate candidate, @Nullable List<LockDescriptor.Holder> leaders,
			@Nullable String failure) {
		Optional<LockOverview.Held> held = candidate.term().isEmpty() ? Optional.empty()
				: this.locks.overview(candidate.options().engine(), candidate.key()).held().stream().findFirst();
		return new RoleDescriptor(candidate.role(), held.isPresent(),
				held.map((term) -> Long.toString(term.fencingToken())).orElse(null),
				held.map((term) -> LocksDescriptor.millis(term.since())).orElse(null), leaders, failure);
	}

	private Candidate candidate(String role) {
		try {
			return this.leaderships.candidate(role);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(ex);
		}
	}

	private static InvalidEndpointRequestException invalid(IllegalArgumentException cause) {
		String reason = String.valueOf(cause.getMessage());
		return new InvalidEndpointRequestException(reason, reason, cause);
	}

}
