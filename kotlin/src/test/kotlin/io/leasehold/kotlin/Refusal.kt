package io.leasehold.kotlin

import io.leasehold.interceptor.InvalidLockAnnotationException

/**
 * Start an application with a bean of a class that this class loader finds by name.
 * @return the message of the refusal, or `null` if the application started
 */
fun refusal(bean: String): String? {
	val failure = runCatching { LockedApplication(Class.forName(bean).kotlin).close() }.exceptionOrNull()
	val causes = generateSequence(failure) { it.cause }
	return causes.filterIsInstance<InvalidLockAnnotationException>().firstOrNull()?.message ?: failure?.toString()
}
