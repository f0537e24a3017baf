package io.leasehold.web;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.StaleFencingTokenException;
import jakarta.servlet.ServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Handler of all {@link LockException}s of controllers, for Spring MVC and WebFlux, also
 * as causes of other exceptions, unless an earlier handler decides. An inner call may
 * have failed, so no response states that nothing was executed. The response is a
 * {@link ProblemDetail} that reveals neither the key nor its holder. It is logged with
 * the exception, which does: as a warning if the server failed, otherwise at debug level.
 * A response that has begun is aborted by the exception. Thread-safe.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>
 */
@ControllerAdvice
@Order(0) // as Spring Boot's own handler, before those that handle every exception
public abstract sealed class LockProblemHandler {

	private static final Log logger = LogFactory.getLog(LockProblemHandler.class);

	private static final Answer BUSY = new Answer(HttpStatus.CONFLICT, true,
			"Another request for the same resource is being processed. This one was not completed.");

	private static final Answer UNAVAILABLE = new Answer(HttpStatus.SERVICE_UNAVAILABLE, true,
			"The request was not completed.");

	private static final Answer LOST = new Answer(HttpStatus.INTERNAL_SERVER_ERROR, false,
			"The request may have been executed. Check before you repeat it.");

	private static final Answer STALE = new Answer(HttpStatus.CONFLICT, false,
			"A later request has changed the same resource. This one was not completed.");

	private static final Answer KEY = new Answer(HttpStatus.BAD_REQUEST, false,
			"The request does not identify its resource. It was not completed.");

	private static final Answer OTHER = new Answer(HttpStatus.INTERNAL_SERVER_ERROR, false,
			"The request was not completed.");

	/** Respond to a request, which may have to be repeated after a second. */
	ResponseEntity<ProblemDetail> respond(LockException failure, boolean begun) {
		if (begun) {
			throw failure;
		}
		Answer answer = answerTo(failure);
		log(answer, failure);
		ResponseEntity.BodyBuilder response = ResponseEntity.status(answer.status);
		if (answer.repeatable) {
			response.header(HttpHeaders.RETRY_AFTER, "1");
		}
		return response.body(ProblemDetail.forStatusAndDetail(answer.status, answer.detail));
	}

	private static Answer answerTo(LockException failure) {
		if (failure instanceof LockBusyException) {
			return BUSY;
		}
		if (failure instanceof LockEngineException || failure instanceof LockInterruptedException) {
			return UNAVAILABLE;
		}
		if (failure instanceof LockLostException) {
			return LOST;
		}
		if (failure instanceof StaleFencingTokenException) {
			return STALE;
		}
		return (failure instanceof LockKeyException) ? KEY : OTHER;
	}

	private static void log(Answer answer, LockException failure) {
		String message = "Responded with status %s: %s".formatted(answer.status.value(), failure);
		if (answer.status.is5xxServerError()) {
			logger.warn(message);
		}
		else {
			logger.debug(message);
		}
	}

	/** Handler for Spring MVC. */
	public static final class OfMvc extends LockProblemHandler {

		@ExceptionHandler
		ResponseEntity<ProblemDetail> respond(LockException failure, ServletResponse response) {
			return respond(failure, response.isCommitted());
		}

	}

	/** Handler for Spring WebFlux. */
	public static final class OfWebFlux extends LockProblemHandler {

		@ExceptionHandler
		ResponseEntity<ProblemDetail> respond(LockException failure, ServerHttpResponse response) {
			return respond(failure, response.isCommitted());
		}

	}

	/**
	 * Response to a kind of failure.
	 *
	 * @param repeatable whether the same request may succeed later
	 */
	private record Answer(HttpStatus status, boolean repeatable, String detail) {
	}

}
