package io.leasehold.transaction;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warning about a lock that is acquired inside an open transaction, logged once per lock
 * name and method. The method is the annotated one, found by the call of its proxy, or
 * the caller of {@code DistributedLocks}. Thread-safe.
 */
final class OpenTransactionWarning implements Consumer<String> {

	private static final Log logger = LogFactory.getLog(OpenTransactionWarning.class);

	/** Largest number of warnings, for applications that build lock names from data. */
	static final int MOST_METHODS = 1000;

	/** Prefixes of the class names between the method and this class. */
	private static final List<String> BETWEEN = List.of(OpenTransactionWarning.class.getName(),
			DeferredReleases.class.getName(), "io.leasehold.service.", "io.leasehold.interceptor.",
			"io.leasehold.reactive.", "io.leasehold.DistributedLocks", "org.springframework.aop.",
			"org.springframework.cglib.", "java.", "jdk.internal.");

	private final Set<String> methods = ConcurrentHashMap.newKeySet();

	@Override
	public void accept(String name) {
		if (this.methods.size() >= MOST_METHODS) {
			return;
		}
		String method = StackWalker.getInstance()
			.walk((frames) -> frames.filter(OpenTransactionWarning::isOfApplication)
				.findFirst()
				.map(OpenTransactionWarning::describe)
				.orElse("another thread"));
		String lock = name.isEmpty() ? "(unnamed)" : name;
		if (this.methods.add(lock + " " + method)) {
			logger.warn(("Lock %s was acquired inside an open transaction by %s: its connection stays in use while it"
					+ " waits for the lock, and data that it read before may be stale. Acquire the lock first, then begin the"
					+ " transaction. Logged once for each method")
				.formatted(lock, method));
		}
	}

	private static boolean isOfApplication(StackFrame frame) {
		return BETWEEN.stream().noneMatch(frame.getClassName()::startsWith);
	}

	/** Return class and method; a proxy of interfaces has no class name. */
	private static String describe(StackFrame frame) {
		String type = frame.getClassName();
		int suffix = type.indexOf("$$");
		String simple = type.substring(type.lastIndexOf('.') + 1, (suffix > 0) ? suffix : type.length());
		return simple.startsWith("$Proxy") ? frame.getMethodName() : simple + "." + frame.getMethodName();
	}

}
